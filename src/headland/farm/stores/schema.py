"""Bring an instance's store in line with what this Headland knows.

Two things change in time. Migrations are applied once, in order, by Alembic, and say how. The tables of the families
follow the catalogue: what a declaration adds is added, and a column that is new is filled from the documents, since
all that stands beside a document was made from it.
"""

import hashlib
import secrets
from functools import cache
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy import Connection, bindparam

from headland.database.expressions import columns_of, has_relation
from headland.database.upgrade import NewerDatabaseError, migrate, revision
from headland.farm.catalogue import FAMILIES, Family
from headland.farm.catalogue.shape import Stored, whole
from headland.farm.documents.facts import by_column, facts
from headland.farm.documents.places import PLACE_COLUMNS, ensure_index
from headland.farm.documents.tables import metadata, store_table, table_of
from headland.farm.stores.shelf import NewerStoreError

MIGRATIONS = Path(__file__).parent / "migrations"

#: The newest revision; a test holds it to what the migrations say.
HEAD = "0004"

#: Documents that are read at once to fill a column.
_AT_ONCE = 1000


@cache
def fingerprint() -> str:
    """Of the families' tables, as they are declared."""
    lines = [
        f"{table.name} {column.name} {column.type}" for table in metadata.sorted_tables for column in table.c
    ]
    lines += [str(index.name) for table in metadata.sorted_tables for index in table.indexes]
    return hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest()


def is_current(connection: Connection) -> bool:
    """Whether there is nothing to do."""
    if revision(connection) != HEAD:
        return False
    return connection.execute(sa.select(store_table.c.catalogue)).scalar() == fingerprint()


def bring_in_line(connection: Connection) -> None:
    """Do what there is to do, within the caller's transaction. Repeatable.

    Raises:
        NewerStoreError: the store is ahead of this Headland.
    """
    if revision(connection) != HEAD:
        try:
            migrate(connection, MIGRATIONS)
        except NewerDatabaseError as error:
            raise NewerStoreError(f"a later Headland has written the store: {error}") from error
    for family in FAMILIES:
        _follow(connection, family)
    known = connection.execute(sa.update(store_table).values(catalogue=fingerprint())).rowcount
    if not known:
        new = sa.insert(store_table).values(id=1, catalogue=fingerprint(), secret=secrets.token_bytes(32))
        connection.execute(new)


def _follow(connection: Connection, family: Family) -> None:
    table = table_of(family)
    there = columns_of(connection, table.name)
    if not there:
        table.create(connection, checkfirst=False)
        return
    missing = [column for column in table.c if column.name not in there]
    quote = connection.dialect.identifier_preparer.quote
    for column in missing:
        kind = column.type.compile(connection.dialect)
        # Names and types are the declaration's.
        connection.exec_driver_sql(f"ALTER TABLE {quote(table.name)} ADD COLUMN {quote(column.name)} {kind}")
    for index in table.indexes:
        if not has_relation(connection, str(index.name)):
            index.create(connection)
    if family.located:
        ensure_index(connection, table)
    gained = [column.name for column in missing if column.name not in PLACE_COLUMNS]
    if gained:
        _fill(connection, family, gained)


def _fill(connection: Connection, family: Family, names: list[str]) -> None:
    table = table_of(family)
    page = (
        sa.select(table.c.seq, table.c.document, table.c.rest)
        .where(table.c.seq > bindparam("after"))
        .order_by(table.c.seq)
        .limit(_AT_ONCE)
    )
    change = (
        sa.update(table)
        .where(table.c.seq == bindparam("row"))
        .values({name: bindparam(f"new_{name}") for name in names})
    )
    after = 0
    while found := connection.execute(page, {"after": after}).all():
        filled = []
        for seq, document, rest in found:
            known = by_column(family, facts(family, whole(family, Stored(document, rest))))
            filled.append({"row": seq, **{f"new_{name}": known[name] for name in names}})
        connection.execute(change, filled)
        after = found[-1].seq
