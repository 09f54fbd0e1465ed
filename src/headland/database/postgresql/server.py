"""A PostgreSQL server, as one process uses it."""

from contextlib import AbstractContextManager
from functools import partial
from typing import Any

import psycopg
import sqlalchemy as sa
from sqlalchemy import Connection, create_engine
from sqlalchemy.pool import NullPool

from headland.database.postgresql import layout, sessions
from headland.database.postgresql.kept import KeptConnections
from headland.database.postgresql.reach import Reach
from headland.database.postgresql.system import PostgresSystem


class PostgresServer:
    """Connections that all schemas share. Nothing is touched before something is asked for."""

    def __init__(self, url: str, busy_timeout: float, connections: int = 4) -> None:
        """At most so many connections for reads, and as many for writes."""
        self.url = url
        milliseconds = f"{round(busy_timeout * 1000)}ms"
        reading = {"default_transaction_read_only": "on", "statement_timeout": milliseconds}
        writing = {"lock_timeout": milliseconds}
        self._reader, self._writer = (
            Reach(partial(sessions.connect, url, **settings)) for settings in (reading, writing)
        )
        self.engines = _engine(self._reader), _engine(self._writer)
        self.readers, self.writers = (
            KeptConnections(engine, connections, busy_timeout) for engine in self.engines
        )
        self.busy_timeout = busy_timeout

    def main(self) -> PostgresSystem:
        """The main rows; whoever closes them closes the server."""
        return PostgresSystem(self, layout.MAIN_SCHEMA, self.close)

    def schema(self, name: str) -> PostgresSystem:
        """The rows of another schema."""
        return PostgresSystem(self, name)

    def has_schema(self, name: str) -> bool:
        """Whether there is one. Raises DatabaseUnavailableError where nobody knows."""
        found = sa.select(sa.func.to_regnamespace(sa.func.quote_ident(name)))
        return self.main().read(lambda connection: connection.execute(found).scalar()) is not None

    def laying_out(self, name: str, *, create: bool = True) -> AbstractContextManager[Connection]:
        """See `headland.database.postgresql.layout.laying_out`."""
        return layout.laying_out(self.url, name, create=create, patience=self.busy_timeout)

    def ensure_postgis(self) -> None:
        """See `headland.database.postgresql.layout.ensure_postgis`."""
        layout.ensure_postgis(self.url)

    def drop_schema(self, name: str) -> None:
        """See `headland.database.postgresql.layout.drop`."""
        layout.drop(self.url, name, self.busy_timeout)

    def close(self) -> None:
        """Close the connections that nobody uses."""
        for reach in (self._reader, self._writer):
            reach.close()
        for kept in (self.readers, self.writers):
            kept.close()


def _engine(reach: Reach) -> Any:
    return create_engine(
        "postgresql+psycopg://",
        creator=reach.connect,
        module=psycopg,
        poolclass=NullPool,
        isolation_level="AUTOCOMMIT",
        use_native_hstore=False,
    )
