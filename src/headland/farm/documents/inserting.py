"""Insert many documents at once."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from sqlalchemy import Connection, bindparam
from sqlalchemy.dialects import postgresql, sqlite

from headland.database.prepared import Prepared
from headland.farm.catalogue import Family
from headland.farm.documents.places import NOWHERE
from headland.farm.documents.rows import Key, Row, named
from headland.farm.documents.tables import key_columns, table_of

#: Rows of one statement; what is left over is inserted by halves of it. Another interpreter's lock is taken for each
#: statement and not for each row, for which an import would wait again and again while requests are answered.
MOST_AT_ONCE = 64

#: A document's key, its row, and what is kept beside it.
New = tuple[Key, Row, Mapping[str, Any]]


def insert_new(connection: Connection, family: Family, documents: Sequence[New]) -> set[Key]:
    """Insert those documents that are not there, the first of those that have one key; the keys of these."""
    inserted: set[Key] = set()
    start, size = 0, MOST_AT_ONCE
    while start < len(documents):
        while size > len(documents) - start:
            size //= 2
        values = {
            f"{name}_{number}": value
            for number, (key, row, facts) in enumerate(documents[start : start + size])
            for part in (NOWHERE, named(family, key), row._asdict(), facts)
            for name, value in part.items()
        }
        found = _statement(family, connection.dialect.name, size).rows(connection, **values)
        inserted.update(Key(*each) for each in found)
        start += size
    return inserted


@cache
def _statement(family: Family, dialect: str, size: int) -> Prepared:
    table = table_of(family)
    names = [column.name for column in table.c if column.name != "seq"]
    keys = [table.c[name] for name in key_columns(family)]
    insert: Any = (sqlite if dialect == "sqlite" else postgresql).insert(table)
    rows: list[dict[str, Any]] = [
        {name: bindparam(f"{name}_{number}") for name in names} for number in range(size)
    ]
    return Prepared(insert.values(rows).on_conflict_do_nothing().returning(*keys))
