"""SQLite's own durable commits of rows like Headland's."""

import sqlite3
import time
from contextlib import closing
from pathlib import Path

COMMITS = "SQLite commit of an equal row (WAL, synchronous=FULL)"


def equal_database(headland: Path, file: Path, table: str) -> sqlite3.Connection:
    """A database in `file` with the same table, indexes, durability and rows."""
    connection = sqlite3.connect(file, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    with closing(sqlite3.connect(headland)) as source:
        for (statement,) in source.execute(
            "SELECT sql FROM sqlite_master WHERE tbl_name = ? AND type IN ('table', 'index') AND sql IS NOT NULL "
            "ORDER BY type DESC",
            (table,),
        ):
            connection.execute(statement)
        rows = source.execute(f"SELECT * FROM {table}")  # noqa: S608 - a table's name
        width = len(rows.description)
        connection.execute("BEGIN")
        connection.executemany(_insert(table, width), rows)
        connection.execute("COMMIT")
    return connection


def commits(connection: sqlite3.Connection, table: str, count: int, unique: str) -> list[float]:
    """Seconds for each commit of a row like the last one, but for its number and the column `unique`."""
    rows = connection.execute(f"SELECT * FROM {table} ORDER BY 1 DESC LIMIT 1")  # noqa: S608
    names = [column[0] for column in rows.description]
    last, taken = rows.fetchone(), []
    statement, place = _insert(table, len(last)), names.index(unique)
    for number in range(last[0] + 1, last[0] + 1 + count):
        values = [number, *last[1:]]
        values[place] = f"{number:032x}"
        began = time.perf_counter()
        connection.execute("BEGIN IMMEDIATE")
        connection.execute(statement, values)
        connection.execute("COMMIT")
        taken.append(time.perf_counter() - began)
    return taken


def _insert(table: str, columns: int) -> str:
    return f"INSERT INTO {table} VALUES ({', '.join('?' * columns)})"  # noqa: S608 - question marks and no more
