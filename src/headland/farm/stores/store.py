"""One instance's store, open."""

import threading
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from typing import NamedTuple, TypeVar

import sqlalchemy as sa
from sqlalchemy import Connection

from headland.database import Database
from headland.farm.documents.tables import store_table
from headland.farm.stores.shelf import Shelf
from headland.storage.threads import finish_in_thread

T = TypeVar("T")

#: Kilobytes that are remembered of one state of the store, and how many bytes an answer may have for it.
_MOST_REMEMBERED = 1024
_LONGEST_REMEMBERED = 65_536


class Shown(NamedTuple):
    """A document as a version answers it."""

    etag: str
    document: bytes


class Store:
    """An instance's documents. Reads run in the caller's own thread; writes share commits."""

    def __init__(self, key: str, database: Database) -> None:
        """Raises DatabaseUnavailableError if it can't be read now."""
        self.key = key
        self._database = database
        self.read = database.read
        #: See `Database.snapshot`.
        self.snapshot = database.snapshot
        #: See `Database.version`.
        self.version = database.version
        #: Requests, writes and reads in threads that are not answered yet.
        self._working = 0
        self._counting = threading.Lock()
        #: Signs what clients are given to bring back.
        self.secret: bytes = self.read(lambda c: c.execute(sa.select(store_table.c.secret)).scalar_one())

    @classmethod
    def open(cls, shelf: Shelf, key: str) -> "Store":
        """Raises as `Shelf.open`."""
        database = shelf.open(key, _MOST_REMEMBERED)
        try:
            return cls(key, database)
        except BaseException:
            database.close()
            raise

    def read_page(self, key: Hashable, make: Callable[[Connection], bytes]) -> bytes:
        """What `make` returns; or returned under this key, if nothing was written since."""
        return self._database.read_remembered(key, make, _kilobytes, _is_short)

    def read_document(self, key: Hashable, find: Callable[[Connection], Shown | None]) -> Shown | None:
        """The same of a document, if there is one."""
        return self._database.read_remembered(key, find, _kilobytes_found, _is_short_found)

    def read_snapshot(self, make: Callable[[Connection], T]) -> T:
        """What `make` returns, whose statements all see the same."""
        return self._database.read_snapshot(make)

    async def read_in_thread(self, make: Callable[[Connection], T]) -> T:
        """`read_snapshot` for what takes so long that others go on meanwhile."""
        with self.busy():
            return await finish_in_thread(self._database.read_snapshot, make)

    @property
    def idle(self) -> bool:
        """Whether nobody waits for it."""
        return self._working == 0

    async def write(self, change: Callable[[Connection], T]) -> T:
        """What `change` returns, once it is on disk. Raises as `Database.write`."""
        with self.busy():
            return await self._database.write(change)

    def write_and_wait(self, change: Callable[[Connection], T]) -> T:
        """`write` for callers without an event loop, of any thread."""
        with self.busy():
            return self._database.write_and_wait(change)

    @contextmanager
    def busy(self) -> Iterator[None]:
        """Somebody is about to use it: it is not closed as idle meanwhile."""
        with self._counting:
            self._working += 1
        try:
            yield
        finally:
            with self._counting:
                self._working -= 1

    def close(self) -> None:
        """Finish writes under way, then close."""
        self._database.close()


def _is_short(page: bytes) -> bool:
    return len(page) <= _LONGEST_REMEMBERED


def _kilobytes(page: bytes) -> int:
    return 1 + len(page) // 1024


def _is_short_found(found: Shown | None) -> bool:
    return found is not None and _is_short(found.document)


def _kilobytes_found(found: Shown | None) -> int:
    return 0 if found is None else _kilobytes(found.document)
