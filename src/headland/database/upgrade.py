"""Bring a database to the newest revision. Alembic is imported only where there is something to do."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection

from headland.database.expressions import has_relation
from headland.database.sqlite import sqlite_engine
from headland.database.system import is_postgresql, shown

MIGRATIONS = Path(__file__).parent / "migrations"

#: The newest revision; a test holds it to what the migrations say.
HEAD = "0012"

#: Seconds that a start waits for another's upgrade.
_BUSY_TIMEOUT = 30.0


class NewerDatabaseError(Exception):
    """The database was written by a later Headland, which this one can't read."""


def upgrade(url: str, issuers: Sequence[tuple[str, str | None]] = ()) -> None:
    """Apply the migrations that the main rows lack, all in one transaction; make them if there are none.

    Args:
        issuers: the issuers elsewhere whose tokens are taken, each with the tenant that it was given.

    Raises:
        NewerDatabaseError: their revision is unknown here.
        DatabaseUnavailableError, sqlalchemy.exc.DBAPIError: the database can't be read or written.
    """
    with _changing(url) as connection:
        if revision(connection) != HEAD:
            try:
                migrate(connection, MIGRATIONS, issuers=issuers)
            except NewerDatabaseError as error:
                raise NewerDatabaseError(f"{shown(url)}: {error}") from error


@contextmanager
def _changing(url: str) -> Iterator[Connection]:
    if is_postgresql(url):
        from headland.database.postgresql import MAIN_SCHEMA, laying_out  # noqa: PLC0415 - few need its driver

        with laying_out(url, MAIN_SCHEMA) as connection:
            yield connection
        return
    engine = sqlite_engine(url, _BUSY_TIMEOUT, writer=True, create=True)
    try:
        with engine.begin() as connection:
            yield connection
    finally:
        engine.dispose()


def revision(connection: Connection) -> str | None:
    """The revision that Alembic has left; None where it never was."""
    if not has_relation(connection, "alembic_version"):
        return None
    return connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()


def migrate(connection: Connection, migrations: Path, **known: object) -> None:
    """Apply the migrations of a folder that the tables in the connection's sight lack; `known` is for them.

    Raises:
        NewerDatabaseError: their revision is not among those.
    """
    from alembic import command  # noqa: PLC0415 - a start with nothing to migrate need not pay for it
    from alembic.config import Config  # noqa: PLC0415
    from alembic.util.exc import CommandError  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(migrations).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes.update(connection=connection, **known)
    try:
        command.upgrade(config, "head")
    except CommandError as error:
        raise NewerDatabaseError(str(error)) from error


def connection_of(config_attributes: dict[str, object]) -> Connection:
    """The connection that `migrate` handed to the migration environment."""
    connection = config_attributes["connection"]
    if not isinstance(connection, Connection):
        raise TypeError("migrations run through headland.database.upgrade")
    return connection
