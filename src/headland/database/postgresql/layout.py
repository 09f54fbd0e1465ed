"""A schema, and what each one has besides the tables of whose it is."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg import sql
from sqlalchemy import Connection, create_engine
from sqlalchemy.pool import NullPool

from headland.database.postgresql import sessions

#: Of the main rows. A database is one Headland's.
MAIN_SCHEMA = "headland"

#: The table whose only row changes with each commit, and is locked by who writes.
COMMITS = "commits"

_MAKE_COMMITS = (
    f"CREATE TABLE {COMMITS} (single boolean PRIMARY KEY DEFAULT true CHECK (single), mark uuid NOT NULL)",
    f"INSERT INTO {COMMITS} (mark) VALUES (gen_random_uuid())",  # noqa: S608 - a constant
)

#: Text is compared by code point, as in SQLite, whatever the database's own order: of its columns those that aren't.
_TEXTS = """
    SELECT table_name, column_name, CASE WHEN data_type = 'text' THEN data_type
        ELSE data_type || coalesce('(' || character_maximum_length || ')', '') END
    FROM information_schema.columns
    WHERE table_schema = current_schema AND data_type IN ('text', 'character varying')
    AND collation_name IS DISTINCT FROM 'C' AND table_name <> 'alembic_version'
"""


@contextmanager
def laying_out(url: str, schema: str) -> Iterator[Connection]:
    """A transaction in which a schema's tables are made or changed by one at a time; the schema is made if there is
    none.

    Raises:
        sqlalchemy.exc.DBAPIError: it can't be.
    """
    engine = create_engine(
        "postgresql+psycopg://",
        creator=lambda: sessions.connect(url),
        module=psycopg,
        poolclass=NullPool,
        use_native_hstore=False,
    )
    with engine.connect() as connection:
        driver: Any = connection.connection.driver_connection
        driver.autocommit = False
        with connection.begin():
            _enter(driver, schema)
            yield connection
            _compare_by_code_point(driver)


def _enter(driver: "psycopg.Connection[Any]", schema: str) -> None:
    driver.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"headland {schema}"])
    name = sql.Identifier(schema)
    # Where it exists already, the right to make one is not needed.
    if driver.execute("SELECT to_regnamespace(quote_ident(%s))", [schema]).fetchone() == (None,):
        driver.execute(sql.SQL("CREATE SCHEMA {}").format(name))
    driver.execute(sql.SQL("SET LOCAL search_path TO {}").format(name))
    if driver.execute("SELECT to_regclass(%s)", [COMMITS]).fetchone() == (None,):
        for statement in _MAKE_COMMITS:
            driver.execute(statement)


def _compare_by_code_point(driver: "psycopg.Connection[Any]") -> None:
    change = sql.SQL('ALTER TABLE {} ALTER COLUMN {} TYPE {} COLLATE "C"')
    for table, column, kind in driver.execute(_TEXTS).fetchall():
        # Its type is one of two, and a number.
        driver.execute(change.format(sql.Identifier(table), sql.Identifier(column), sql.SQL(kind)))
