"""One issuer elsewhere: its keys as they are known here, and when they are asked for again."""

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path

import structlog

from headland.security.issuers import PublicKey, TrustedIssuer
from headland.security.outside.claims import read_claims
from headland.security.outside.documents import IssuerUnavailableError, fetch_keys
from headland.security.outside.kept import KeptKeys
from headland.security.outside.keys import PublishedKeys
from headland.security.principal import Principal
from headland.settings import IssuerSettings, SecuritySettings

_log = structlog.get_logger("headland.security")


class OutsideIssuer:
    """Keys are fetched when a token names one that is not known, and anew when they have become old; never in the
    event loop, one fetch at a time, and not more often than the cooldown allows, since anybody may send any `kid`.
    While the issuer is away, the keys that are known go on being used.
    """

    def __init__(
        self,
        settings: IssuerSettings,
        security: SecuritySettings,
        folder: Path,
        *,
        fetch: Callable[[IssuerSettings, float], PublishedKeys] = fetch_keys,
        clock: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """`folder` is where keys are kept; `clock` tells seconds since 1970."""
        self._settings = settings
        self._security = security
        self._kept = KeptKeys(folder, settings.issuer)
        self._fetch = fetch
        self._clock = clock
        self._monotonic = monotonic
        self._generation = 0
        self._keys = PublishedKeys((), {})
        self._fetched_at = float("-inf")
        #: By the monotonic clock: when the keys are old, and before when nobody asks again.
        self._old_at = float("-inf")
        self._next_try = float("-inf")
        self._executor = ThreadPoolExecutor(1, "issuer-keys")
        self._under_way: Future[None] | None = None
        self._take_over()

    def trusted(self, resolve: Callable[[Principal], Principal | None] | None = None) -> TrustedIssuer:
        """This issuer, for a `Verifier`; `resolve` says which of its principals are taken, else all are."""
        return TrustedIssuer(
            issued=lambda iss, _tid: iss == self._settings.issuer,
            key=self.key,
            generation=self.generation,
            read=partial(read_claims, self._settings),
            types=frozenset(self._settings.token_types).union(
                {""} if "jwt" in self._settings.token_types else ()
            ),
            longest_lifetime=self._settings.longest_lifetime,
            algorithms=frozenset(self._settings.algorithms),
            refresh=self.refresh,
            resolve=resolve or (lambda principal: principal),
        )

    def key(self, kid: str) -> PublicKey | None:
        """The key with that `kid`, if it is known."""
        return self._keys.by_kid.get(kid)

    def generation(self) -> int:
        """How often the keys have changed. Keys that have become old are asked for, without waiting for them."""
        if self._monotonic() >= self._old_at and self._keys.entries:
            self._start()
        return self._generation

    async def refresh(self, kid: str) -> bool:
        """Look for the key `kid`; whether it is known now."""
        under_way = self._start()
        if under_way is not None:
            await asyncio.shield(asyncio.wrap_future(under_way))
        return kid in self._keys.by_kid

    def _start(self) -> "Future[None] | None":
        """The fetch that is under way, or that is begun now; None where it is too early for one."""
        running = self._under_way
        if running is not None and not running.done():
            return running
        now = self._monotonic()
        if now < self._next_try:
            return None
        self._next_try = now + self._security.key_set_cooldown
        started = self._under_way = self._executor.submit(self._update)
        return started

    def _update(self) -> None:
        """In the executor's thread."""
        try:
            # Another process may have asked a moment ago.
            if self._take_over() and self._clock() - self._fetched_at < self._security.key_set_cooldown:
                return
            keys = self._fetch(self._settings, self._security.fetch_timeout)
            self._use(keys, self._clock())
            _log.info("issuer.keys_fetched", issuer=self._settings.issuer, keys=len(keys.entries))
            self._kept.write(self._fetched_at, keys)
        except IssuerUnavailableError as error:
            self._old_at = self._monotonic() + self._security.key_set_cooldown
            _log.warning("issuer.unavailable", issuer=self._settings.issuer, reason=str(error))
        except OSError as error:
            _log.warning("issuer.keys_not_kept", issuer=self._settings.issuer, reason=str(error))
        except Exception:
            # Nobody may wait for this: it would go unnoticed.
            _log.exception("issuer.refresh_failed", issuer=self._settings.issuer)
            raise

    def _take_over(self) -> bool:
        """Use the keys on disk, if they are newer; whether they are."""
        kept = self._kept.read()
        if kept is None or kept[0] <= self._fetched_at:
            return False
        self._use(kept[1], kept[0])
        return True

    def _use(self, keys: PublishedKeys, fetched_at: float) -> None:
        changed = keys.entries != self._keys.entries
        self._keys, self._fetched_at = keys, fetched_at
        age = max(0.0, self._clock() - fetched_at)
        self._old_at = self._monotonic() + self._security.key_set_max_age - age
        if changed:
            # Last: whoever sees the new number finds the new keys.
            self._generation += 1
