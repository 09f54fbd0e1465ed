"""Connections that are kept, so many of a kind."""

import contextlib
import threading
from collections import deque
from typing import Any

import psycopg
from sqlalchemy import Connection, Engine

from headland.database.errors import DatabaseUnavailableError
from headland.database.postgresql import layout


class KeptConnections:
    """Lent to one thread at a time, with a schema's tables in sight. SQLAlchemy's own pools take twice as long to
    lend one as PostgreSQL takes to answer.
    """

    def __init__(self, engine: Engine, most: int, patience: float) -> None:
        """At most so many; who finds none waits for `patience` seconds."""
        self._engine = engine
        self._most = most
        self._patience = patience
        self._free = threading.BoundedSemaphore(most)
        #: The last one used first: the others may be closed by the server if it likes.
        self._idle: deque[Connection] = deque()

    def take(self, schema: str) -> Connection:
        """One that must be given back.

        Raises:
            DatabaseUnavailableError: all are in use.
            psycopg.Error, sqlalchemy.exc.DBAPIError: it can't be had.
        """
        if not self._free.acquire(timeout=self._patience):
            raise DatabaseUnavailableError(f"all {self._most} connections to PostgreSQL are in use")
        try:
            while self._idle:
                with contextlib.suppress(IndexError, psycopg.OperationalError):
                    return self._sees(self._idle.pop(), schema)
                # It was lost while nobody used it, as may be the others.
                self.close()
            return self._sees(self._engine.connect(), schema)
        except BaseException:
            self._free.release()
            raise

    def lend(self, schema: str) -> Connection:
        """One besides, for long use; to be closed after it.

        Raises:
            psycopg.Error, sqlalchemy.exc.DBAPIError: it can't be had.
        """
        connection = self._sees(self._engine.connect(), schema)
        # Whoever is sent what is read may be slow.
        driver: Any = connection.connection.driver_connection
        driver.execute("SET idle_in_transaction_session_timeout = '1h'")
        return connection

    def _sees(self, connection: Connection, schema: str) -> Connection:
        if connection.info.get("schema") != schema:
            try:
                layout.see(connection.connection.driver_connection, schema)  # type: ignore[arg-type]
            except BaseException:
                close(connection)
                raise
            connection.info["schema"] = schema
        return connection

    def give_back(self, connection: Connection) -> None:
        """Keep it for the next."""
        if is_lost(connection):
            close(connection)
            self.close()
        else:
            self._idle.append(connection)
        self._free.release()

    def close(self) -> None:
        """Close those that nobody has."""
        with contextlib.suppress(IndexError):
            while True:
                close(self._idle.pop())


def is_lost(connection: Connection) -> bool:
    """Whether there is no session behind it any more."""
    if connection.invalidated:
        return True
    driver: Any = connection.connection.driver_connection
    return bool(driver.closed)


def close(connection: Connection) -> None:
    """Close it for good."""
    connection.invalidate()
    connection.close()
