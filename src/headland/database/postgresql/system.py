"""The rows of one schema.

To ask PostgreSQL on the same machine takes some 30 microseconds, less than handing that to a thread would, so reads
run in the caller's own thread, as those of SQLite do.
"""

import time
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar, cast

import psycopg
from psycopg.pq import TransactionStatus
from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError

from headland.database.changes import Changes
from headland.database.errors import DatabaseUnavailableError
from headland.database.postgresql.errors import one_line
from headland.database.postgresql.kept import KeptConnections, close, is_lost
from headland.database.postgresql.layout import COMMITS

if TYPE_CHECKING:
    from headland.database.postgresql.server import PostgresServer

T = TypeVar("T")

#: What keeps rows from being read or written, besides psycopg's `OperationalError`
#: (https://www.postgresql.org/docs/15/errcodes-appendix.html): no such table or schema, as where a store is being
#: removed, and a server that only reads.
_UNAVAILABLE = frozenset({"42P01", "3F000", "25006"})

_VERSION = f"SELECT mark FROM {COMMITS}"  # noqa: S608 - a constant

_SNAPSHOT = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"

#: The row is locked until the transaction ends. So writers take turns, as those of SQLite do, and what one of them
#: reads stays so until it has written; and the mark is another one exactly when what was written can be seen.
_BEGIN = f"UPDATE {COMMITS} SET mark = gen_random_uuid() RETURNING pg_current_xact_id()::text"  # noqa: S608

#: Of transactions (https://www.postgresql.org/docs/15/functions-info.html, table 9.78).
_UNDECIDED = "in progress"

#: Seconds between two questions whether a transaction was committed.
_PAUSE = 0.1


class PostgresSystem:
    """`headland.database.system.System` for a schema."""

    def __init__(
        self, server: "PostgresServer", schema: str, closed: Callable[[], None] = lambda: None
    ) -> None:
        """`closed` is called at the end."""
        #: None that would save a question: processes of other machines write as well.
        self.changes = Changes(None)
        self._server = server
        self._schema = schema
        self._closed = closed

    @property
    def engines(self) -> Sequence[Engine]:
        return self._server.engines

    def read(self, query: Callable[[Connection], T]) -> T:
        try:
            try:
                return self._read(query)
            except _LostError:
                # While nobody used it, or just now: a query may be asked twice.
                return self._read(query)
        except (DBAPIError, psycopg.Error) as error:
            raise self.told(error) from error

    def _read(self, query: Callable[[Connection], T]) -> T:
        readers = self._server.readers
        connection = readers.take(self._schema)
        try:
            result = query(connection)
        except BaseException as error:
            _end(readers, connection, error)
            raise
        readers.give_back(connection)
        return result

    def read_snapshot(self, query: Callable[[Connection], T]) -> T:
        def within_transaction(connection: Connection) -> T:
            driver: Any = connection.connection.driver_connection
            driver.execute(_SNAPSHOT)
            result = query(connection)
            driver.rollback()
            return result

        return self.read(within_transaction)

    @contextmanager
    def snapshot(self) -> Iterator[Connection]:
        readers = self._server.readers
        try:
            connection = readers.lend(self._schema)
            try:
                driver: Any = connection.connection.driver_connection
                driver.execute(_SNAPSHOT)
                yield connection
            finally:
                close(connection)
        except (DBAPIError, psycopg.Error) as error:
            raise self.told(error) from error

    def version(self) -> Hashable:
        return self.read(_version)

    def write(self, work: Callable[[Connection], T]) -> T:
        try:
            return self._write(work)
        except _LostError:
            # Before it was to be committed, so nothing of it was kept.
            return self._write(work)

    def _write(self, work: Callable[[Connection], T]) -> T:
        writers = self._server.writers
        connection = writers.take(self._schema)
        driver: Any = connection.connection.driver_connection
        try:
            connection.begin()
            driver.execute("BEGIN")
            (transaction,) = driver.execute(_BEGIN, prepare=True).fetchone()
            result = work(connection)
        except BaseException as error:
            _end(writers, connection, error)
            raise
        try:
            connection.commit()
        except (DBAPIError, psycopg.Error):
            lost = is_lost(connection)
            _undo(connection)
            writers.give_back(connection)
            if not lost or not self._was_committed(transaction):
                raise
        else:
            writers.give_back(connection)
        return result

    def _was_committed(self, transaction: str) -> bool:
        """What became of a transaction whose commit was not answered.

        Raises:
            DatabaseUnavailableError: nobody says so in time.
        """
        until = time.monotonic() + self._server.busy_timeout
        while True:
            try:
                status = self._read(lambda connection: _status(connection, transaction))
            except (DatabaseUnavailableError, DBAPIError, psycopg.Error):
                status = _UNDECIDED
            if status != _UNDECIDED:
                return status == "committed"
            if time.monotonic() > until:
                raise DatabaseUnavailableError(
                    "the connection was lost in a commit, of which nothing is known since"
                )
            time.sleep(_PAUSE)

    @staticmethod
    def lives(connection: Connection) -> bool:
        if is_lost(connection):
            return False
        driver: Any = connection.connection.driver_connection
        return driver.info.transaction_status in {TransactionStatus.INTRANS, TransactionStatus.INERROR}

    @staticmethod
    def told(error: Exception) -> Exception:
        cause = error.orig if isinstance(error, DBAPIError) else error
        if (
            isinstance(cause, psycopg.OperationalError | psycopg.InterfaceError)
            or getattr(cause, "sqlstate", None) in _UNAVAILABLE
        ):
            return DatabaseUnavailableError(one_line(cause))
        return error

    def forget(self) -> None:
        """Those that are lost were let go of when that was seen."""

    def close(self) -> None:
        self._closed()


class _LostError(DatabaseUnavailableError):
    """The connection was lost, before anything was to be committed."""


def _end(kept: KeptConnections, connection: Connection, error: BaseException) -> None:
    """After an error.

    Raises:
        _LostError: the connection was the cause.
    """
    lost = is_lost(connection)
    _undo(connection)
    kept.give_back(connection)
    if lost and isinstance(error, DBAPIError | psycopg.Error):
        raise _LostError(one_line(error)) from error


def _undo(connection: Connection) -> None:
    if not is_lost(connection):
        connection.rollback()
        driver: Any = connection.connection.driver_connection
        driver.rollback()


def _version(connection: Connection) -> Hashable:
    driver: Any = connection.connection.driver_connection
    return cast("Hashable", driver.execute(_VERSION, prepare=True).fetchone())


def _status(connection: Connection, transaction: str) -> str | None:
    driver: Any = connection.connection.driver_connection
    (status,) = driver.execute("SELECT pg_xact_status(%s::xid8)", [transaction]).fetchone()
    return cast("str | None", status)
