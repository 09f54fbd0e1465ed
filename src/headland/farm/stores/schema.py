"""Bring an instance's store in line with what this Headland knows.

Two things change in time. Steps are taken once, in order, and say how. The tables of the families follow the
catalogue: what a declaration adds is added, and a column that is new is filled from the documents, since all
that stands beside a document was made from it.
"""

import hashlib
import secrets
from collections.abc import Callable, Sequence

import sqlalchemy as sa
from sqlalchemy import Connection, bindparam

from headland.database.sqlite import sqlite_engine
from headland.farm.catalogue import FAMILIES, Family
from headland.farm.catalogue.shape import Stored, whole
from headland.farm.documents.closure import going_table
from headland.farm.documents.facts import facts
from headland.farm.documents.places import PLACE_COLUMNS, ensure_index
from headland.farm.documents.tables import files_table, metadata, store_table, table_of
from headland.farm.work.tables import jobs_table


def _add_jobs(connection: Connection) -> None:
    for table in (jobs_table, going_table):
        table.create(connection, checkfirst=True)


def _add_files(connection: Connection) -> None:
    files_table.create(connection, checkfirst=True)


#: Each is taken by stores that were made before it was written. What is among them stays.
STEPS: Sequence[Callable[[Connection], None]] = (_add_jobs, _add_files)

#: Documents that are read at once to fill a column.
_AT_ONCE = 1000


class NewerStoreError(Exception):
    """The store was written by a later Headland, which this one can't read."""


def fingerprint() -> str:
    """Of the families' tables, as they are declared."""
    lines = [
        f"{table.name} {column.name} {column.type}" for table in metadata.sorted_tables for column in table.c
    ]
    lines += [str(index.name) for table in metadata.sorted_tables for index in table.indexes]
    return hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest()


def upgrade(url: str, busy_timeout: float, *, create: bool = False) -> None:
    """All of it in one transaction. Repeatable, and cheap where there is nothing to do.

    Raises:
        NewerStoreError: the store is ahead of this Headland.
        sqlalchemy.exc.OperationalError: it can't be read or written, or is not there and `create` is not said.
    """
    engine = sqlite_engine(url, busy_timeout, writer=True, create=create)
    try:
        with engine.connect() as connection:
            if _is_current(connection):
                return
            connection.commit()
        with engine.begin() as connection:
            _bring_in_line(connection, url)
    finally:
        engine.dispose()


def _is_current(connection: Connection) -> bool:
    if not sa.inspect(connection).has_table(store_table.name):
        return False
    version, catalogue = connection.execute(sa.select(store_table.c.version, store_table.c.catalogue)).one()
    return (version, catalogue) == (len(STEPS), fingerprint())


def _bring_in_line(connection: Connection, url: str) -> None:
    if not sa.inspect(connection).has_table(store_table.name):
        metadata.create_all(connection)
        secret = secrets.token_bytes(32)
        connection.execute(
            sa.insert(store_table).values(id=1, version=len(STEPS), catalogue=fingerprint(), secret=secret)
        )
        return
    version = connection.execute(sa.select(store_table.c.version)).scalar_one()
    if version > len(STEPS):
        raise NewerStoreError(f"{url} was written by a later Headland")
    for step in STEPS[version:]:
        step(connection)
    for family in FAMILIES:
        _follow(connection, family)
    connection.execute(sa.update(store_table).values(version=len(STEPS), catalogue=fingerprint()))


def _follow(connection: Connection, family: Family) -> None:
    table = table_of(family)
    inspector = sa.inspect(connection)
    if not inspector.has_table(table.name):
        table.create(connection)
        return
    there = {column["name"] for column in inspector.get_columns(table.name)}
    missing = [column for column in table.c if column.name not in there]
    quote = connection.dialect.identifier_preparer.quote
    for column in missing:
        kind = column.type.compile(connection.dialect)
        # Names and types are the declaration's.
        connection.exec_driver_sql(f"ALTER TABLE {quote(table.name)} ADD COLUMN {quote(column.name)} {kind}")
    indexed = {index["name"] for index in inspector.get_indexes(table.name)}
    for index in table.indexes:
        if index.name not in indexed:
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
            known = facts(family, whole(family, Stored(document, rest)))
            filled.append({"row": seq, **{f"new_{name}": known[name] for name in names}})
        connection.execute(change, filled)
        after = found[-1].seq
