"""Bring a database to the newest revision. Alembic is imported only where there is something to do."""

from pathlib import Path

from sqlalchemy import Connection, Engine

from headland.database.sqlite import sqlite_engine

MIGRATIONS = Path(__file__).parent / "migrations"

#: The newest revision; a test holds it to what the migrations say.
HEAD = "0005"


class NewerDatabaseError(Exception):
    """The database was written by a later Headland, which this one can't read."""


def upgrade(url: str) -> None:
    """Apply the migrations that the database lacks, all in one transaction; make it if there is none.

    Raises:
        NewerDatabaseError: its revision is unknown here.
    """
    engine = sqlite_engine(url, busy_timeout=30.0, writer=True, create=True)
    try:
        if _revision(engine) != HEAD:
            _migrate(engine)
    finally:
        engine.dispose()


def _revision(engine: Engine) -> str | None:
    with engine.begin() as connection:
        # In SQLite's words: what SQLAlchemy needs to look at any database's tables takes 20 ms to import.
        known = connection.exec_driver_sql(
            "SELECT 1 FROM sqlite_master WHERE name = 'alembic_version'"
        ).scalar()
        if known is None:
            return None
        return connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()


def _migrate(engine: Engine) -> None:
    from alembic import command  # noqa: PLC0415 - a start with nothing to migrate need not pay for it
    from alembic.config import Config  # noqa: PLC0415
    from alembic.util.exc import CommandError  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.set_main_option("path_separator", "os")
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        try:
            command.upgrade(config, "head")
        except CommandError as error:
            raise NewerDatabaseError(f"{engine.url.database}: {error}") from error


def connection_of(config_attributes: dict[str, object]) -> Connection:
    """The connection that `upgrade` handed to the migration environment."""
    connection = config_attributes["connection"]
    if not isinstance(connection, Connection):
        raise TypeError("migrations run through headland.database.upgrade")
    return connection
