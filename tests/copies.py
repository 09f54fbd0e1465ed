"""Copies of a PostgreSQL database that are put back as they were and used again, since a new one takes it thirty times
as long: a file for each table and index.
"""

from dataclasses import dataclass, field

import psycopg
from psycopg import sql
from psycopg.abc import Query

from tests.postgres import Cluster

#: Another one after whatever has changed what tables and functions there are. What ANALYZE writes there is overwritten
#: in place, and counts as no change.
_SHAPE = " UNION ALL ".join(
    f"SELECT count(*), sum(xmin::text::bigint) FROM {catalog}"  # noqa: S608 - as they stand here
    for catalog in ("pg_class", "pg_attribute", "pg_constraint", "pg_namespace", "pg_proc", "pg_trigger")
)

_TABLES = """
SELECT schemaname, tablename FROM pg_tables
WHERE schemaname NOT IN ('pg_catalog', 'information_schema') AND tablename <> 'spatial_ref_sys'
"""
_COUNTERS = "SELECT schemaname, sequencename, last_value FROM pg_sequences"

_END_OTHERS = """
SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid()
"""


@dataclass(frozen=True, slots=True)
class _Before:
    """What a copy had in it when it was made."""

    shape: list[tuple[int, int]]
    rows: dict[tuple[str, str], bytes]
    counters: dict[tuple[str, str], int | None]


@dataclass(slots=True)
class Copies:
    """Those of one database."""

    server: Cluster
    template: str
    _idle: list[str] = field(default_factory=list)
    _before: dict[str, _Before] = field(default_factory=dict)

    def take(self) -> str:
        """The URL of one that nobody else has."""
        if self._idle:
            return self._idle.pop()
        url = self.server.database(self.template)
        with psycopg.connect(url, autocommit=True) as connection:
            rows = {name: _out(connection, name) for name in connection.execute(_TABLES).fetchall()}
            counters = {(schema, name): last for schema, name, last in connection.execute(_COUNTERS)}
            self._before[url] = _Before(connection.execute(_SHAPE).fetchall(), rows, counters)
        return url

    def give_back(self, url: str) -> None:
        """Put it back as it was; one that has got other tables, or is gone, is not used again."""
        try:
            with psycopg.connect(url, autocommit=True) as connection:
                connection.execute(_END_OTHERS)
                fits = connection.execute(_SHAPE).fetchall() == self._before[url].shape
                if fits:
                    _put_back(connection, self._before[url])
        except psycopg.Error:
            fits = False
        if fits:
            self._idle.append(url)
        else:
            self.server.drop(url)


def _put_back(connection: psycopg.Connection, before: _Before) -> None:
    # Neither triggers nor foreign keys have a say.
    connection.execute("SET session_replication_role = replica")
    statements: list[sql.Composable] = [
        sql.SQL("DELETE FROM {}").format(sql.Identifier(*name)) for name in before.rows
    ]
    for name, last in before.counters.items():
        value = sql.SQL("1, false") if last is None else sql.Literal(last)
        counter = sql.Literal(sql.Identifier(*name).as_string(connection))
        statements.append(sql.SQL("SELECT setval({}, {})").format(counter, value))
    with connection.transaction():
        connection.execute(sql.SQL("; ").join(statements))
        for name, rows in before.rows.items():
            if rows:
                with connection.cursor().copy(_copy(name, "FROM STDIN")) as copy:
                    copy.write(rows)


def _out(connection: psycopg.Connection, name: tuple[str, str]) -> bytes:
    with connection.cursor().copy(_copy(name, "TO STDOUT")) as copy:
        return b"".join(bytes(piece) for piece in copy)


def _copy(name: tuple[str, str], way: str) -> Query:
    return sql.SQL("COPY {} {}").format(sql.Identifier(*name), sql.SQL(way))
