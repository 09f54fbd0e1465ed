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
        names, parameters = _columns(family), _parameters(family, size)
        values = []
        for key, row, facts in documents[start : start + size]:
            parts = {**NOWHERE, **named(family, key), **row._asdict(), **facts}
            values += [parts[name] for name in names]
        statement = _statement(family, connection.dialect.name, size)
        found = statement.rows(connection, **dict(zip(parameters, values, strict=True)))
        inserted.update(Key(*each) for each in found)
        start += size
    return inserted


@cache
def _columns(family: Family) -> tuple[str, ...]:
    return tuple(column.name for column in table_of(family).c if column.name != "seq")


@cache
def _parameters(family: Family, size: int) -> tuple[str, ...]:
    """Names of the parameters of a statement for so many rows, one row after the other."""
    return tuple(f"{name}_{number}" for number in range(size) for name in _columns(family))


@cache
def _statement(family: Family, dialect: str, size: int) -> Prepared:
    table = table_of(family)
    keys = [table.c[name] for name in key_columns(family)]
    insert: Any = (sqlite if dialect == "sqlite" else postgresql).insert(table)
    rows: list[dict[str, Any]] = [
        {name: bindparam(f"{name}_{number}") for name in _columns(family)} for number in range(size)
    ]
    return Prepared(insert.values(rows).on_conflict_do_nothing().returning(*keys))
