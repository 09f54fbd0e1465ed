"""Do what keys are due for, by age: a thread in every process that issues tokens."""

import threading
import time
from collections.abc import Callable

import structlog
from sqlalchemy import Connection

from headland.database import Database, DatabaseUnavailableError
from headland.identity import key_store
from headland.identity.errors import KeyPendingError
from headland.identity.key_rotation import BY_AGE, next_due, publish, successor_due, tidy
from headland.identity.keys import SigningKey
from headland.settings import IdentitySettings

#: Seconds after which keys are looked at in any case: an operator may have rotated them.
LONGEST_PAUSE = 60.0

_log = structlog.get_logger("headland.identity")


class KeyKeeper:
    """Publishes, retires and forgets. Of several that find the same due one does it; the others find it done."""

    def __init__(
        self, database: Database, settings: IdentitySettings, clock: Callable[[], float] = time.time
    ) -> None:
        """`clock` tells seconds since 1970."""
        self._database = database
        self._settings = settings
        self._clock = clock

    def start(self) -> None:
        """In a thread of its own, for as long as the process lives."""
        threading.Thread(target=self._run, name="key-keeper", daemon=True).start()

    def step(self) -> float:
        """Do what is due; seconds until something is due again."""
        now = int(self._clock() * 1000)
        keys = self._database.read(key_store.keys)
        due = next_due(keys, self._settings)
        if due is not None and due <= now:
            successor = successor_due(keys, self._settings)
            if successor is not None and successor <= now:
                self._publish(now)
            self._database.write_and_wait(lambda connection: tidy(connection, now))
            due = next_due(self._database.read(key_store.keys), self._settings)
        return LONGEST_PAUSE if due is None else max(0.0, due / 1000 - self._clock())

    def _publish(self, now: int) -> None:
        # Made before the transaction: it takes as long as hundreds of writes.
        key = SigningKey.generate()
        activates_at = now + round(self._settings.key_overlap * 1000)
        lifetime = self._settings.longest_token_lifetime

        def unless_done(connection: Connection) -> bool:
            due = successor_due(key_store.keys(connection), self._settings)
            if due is None or due > now:
                return False
            publish(connection, key, BY_AGE, activates_at=activates_at, lifetime=lifetime, now=now)
            return True

        if self._database.write_and_wait(unless_done):
            _log.info("key.published", kid=key.kid, activates_at=activates_at, by="age")

    def _run(self) -> None:
        while True:
            try:
                pause = self.step()
            except (DatabaseUnavailableError, KeyPendingError) as error:
                _log.warning("key.rotation_waits", reason=str(error))
                pause = LONGEST_PAUSE
            except Exception:  # noqa: BLE001 - the keys are looked at again, and the log has the cause
                _log.exception("key.rotation_failed")
                pause = LONGEST_PAUSE
            time.sleep(min(max(pause, 0.05), LONGEST_PAUSE))
