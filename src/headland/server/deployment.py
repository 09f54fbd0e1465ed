"""What every process of a deployment opens first: settings, database, storage."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from headland.database import Database
from headland.database.system import is_postgresql
from headland.farm import FileShelf, SchemaShelf, Shelf
from headland.settings import Home, Settings, load_settings
from headland.storage import Storage

if TYPE_CHECKING:
    from headland.database.postgresql import PostgresServer


@dataclass(frozen=True, slots=True)
class Deployment:
    """The ground under a process's services."""

    home: Home
    settings: Settings
    database: Database
    #: Where the stores of farm instances lie.
    shelf: Shelf
    storage: Storage

    @classmethod
    def open(cls, home: Home) -> "Deployment":
        """Open what `serve` has prepared.

        Raises:
            SettingsError: a setting is wrong.
        """
        return cls.of(home, load_settings(home))

    @classmethod
    def of(cls, home: Home, settings: Settings) -> "Deployment":
        """The same with settings that are known. Nothing is touched before something is asked for."""
        database, shelf = _rows_of(home, settings)
        return cls(home, settings, database, shelf, Storage(settings.storage, home.storage))


def database_url(home: Home, settings: Settings) -> str:
    """The database that the settings name, else the one in the home."""
    return settings.database.url or f"sqlite:///{home.database}"


def postgres_server(home: Home, settings: Settings) -> "PostgresServer | None":
    """The server of the database that the settings name, if it is PostgreSQL's."""
    url = database_url(home, settings)
    if not is_postgresql(url):
        return None
    from headland.database.postgresql import PostgresServer  # noqa: PLC0415 - few need its driver

    return PostgresServer(url, settings.database.busy_timeout, settings.database.connections)


def _rows_of(home: Home, settings: Settings) -> tuple[Database, Shelf]:
    url, busy_timeout = database_url(home, settings), settings.database.busy_timeout
    server = postgres_server(home, settings)
    if server is None:
        return Database(url, busy_timeout), FileShelf(home.farm, busy_timeout)
    return Database(url, busy_timeout, system=server.main()), SchemaShelf(server)
