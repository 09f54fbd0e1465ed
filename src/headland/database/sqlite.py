"""SQLite: write-ahead log, durable commits, explicit transactions.

A point read takes some 20 microseconds, less than handing it to a thread would, so reads run in the caller's own
thread, on a connection of its own.
"""

import sqlite3
import threading
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

from sqlalchemy import Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import OperationalError
from sqlalchemy.pool import QueuePool

from headland.database.changes import Changes
from headland.database.errors import DatabaseUnavailableError
from headland.database.expressions import FOLDED
from headland.database.prepared import run

T = TypeVar("T")


def sqlite_engine(url: str, busy_timeout: float, *, writer: bool, create: bool = False) -> Engine:
    """An engine of which each connection waits `busy_timeout` seconds for another process's write.

    A writer's transactions begin with `BEGIN IMMEDIATE`: a transaction that reads and then writes would
    otherwise fail at once where another process wrote in between, however long the timeout. A reader's
    statements stand for themselves unless it begins a transaction by itself, which costs as much again.

    Only where `create` says so is a missing file made: an empty one in the place of a database that is away
    for a while would be taken for it.
    """
    file = f"file:{quote(make_url(url).database or '')}?mode={'rwc' if create else 'rw'}"

    def connect() -> sqlite3.Connection:
        return sqlite3.connect(
            file, uri=True, check_same_thread=False, timeout=busy_timeout, isolation_level=None
        )

    engine = create_engine(
        url,
        creator=connect,
        poolclass=QueuePool,
        pool_size=1 if writer else 4,
        max_overflow=0 if writer else 16,
    )

    @event.listens_for(engine, "connect")
    def _connected(connection: Any, _record: Any) -> None:
        connection.create_function(FOLDED, 1, _folded, deterministic=True)
        cursor = connection.cursor()
        cursor.execute("PRAGMA journal_mode = WAL")
        # An acknowledged row must survive a power cut, not only a crash of the process.
        cursor.execute("PRAGMA synchronous = FULL")
        cursor.execute("PRAGMA foreign_keys = ON")
        if not writer:
            cursor.execute("PRAGMA query_only = ON")
        cursor.close()

    if writer:

        @event.listens_for(engine, "begin")
        def _began(connection: Connection) -> None:
            driver: Any = connection.connection.driver_connection
            # `SqliteSystem.write` has begun by itself.
            if not driver.in_transaction:
                run(connection, "BEGIN IMMEDIATE")

    return engine


def _folded(text: str | None) -> str | None:
    return None if text is None else text.casefold()


class SqliteSystem:
    """`headland.database.system.System` for a file."""

    def __init__(self, url: str, busy_timeout: float) -> None:
        file = make_url(url).database
        self.changes = Changes(Path(f"{file}-changes") if file else None)
        self._reader = sqlite_engine(url, busy_timeout, writer=False)
        self._writer = sqlite_engine(url, busy_timeout, writer=True)
        #: The writer thread's own.
        self._writing: Connection | None = None
        self._own = threading.local()
        self._opened: list[Connection] = []

    @property
    def engines(self) -> Sequence[Engine]:
        return self._reader, self._writer

    def read(self, query: Callable[[Connection], T]) -> T:
        try:
            connection = self._reading()
            try:
                return query(connection)
            except BaseException:
                connection.rollback()
                raise
        except OperationalError as error:
            self.let_go()
            raise self.told(error) from error

    def _reading(self) -> Connection:
        """This thread's own connection for reads. It is kept: to take one from a pool and to give it back
        costs as much as a point read. No transaction of the database's is open between two calls.
        """
        connection: Connection | None = getattr(self._own, "connection", None)
        if connection is None:
            connection = self._own.connection = self._reader.connect()
            self._opened.append(connection)
        return connection

    def let_go(self) -> None:
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
        try:
            with self._reader.connect() as connection:
                driver: Any = connection.connection.driver_connection
                driver.execute("BEGIN")
                try:
                    yield connection
                finally:
                    driver.rollback()
        except OperationalError as error:
            raise self.told(error) from error

    def version(self) -> Hashable:
        return self.read(_version)

    def write(self, work: Callable[[Connection], T]) -> T:
        connection = self._writing or self._writer.connect()
        self._writing = connection
        try:
            # By the driver itself, and on a connection that is kept: otherwise the two take as long as eight changes.
            run(connection, "BEGIN IMMEDIATE")
            result = work(connection)
            run(connection, "COMMIT")
        except BaseException:
            _undo(connection)
            raise
        return result

    @staticmethod
    def lives(connection: Connection) -> bool:
        # Full or unwritable: SQLite has undone the transaction, with all that was in it before, and would commit
        # by itself what comes after.
        driver: Any = connection.connection.driver_connection
        return bool(driver.in_transaction)

    @staticmethod
    def told(error: Exception) -> Exception:
        return DatabaseUnavailableError(str(error.orig)) if isinstance(error, OperationalError) else error

    def forget(self) -> None:
        if self._writing is not None:
            self._writing.close()
            self._writing = None
        self._writer.dispose()

    def close(self) -> None:
        for connection in self._opened:
            connection.close()
        self._opened.clear()
        self._own = threading.local()
        self._reader.dispose()
        self.forget()


def _undo(connection: Connection) -> None:
    """End a transaction that failed, if it is still there."""
    driver: Any = connection.connection.driver_connection
    # What it failed for is told, and not that it could not be ended, either.
    with suppress(sqlite3.Error):
        driver.rollback()
    connection.rollback()


def _version(connection: Connection) -> Hashable:
    """Another one after each commit of another connection (https://sqlite.org/pragma.html#pragma_data_version),
    and for each connection, since each counts from its own start.
    """
    driver: Any = connection.connection.driver_connection
    (version,) = driver.execute("PRAGMA data_version").fetchone()
    return driver, version
