"""SQLite engines: write-ahead log, durable commits, explicit transactions."""

import sqlite3
from typing import Any
from urllib.parse import quote

from sqlalchemy import Connection, Engine, create_engine, event, make_url
from sqlalchemy.pool import QueuePool


def sqlite_engine(url: str, busy_timeout: float, *, writer: bool, create: bool = False) -> Engine:
    """An engine of which each connection waits `busy_timeout` seconds for another process's write.

    A writer's transactions begin with `BEGIN IMMEDIATE`: a transaction that reads and then writes would
    otherwise fail at once where another process wrote in between, however long the timeout. A reader's
    statements stand for themselves unless it begins a transaction by itself, which costs as much again.

    Only where `create` says so is a missing file made: an empty one in the place of a database that is away
    for a while would be taken for it.
    """
    file = f"file:{quote(make_url(url).database or '')}?mode={'rwc' if create else 'rw'}"

    def connect() -> sqlite3.Connection:
        return sqlite3.connect(
            file, uri=True, check_same_thread=False, timeout=busy_timeout, isolation_level=None
        )

    engine = create_engine(
        url,
        creator=connect,
        poolclass=QueuePool,
        pool_size=1 if writer else 4,
        max_overflow=0 if writer else 16,
    )

    @event.listens_for(engine, "connect")
    def _connected(connection: Any, _record: Any) -> None:
        cursor = connection.cursor()
        cursor.execute("PRAGMA journal_mode = WAL")
        # An acknowledged row must survive a power cut, not only a crash of the process.
        cursor.execute("PRAGMA synchronous = FULL")
        cursor.execute("PRAGMA foreign_keys = ON")
        if not writer:
            cursor.execute("PRAGMA query_only = ON")
        cursor.close()

    if writer:

        @event.listens_for(engine, "begin")
        def _began(connection: Connection) -> None:
            connection.exec_driver_sql("BEGIN IMMEDIATE")

    return engine
