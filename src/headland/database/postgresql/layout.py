"""A schema, and what each one has besides the tables of whose it is."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg import sql
from sqlalchemy import Connection, create_engine
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from headland.database.errors import DatabaseUnavailableError
from headland.database.postgresql import sessions
from headland.database.postgresql.errors import one_line

#: Of the main rows. A database is one Headland's.
MAIN_SCHEMA = "headland"

#: The table whose only row changes with each commit, and is locked by who writes.
COMMITS = "commits"

#: Seconds that a change of tables waits for those who read them.
PATIENCE = 30.0

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


#: PostGIS is in whichever schema somebody has put it.
_SEE = """
    SELECT set_config('search_path', quote_ident(%s) || coalesce((
        SELECT ', ' || quote_ident(nspname) FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace
        WHERE extname = 'postgis'
    ), ''), %s)
"""

_POSTGIS = "postgis"


@contextmanager
def laying_out(
    url: str, schema: str, *, create: bool = True, patience: float = PATIENCE
) -> Iterator[Connection]:
    """A transaction in which a schema's tables are made or changed by one at a time; the schema is made if there is
    none, unless `create` says otherwise.

    Raises:
        DatabaseUnavailableError: it can't be.
    """
    with _changing(url, schema, patience) as (connection, driver):
        _enter(driver, schema, create=create)
        yield connection
        _compare_by_code_point(driver)


def see(driver: "psycopg.Connection[Any]", schema: str, *, local: bool = False) -> None:
    """Have a session's statements see a schema's tables and what PostGIS has, and no other store's; `local`, for
    the transaction under way alone.
    """
    driver.execute(_SEE, [schema, local])


def ensure_postgis(url: str) -> None:
    """Have PostGIS in the database.

    Raises:
        DatabaseUnavailableError: it can't be.
    """
    with _changing(url, _POSTGIS, PATIENCE) as (_, driver):
        if driver.execute("SELECT 1 FROM pg_extension WHERE extname = 'postgis'").fetchone() is None:
            try:
                driver.execute("CREATE SCHEMA IF NOT EXISTS postgis")
                driver.execute("CREATE EXTENSION postgis SCHEMA postgis")
            except psycopg.Error as error:
                raise DatabaseUnavailableError(
                    "the farm service needs PostGIS; have a superuser run CREATE EXTENSION postgis in its database "
                    f"({one_line(error)})"
                ) from error


def drop(url: str, schema: str, patience: float = PATIENCE) -> None:
    """Remove a schema with all that is in it, if it is there.

    Raises:
        DatabaseUnavailableError: it can't be.
    """
    with _changing(url, schema, patience) as (_, driver):
        driver.execute(sql.SQL("DROP SCHEMA IF EXISTS {} CASCADE").format(sql.Identifier(schema)))


@contextmanager
def _changing(
    url: str, schema: str, patience: float
) -> "Iterator[tuple[Connection, psycopg.Connection[Any]]]":
    """A transaction that no other one that changes the schema's tables runs beside."""
    # Who waited for a table that a long export reads would hold up everybody who wants to read it next.
    settings = {"lock_timeout": f"{round(patience * 1000)}ms"}
    engine = create_engine(
        "postgresql+psycopg://",
        creator=lambda: sessions.connect(url, **settings),
        module=psycopg,
        poolclass=NullPool,
        use_native_hstore=False,
    )
    try:
        with engine.connect() as connection:
            driver: Any = connection.connection.driver_connection
            driver.autocommit = False
            with connection.begin():
                driver.execute(
                    "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"headland {schema}"]
                )
                yield connection, driver
    except (DBAPIError, psycopg.Error) as error:
        raise DatabaseUnavailableError(one_line(error)) from error


def _enter(driver: "psycopg.Connection[Any]", schema: str, *, create: bool) -> None:
    name = sql.Identifier(schema)
    # Where it exists already, the right to make one is not needed.
    if driver.execute("SELECT to_regnamespace(quote_ident(%s))", [schema]).fetchone() == (None,):
        if not create:
            raise DatabaseUnavailableError(f"there is no schema {schema}")
        driver.execute(sql.SQL("CREATE SCHEMA {}").format(name))
    see(driver, schema, local=True)
    if driver.execute("SELECT to_regclass(%s)", [COMMITS]).fetchone() == (None,):
        for statement in _MAKE_COMMITS:
            driver.execute(statement)


def _compare_by_code_point(driver: "psycopg.Connection[Any]") -> None:
    by_table: dict[str, list[sql.Composed]] = {}
    for table, column, kind in driver.execute(_TEXTS).fetchall():
        # Its type is one of two, and a number.
        change = sql.SQL('ALTER COLUMN {} TYPE {} COLLATE "C"').format(sql.Identifier(column), sql.SQL(kind))
        by_table.setdefault(table, []).append(change)
    for table, changes in by_table.items():
        driver.execute(
            sql.SQL("ALTER TABLE {} {}").format(sql.Identifier(table), sql.SQL(", ").join(changes))
        )
