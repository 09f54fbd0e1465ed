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
        settings = load_settings(home)
        database = Database(database_url(home, settings), settings.database.busy_timeout)
        return cls(home, settings, database, Storage(settings.storage, home.storage))


def database_url(home: Home, settings: Settings) -> str:
    """The database that the settings name, else the one in the home."""
    return settings.database.url or f"sqlite:///{home.database}"
