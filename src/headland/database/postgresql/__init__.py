"""PostgreSQL: one database, in which the main rows and each store of a farm instance have a schema of their own."""

from headland.database.postgresql.layout import MAIN_SCHEMA, laying_out
from headland.database.postgresql.ownership import OtherHomeError, Owner, claim
from headland.database.postgresql.server import PostgresServer
from headland.database.postgresql.sessions import await_server

__all__ = [
    "MAIN_SCHEMA",
    "OtherHomeError",
    "Owner",
    "PostgresServer",
    "await_server",
    "claim",
    "laying_out",
]
