"""Stores as schemas of a PostgreSQL database."""

import re
from typing import TYPE_CHECKING

from headland.database import Database, DatabaseUnavailableError
from headland.farm.stores.schema import bring_in_line, is_current
from headland.farm.stores.shelf import StoreKeyError

if TYPE_CHECKING:
    from headland.database.postgresql import PostgresServer

#: Keys of stores become parts of names, of which PostgreSQL takes 63 bytes.
_KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9_\-]{0,56}")


class SchemaShelf:
    """`headland.farm.stores.shelf.Shelf`: schemas of a server's database, each with the tables of one store."""

    def __init__(self, server: "PostgresServer") -> None:
        """Nothing is touched before something is asked for."""
        self._server = server

    def prepare(self) -> None:
        """Have what its stores need. Raises DatabaseUnavailableError."""
        self._server.ensure_postgis()

    def lay_out(self, key: str) -> None:
        with self._server.laying_out(schema_of(key)) as connection:
            if not is_current(connection):
                bring_in_line(connection)

    def has(self, key: str) -> bool:
        return self._server.has_schema(schema_of(key))

    def remove(self, key: str) -> None:
        self._server.drop_schema(schema_of(key))

    def open(self, key: str, most_remembered: int) -> Database:
        schema = schema_of(key)
        if not self._server.has_schema(schema):
            raise DatabaseUnavailableError(f"there is no store {key}")
        database = Database(self._server.url, 0.0, most_remembered, self._server.schema(schema))
        try:
            if not database.read(is_current):
                with self._server.laying_out(schema, create=False) as connection:
                    bring_in_line(connection)
        except BaseException:
            database.close()
            raise
        return database


def schema_of(key: str) -> str:
    """The schema of a store.

    Raises:
        StoreKeyError: the key can't be part of its name.
    """
    if _KEY.fullmatch(key) is None:
        raise StoreKeyError(f"{key!r} can't name a store")
    return f"farm_{key}"
