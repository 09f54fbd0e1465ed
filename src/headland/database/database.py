"""Run store functions: plain functions that take a connection and return rows.

A point read of SQLite takes some 20 microseconds, less than handing it to a thread would, so reads run in
the caller's own thread; writes go through the one writer.
"""

import asyncio
import threading
import time
from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection, make_url
from sqlalchemy.exc import OperationalError

from headland.database.changes import Changes
from headland.database.sqlite import sqlite_engine
from headland.database.writer import GroupCommitWriter

T = TypeVar("T")

#: Rows that a thread remembers at the most, of one state of the database.
MOST_REMEMBERED = 6400

#: Seconds after which the database is asked whether what is remembered is still so, though no process of this
#: machine said otherwise: one may have been killed before it could.
LONGEST_UNASKED = 1.0


class DatabaseUnavailableError(Exception):
    """The database is locked, read-only, full or gone. Nothing was written; the call may be repeated."""


@dataclass(slots=True, eq=False)
class _Remembered:
    """What a thread has read of one state of the database."""

    mark: bytes | None
    version: int
    #: When the database was asked last (monotonic).
    asked_at: float
    answers: dict[Hashable, Any] = field(default_factory=dict)
    rows: int = 0


class Database:
    """The database of a home."""

    def __init__(self, url: str, busy_timeout: float = 10.0, most_remembered: int = MOST_REMEMBERED) -> None:
        self.url = url
        self._most_remembered = most_remembered
        self._reader = sqlite_engine(url, busy_timeout, writer=False)
        self._engine = sqlite_engine(url, busy_timeout, writer=True)
        file = make_url(url).database
        self._changes = Changes(Path(f"{file}-changes") if file else None)
        self._writer = GroupCommitWriter(self._engine, self._changes.tell)
        self._own = threading.local()
        self._opened: list[Connection] = []

    @classmethod
    def at(cls, file: Path, busy_timeout: float = 10.0, most_remembered: int = MOST_REMEMBERED) -> "Database":
        """The SQLite database in `file`."""
        return cls(f"sqlite:///{file}", busy_timeout, most_remembered)

    def read(self, query: Callable[[Connection], T]) -> T:
        """What `query` returns. Short queries only: the caller's thread waits. Each of its statements sees
        what was committed before it.

        Raises:
            DatabaseUnavailableError: the database can't be read now.
        """
        try:
            connection = self._reading()
            try:
                return query(connection)
            except BaseException:
                connection.rollback()
                raise
        except OperationalError as error:
            self._let_go()
            raise DatabaseUnavailableError(str(error.orig)) from error

    def _reading(self) -> Connection:
        """This thread's own connection for reads. It is kept: to take one from a pool and to give it back
        costs as much as a point read. No transaction of the database's is open between two calls.
        """
        connection: Connection | None = getattr(self._own, "connection", None)
        if connection is None:
            connection = self._own.connection = self._reader.connect()
            self._opened.append(connection)
        return connection

    def _let_go(self) -> None:
        """Close this thread's connection after a failure: the file that it has open may not be the one that is
        there next time.
        """
        connection: Connection | None = getattr(self._own, "connection", None)
        self._own.__dict__.clear()
        if connection is not None:
            self._opened.remove(connection)
            connection.invalidate()
            connection.close()

    def read_snapshot(self, query: Callable[[Connection], T]) -> T:
        """`read` for several statements that must see the same."""

        def within_transaction(connection: Connection) -> T:
            # By the driver itself: through SQLAlchemy the two cost more than most queries.
            driver: Any = connection.connection.driver_connection
            driver.execute("BEGIN")
            try:
                return query(connection)
            finally:
                driver.rollback()

        return self.read(within_transaction)

    @contextmanager
    def snapshot(self) -> Iterator[Connection]:
        """A connection of the caller's own that sees one state of the database until it is given back: for long
        reads, by whatever threads, one after the other.

        Raises:
            DatabaseUnavailableError: the database can't be read now.
        """
        try:
            with self._reader.connect() as connection:
                driver: Any = connection.connection.driver_connection
                driver.execute("BEGIN")
                try:
                    yield connection
                finally:
                    driver.rollback()
        except OperationalError as error:
            raise DatabaseUnavailableError(str(error.orig)) from error

    def read_remembered(
        self,
        key: Hashable,
        query: Callable[[Connection], T],
        rows: int = 1,
        worth: Callable[[T], bool] | None = None,
    ) -> T:
        """What `read_snapshot(query)` returns, or returned under this key when it was last asked for, if
        nothing has been committed since, by whatever process. What it returns, of some `rows`, is not to be changed.
        It is remembered if it is `worth` that. None is not: of what is not there, callers can name any number.
        """
        # Looked up before it is asked: what is committed in between belongs to what is remembered next.
        remembered = self._remembered()
        try:
            result: T = remembered.answers[key]
        except KeyError:
            result = self.read_snapshot(query)
            if result is not None and (worth is None or worth(result)):
                remembered.answers[key] = result
                remembered.rows += max(1, rows)
        return result

    def version(self) -> Hashable:
        """Another one after each commit, by whatever process: what was read is still so while it stays. It is
        this thread's own, and must be looked up before what it stands for is read.

        Raises:
            DatabaseUnavailableError: the database can't be read now.
        """
        return self._remembered()

    def _remembered(self) -> _Remembered:
        """What this thread may still believe."""
        kept: _Remembered | None = getattr(self._own, "remembered", None)
        mark, now = self._changes.mark, time.monotonic()
        same = kept is not None and kept.mark == mark and kept.rows <= self._most_remembered
        if kept is not None and same and mark is not None and now - kept.asked_at < LONGEST_UNASKED:
            return kept
        version = self.read(_version)
        if kept is not None and same and kept.version == version:
            kept.asked_at = now
            return kept
        made = self._own.remembered = _Remembered(mark, version, now)
        return made

    async def write(self, change: Callable[[Connection], T]) -> T:
        """What `change` returns, once it is committed and flushed to disk.

        `change` may run again after a failure, so it does nothing but statements on its connection.

        Raises:
            DatabaseUnavailableError: the database can't be written now; nothing of the change was kept.
        """
        try:
            # Shielded: a caller that goes away must not leave it open whether its change was made.
            result: T = await asyncio.shield(asyncio.wrap_future(self._writer.submit(change)))
        except OperationalError as error:
            raise DatabaseUnavailableError(str(error.orig)) from error
        return result

    def write_and_wait(self, change: Callable[[Connection], T]) -> T:
        """`write` for callers without an event loop."""
        try:
            result: T = self._writer.submit(change).result()
        except OperationalError as error:
            raise DatabaseUnavailableError(str(error.orig)) from error
        return result

    def write_behind(
        self, change: Callable[[Connection], object], failed: Callable[[BaseException], None]
    ) -> None:
        """Have `change` made soon, for callers that go on without it; `close` waits for it.

        `failed` is told, in the writer's thread, of the error that kept it from being made.
        """

        def told(future: Future[object]) -> None:
            error = future.exception()
            if error is not None:
                failed(error)

        self._writer.submit(change).add_done_callback(told)

    def close(self) -> None:
        """Finish writes under way and close every connection."""
        self._writer.close()
        for connection in self._opened:
            connection.close()
        self._opened.clear()
        self._own = threading.local()
        self._reader.dispose()
        self._engine.dispose()


def _version(connection: Connection) -> int:
    """Another one after each commit of another connection (https://sqlite.org/pragma.html#pragma_data_version)."""
    driver: Any = connection.connection.driver_connection
    (version,) = driver.execute("PRAGMA data_version").fetchone()
    return int(version)
