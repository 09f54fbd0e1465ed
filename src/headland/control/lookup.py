"""Instances by name, for whoever serves their data."""

from dataclasses import dataclass

from sqlalchemy import Connection

from headland.control.names import key_of
from headland.control.rows import instances
from headland.database import Database


@dataclass(frozen=True, slots=True)
class ServedInstance:
    """An instance whose store is laid out."""

    name: str
    #: Its resource id: the scope of roles on its data.
    id: str
    store_key: str


class Instances:
    """Looks them up, and remembers what it found until something is committed by whatever process."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def find(self, name: str) -> ServedInstance | None:
        """The instance that is called so, in whatever case; None where there is none, or none that is ready.

        Raises:
            DatabaseUnavailableError: it can't be looked up now.
        """
        key = key_of(name)

        def look(connection: Connection) -> ServedInstance | None:
            found = instances.find(connection, key)
            if found is None or not found.ready:
                return None
            return ServedInstance(found.name, found.id, found.store_key)

        return self._database.read_remembered(("instance", key), look)
