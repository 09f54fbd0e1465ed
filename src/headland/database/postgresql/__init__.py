"""PostgreSQL: one database, in which the main rows and each store of a farm instance have a schema of their own."""

from headland.database.postgresql.layout import MAIN_SCHEMA, laying_out
from headland.database.postgresql.server import PostgresServer

__all__ = ["MAIN_SCHEMA", "PostgresServer", "laying_out"]
