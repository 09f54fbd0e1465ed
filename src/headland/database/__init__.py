"""Rows: the engine, transactions, and migrations. What the rows mean is each service's own `store`."""

from headland.database.database import Database
from headland.database.errors import DatabaseUnavailableError
from headland.database.schema import metadata
from headland.database.upgrade import upgrade

__all__ = ["Database", "DatabaseUnavailableError", "metadata", "upgrade"]
