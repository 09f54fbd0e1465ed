"""The issuer: signing keys, loaded once and kept, and the tenants that they sign for."""

import contextlib
import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import msgspec
from joserfc.jwk import RSAKey

from headland.audit import generation
from headland.database import Database, DatabaseUnavailableError
from headland.identity import key_store, store
from headland.identity.directory import Directory
from headland.identity.key_rotation import signing
from headland.identity.keys import SigningKey, key_set, public_key
from headland.identity.people import store as people
from headland.identity.people.records import Person
from headland.identity.records import Application, KeyRecord, Tenant
from headland.identity.refusals import TokenRefusedError
from headland.security import Principal, TrustedIssuer


class NotInitialisedError(Exception):
    """The database has no signing key yet: the first start makes it."""


@dataclass(frozen=True)
class _Loaded:
    """One state of the database; it is exchanged as a whole."""

    generation: int
    #: As the store orders them.
    keys: list[KeyRecord]
    private: dict[str, SigningKey]
    public: dict[str, RSAKey]
    key_set: bytes


@dataclass(frozen=True, slots=True)
class _Turn:
    """Whose turn it is to sign, as long as nothing is loaded anew: between two times in milliseconds since 1970."""

    of: _Loaded
    key: SigningKey
    since: int
    until: float


@dataclass(frozen=True, slots=True)
class Owner:
    """Whom a job acts for, as it is now."""

    principal: Principal
    #: Whether it is a person; else it is an application.
    person: bool


def no_job(_job: str) -> bool:
    """Where no job service runs."""
    return False


def _is(found: Application | Person | None, principal: Principal) -> bool:
    """Whether an account is enabled, and the very one that a principal names."""
    return (
        found is not None
        and found.disabled_at is None
        and (found.tenant_id, found.object_id) == (principal.tenant_id, principal.object_id)
    )


def _turn_at(state: _Loaded, now: int) -> _Turn:
    key = signing(state.keys, now)
    until = min((other.activates_at for other in state.keys if other.activates_at > now), default=math.inf)
    return _Turn(state, state.private[key.kid], now, until)


class Issuer:
    """Signs tokens and knows which ones are its own.

    Every worker process has the same keys loaded, and sees by the audit trail's newest entry that they have
    changed: no change of them is made without one.
    """

    def __init__(
        self,
        database: Database,
        public_url: str,
        clock: Callable[[], float] = time.time,
        job_alive: Callable[[str], bool] = no_job,
    ) -> None:
        """
        `clock` tells seconds since 1970, `job_alive` whether a job has not ended. Where the database can't be read
        now, the first use loads from it, and every use until then raises DatabaseUnavailableError.

        Raises:
            NotInitialisedError: there is nothing to load.
        """
        self.public_url = public_url
        self._directory = Directory(database, public_url)
        self._database = database
        self._clock = clock
        self._job_alive = job_alive
        self._state: _Loaded | None = None
        self._turn: _Turn | None = None
        with contextlib.suppress(DatabaseUnavailableError):
            self._current()

    def tenant(self, named: str) -> Tenant:
        """The tenant with that id or name, in whatever case.

        Raises:
            TokenRefusedError: there is none, or it can't be the name of one.
        """
        return self._directory.tenant(named)

    def has_tenant(self, named: str) -> bool:
        """Whether there is a tenant with that id or name."""
        try:
            self._directory.tenant(named)
        except TokenRefusedError:
            return False
        return True

    def sign(self, claims: dict[str, Any]) -> str:
        """A token that says so, signed with the key whose turn it is."""
        state, now = self._current(), int(self._clock() * 1000)
        turn = self._turn
        if turn is None or turn.of is not state or not turn.since <= now < turn.until:
            turn = self._turn = _turn_at(state, now)
        return turn.key.sign(claims)

    @property
    def key_set(self) -> bytes:
        """The public keys as JSON (RFC 7517): of the key that will sign, that signs, and those that did."""
        return self._current().key_set

    def issued(self, iss: str, tid: str) -> bool:
        """Whether these are the `iss` and `tid` of tokens of this issuer."""
        return self._directory.issued(iss, tid)

    def key(self, kid: str) -> RSAKey | None:
        """The public key with that `kid`."""
        return self._current().public.get(kid)

    def generation(self) -> int:
        """A number that every administrative change makes larger, in whichever process it is made."""
        return self._database.read_remembered("audit.generation", generation)

    def resolve(self, principal: Principal) -> Principal | None:
        """The principal, if its application is still there and enabled. A job's has the roles that its owner has now.

        Its secrets don't matter: as with the public service, a token outlives the secret that it was issued for.
        """
        if principal.job:
            owner = self.owner(principal)
            return None if owner is None else replace(owner.principal, job=principal.job)
        found = self._application(principal)
        return None if found is None else principal

    def owner(self, principal: Principal) -> Owner | None:
        """The application or person, if it is of this issuer, still there, and enabled."""
        if principal.issuer:
            return None
        found = self._application(principal) or self._person(principal)
        if found is None:
            return None
        tenant = self._directory.tenant(found.tenant_id)
        return Owner(found.principal(tenant), person=isinstance(found, Person))

    def _application(self, principal: Principal) -> Application | None:
        client_id = principal.client_id
        found = self._database.read_remembered(
            ("application", client_id), lambda connection: store.find_application(connection, client_id)
        )
        return found if _is(found, principal) else None

    def _person(self, principal: Principal) -> Person | None:
        object_id = principal.object_id
        found = self._database.read_remembered(
            ("person", object_id), lambda connection: people.find(connection, object_id)
        )
        return found if _is(found, principal) else None

    def trusted(self) -> TrustedIssuer:
        """This issuer, for a `Verifier`."""
        return TrustedIssuer(
            self.issued,
            self.key,
            generation=self.generation,
            resolve=self.resolve,
            job_alive=self._job_alive,
        )

    def _current(self) -> _Loaded:
        number = self.generation()
        state = self._state
        if state is None or state.generation != number:
            state = self._state = self._load(number, state)
        return state

    def _load(self, number: int, before: _Loaded | None) -> _Loaded:
        keys = self._database.read(key_store.keys)
        if not keys:
            raise NotInitialisedError(
                "The database holds no signing key yet: start Headland once to make it."
            )
        private = before.private if before is not None else {}
        public = before.public if before is not None else {}
        return _Loaded(
            generation=number,
            keys=keys,
            # Parsed once and kept; the private half of a retired key is let go.
            private={
                key.kid: private.get(key.kid) or SigningKey.of(key.kid, key.private_key)
                for key in keys
                if key.private_key is not None
            },
            public={key.kid: public.get(key.kid) or public_key(key) for key in keys},
            key_set=msgspec.json.encode(key_set(keys)),
        )
