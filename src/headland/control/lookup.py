"""Instances by name, for whoever serves their data."""

from headland.control.names import key_of
from headland.control.records import Instance
from headland.control.rows import instances
from headland.database import Database


class Instances:
    """Looks them up, and remembers what it found until something is committed by whatever process."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def find(self, name: str) -> Instance | None:
        """The instance that is called so, in whatever case, and whatever has become of its store.

        Raises:
            DatabaseUnavailableError: it can't be looked up now.
        """
        key = key_of(name)
        return self._database.read_remembered(
            ("instance", key), lambda connection: instances.find(connection, key)
        )

    def all(self) -> list[Instance]:
        """Every instance, by name.

        Raises:
            DatabaseUnavailableError: they can't be looked up now.
        """
        return self._database.read(instances.everywhere)
