"""Insert many documents at once."""

from collections.abc import Sequence
from functools import cache
from itertools import starmap
from typing import Any

from sqlalchemy import Connection, bindparam
from sqlalchemy.dialects import postgresql, sqlite

from headland.database.prepared import Prepared
from headland.farm.catalogue import Family
from headland.farm.documents.rows import Key, Made, by_order, written_columns
from headland.farm.documents.tables import key_columns, table_of

#: Rows of one statement; what is left over is inserted by halves of it. Another interpreter's lock is taken for each
#: statement and not for each row, for which an import would wait again and again while requests are answered.
MOST_AT_ONCE = 64


def insert_new(connection: Connection, family: Family, documents: Sequence[tuple[Key, Made]]) -> set[Key]:
    """Insert those documents that are not there, the first of those that have one key; the keys of these."""
    inserted: set[Key] = set()
    start, size = 0, MOST_AT_ONCE
    while start < len(documents):
        while size > len(documents) - start:
            size //= 2
        some = documents[start : start + size]
        values: list[Any] = []
        for key, made in some:
            values += by_order(family, key, made)
        found = _statement(family, connection.dialect.name, size).rows_by_order(connection, values)
        if len(found) == len(some):
            inserted.update(key for key, _ in some)
        else:
            inserted.update(starmap(Key, found))
        start += size
    return inserted


@cache
def _statement(family: Family, dialect: str, size: int) -> Prepared:
    table = table_of(family)
    keys = [table.c[name] for name in key_columns(family)]
    insert: Any = (sqlite if dialect == "sqlite" else postgresql).insert(table)
    rows: list[dict[str, Any]] = [
        {name: bindparam(f"{name}_{number}") for name in written_columns(family)} for number in range(size)
    ]
    return Prepared(insert.values(rows).on_conflict_do_nothing().returning(*keys))
