"""What every process of a deployment opens first: settings, database, storage."""

from dataclasses import dataclass

from headland.database import Database
from headland.settings import Home, Settings, load_settings
from headland.storage import Storage


@dataclass(frozen=True, slots=True)
class Deployment:
    """The ground under a process's services."""

    home: Home
    settings: Settings
    database: Database
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
        database = Database(database_url(home, settings), settings.database.busy_timeout)
        return cls(home, settings, database, Storage(settings.storage, home.storage))


def database_url(home: Home, settings: Settings) -> str:
    """The database that the settings name, else the one in the home."""
    return settings.database.url or f"sqlite:///{home.database}"
