"""The deployer: lays out the stores of new instances and removes those of deleted ones.

Rows say what is to be done, and a row is crossed out when it is done. A deployer that is killed in between
leaves the row, and the next one does it again: laying out and removing can be repeated. Of all deployers of a
home one works at a time, which a file's lock sees to; the kernel lets go of it whatever becomes of its holder.
"""

import fcntl
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

import structlog
from sqlalchemy import Connection

from headland.control import groups
from headland.control.records import Store
from headland.control.rows import groups as group_rows
from headland.control.rows import stores
from headland.database import Database, DatabaseUnavailableError

#: Seconds after which a deployer looks by itself for what another one has left undone.
LOOK = 5.0

#: Milliseconds before a removal that failed is tried again, the first time; doubled each time, up to the second.
RETRY, LONGEST_RETRY = 1_000, 300_000

_LONGEST_FAILURE = 500

_log = structlog.get_logger("headland.control")


class InstanceStores(Protocol):
    """Where the data of instances lies. Both can be repeated; both raise what keeps them from it."""

    def lay_out(self, store_key: str) -> None:
        """Make everything that a store needs."""
        ...

    def remove(self, store_key: str) -> None:
        """Remove a store with all that is in it, or what there is of it."""
        ...


class Deployer:
    """Does what rows of stores say is to be done, in a thread of its own."""

    def __init__(
        self,
        database: Database,
        store_keeper: InstanceStores,
        lock: Path,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._database = database
        self._stores = store_keeper
        self._lock = lock
        self._clock = clock
        self._wake = threading.Event()
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name="deployer", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def wake(self) -> None:
        """Something may be to be done."""
        self._wake.set()

    def stop(self) -> None:
        """Finish what is under way, and end."""
        self._stopping = True
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join()

    def work(self) -> float:
        """Do all that is due; the seconds until more will be, or until it is time for a look.

        Raises:
            DatabaseUnavailableError: the database can't be read or written now.
        """
        with _alone(self._lock):
            while not self._stopping:
                store = self._database.read(lambda connection: stores.next_due(connection, self._now()))
                if store is None:
                    break
                self._do(store)
        due = self._database.read(stores.next_due_at)
        return LOOK if due is None else min(LOOK, max(0.0, (due - self._now()) / 1000))

    def _run(self) -> None:
        while not self._stopping:
            self._wake.clear()
            try:
                pause = self.work()
            except (DatabaseUnavailableError, OSError) as error:
                _log.warning("deployer.waits", reason=str(error))
                pause = 1.0
            self._wake.wait(pause)

    def _do(self, store: Store) -> None:
        act = self._stores.lay_out if store.wanted == "present" else self._stores.remove
        try:
            act(store.key)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is what became of the instance
            _log.warning("store.failed", store=store.key, wanted=store.wanted, exc_info=True)
            failure = _reason(error)
            self._database.write_and_wait(lambda connection: self._failed(connection, store, failure))
            return
        self._database.write_and_wait(lambda connection: self._done(connection, store))
        _log.info("store.laid_out" if store.wanted == "present" else "store.removed", store=store.key)

    def _done(self, connection: Connection, store: Store) -> None:
        if store.wanted == "present":
            # Where it is not wanted any more by now, the row says so, and its removal comes next.
            stores.made_ready(connection, store.key)
            return
        stores.delete(connection, store.key)
        groups.finish_deletion(connection, store.subscription_id, store.group_key, self._now())

    def _failed(self, connection: Connection, store: Store, failure: str) -> None:
        now = self._now()
        if store.wanted == "present":
            # It is for the caller to try again, by the same PUT.
            stores.failed(connection, store, failure, None)
            return
        pause = min(RETRY * 2 ** min(store.attempts, 20), LONGEST_RETRY)
        if stores.failed(connection, store, failure, now + pause):
            group_rows.end_deletions(connection, store.subscription_id, store.group_key, now, failure)

    def _now(self) -> int:
        return int(self._clock() * 1000)


def _reason(error: Exception) -> str:
    """Why, in words for the instance's owner: without paths, which are the operator's."""
    text = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return " ".join((text or type(error).__name__).split())[:_LONGEST_FAILURE]


@contextmanager
def _alone(lock: Path) -> Iterator[None]:
    """Wait until no other deployer of the home works, and keep it so."""
    descriptor = os.open(lock, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
