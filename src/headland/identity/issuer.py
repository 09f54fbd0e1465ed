"""The issuer: signing keys, loaded once and kept, and the tenants that they sign for."""

import contextlib
import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec
from joserfc import jwt
from joserfc.jwk import RSAKey

from headland.database import Database, DatabaseUnavailableError
from headland.identity import store
from headland.identity.directory import Directory
from headland.identity.keys import SigningKey, key_set
from headland.identity.records import Tenant
from headland.security import TrustedIssuer

#: Seconds between looks into the database for a key that is not known: anybody may send any `kid`.
RELOAD_COOLDOWN = 10.0


class NotInitialisedError(Exception):
    """The database has no tenant or no signing key yet: the first start makes them."""


@dataclass(frozen=True)
class _Loaded:
    """One state of the database; it is exchanged as a whole."""

    keys: dict[str, SigningKey]
    signing: SigningKey
    key_set: bytes


class Issuer:
    """Signs tokens and knows which ones are its own. Every worker process loads the same from the database."""

    def __init__(
        self, database: Database, public_url: str, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        """
        Where the database can't be read now, the first use loads from it, and every use until then raises
        DatabaseUnavailableError.

        Raises:
            NotInitialisedError: there is nothing to load.
        """
        self.public_url = public_url
        self._directory = Directory(database, public_url)
        self._database = database
        self._monotonic = monotonic
        self._reloading = threading.Lock()
        self._state: _Loaded | None = None
        with contextlib.suppress(DatabaseUnavailableError):
            self._state = self._load({})
        self._reloaded_at = -math.inf

    @property
    def _loaded(self) -> _Loaded:
        if self._state is None:
            self._state = self._load({})
        return self._state

    def tenant(self, named: str) -> Tenant:
        """The tenant with that id or name, in whatever case.

        Raises:
            TokenRefusedError: there is none, or it can't be the name of one.
        """
        return self._directory.tenant(named)

    def sign(self, claims: dict[str, Any]) -> str:
        """A token that says so, signed with the newest key."""
        key = self._loaded.signing
        return jwt.encode(key.header, claims, key.private)

    @property
    def key_set(self) -> bytes:
        """The public keys as JSON (RFC 7517)."""
        return self._loaded.key_set

    def issued(self, iss: str, tid: str) -> bool:
        """Whether these are the `iss` and `tid` of tokens of this issuer."""
        return self._directory.issued(iss, tid)

    def key(self, kid: str) -> RSAKey | None:
        """The public key with that `kid`; one that another process has made since is loaded now."""
        if kid not in self._loaded.keys:
            self._reload()
        found = self._loaded.keys.get(kid)
        return found.public if found is not None else None

    def trusted(self) -> TrustedIssuer:
        """This issuer, for a `Verifier`."""
        return TrustedIssuer(self.issued, self.key)

    def _reload(self) -> None:
        with self._reloading:
            now = self._monotonic()
            if now - self._reloaded_at >= RELOAD_COOLDOWN:
                self._reloaded_at = now
                self._state = self._load(self._loaded.keys)

    def _load(self, known: dict[str, SigningKey]) -> _Loaded:
        pems, tenants = self._database.read(
            lambda connection: (store.signing_keys(connection), store.tenants(connection))
        )
        if not pems or not tenants:
            raise NotInitialisedError("The database holds no tenant yet: start Headland once to make it.")
        keys = [SigningKey.from_pem(pem) for pem in pems]
        by_kid = {key.kid: known.get(key.kid, key) for key in keys}
        return _Loaded(
            keys=by_kid,
            signing=by_kid[keys[0].kid],
            key_set=msgspec.json.encode(key_set(by_kid.values())),
        )
