"""Rows of files that belong to documents: where each one's bytes are, and which bytes nobody needs any more.

A row is there before the first byte is stored and until the last one is removed, so nothing is ever stored that
nobody knows of.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import sqlalchemy as sa
from sqlalchemy import ColumnElement, Connection

from headland.farm.catalogue import Family
from headland.farm.documents.tables import files_table as table
from headland.farm.documents.tables import key_columns, table_of

if TYPE_CHECKING:
    from headland.farm.documents.rows import Key


class FileState(StrEnum):
    """What becomes of a file's bytes."""

    #: They come in: nobody's yet.
    ARRIVING = "arriving"
    #: They are a document's.
    KEPT = "kept"
    #: They are to be removed.
    LEAVING = "leaving"


@dataclass(frozen=True, slots=True)
class File:
    """The bytes of a document's file."""

    #: Of the blob; no other has it, ever.
    name: str
    size: int
    sha256: bytes


def arrive(connection: Connection, name: str, owner: str) -> None:
    """Bytes come in, which nobody but `owner` has anything to do with."""
    values = {"name": name, "state": FileState.ARRIVING, "owner": owner}
    connection.execute(sa.insert(table).values(values))


def keep(connection: Connection, file: File, family: Family, key: "Key") -> None:
    """They are a document's, in the place of what it had."""
    _let_go(connection, _is_of(family, key))
    change = (
        sa.update(table)
        .where(table.c.name == file.name, table.c.state == FileState.ARRIVING)
        .values(state=FileState.KEPT, family=family.name, size=file.size, sha256=file.sha256, **key._asdict())
    )
    if connection.execute(change).rowcount != 1:
        raise RuntimeError(f"file {file.name} was given up before it was kept")


def abandon(connection: Connection, name: str) -> None:
    """They are nobody's, and will not be."""
    unkept = sa.and_(table.c.name == name, table.c.state == FileState.ARRIVING)
    connection.execute(sa.update(table).where(unkept).values(state=FileState.LEAVING))


def let_go(connection: Connection, family: Family, condition: ColumnElement[bool]) -> None:
    """The documents for whose rows a condition holds need theirs no more."""
    documents = table_of(family)
    within = documents.c.within if family.below else sa.literal("")
    going = sa.select(documents.c.party, within, documents.c.id).where(condition)
    theirs = sa.tuple_(table.c.party, table.c.within, table.c.id).in_(going)
    _let_go(connection, sa.and_(table.c.family == family.name, theirs))


def _let_go(connection: Connection, condition: ColumnElement[bool]) -> None:
    connection.execute(sa.update(table).where(condition).values(state=FileState.LEAVING, family=None))


def _is_of(family: Family, key: "Key") -> ColumnElement[bool]:
    of_key = (table.c[name] == text for name, text in key._asdict().items())
    return sa.and_(table.c.family == family.name, *of_key)


def belongs_to(family: Family) -> ColumnElement[bool]:
    """Joins files to the documents of a family that have them."""
    documents = table_of(family)
    keys = (table.c[name] == documents.c[name] for name in key_columns(family))
    return sa.and_(table.c.family == family.name, *keys)


def find(connection: Connection, family: Family, key: "Key") -> File | None:
    """A document's file, if it has one."""
    columns = table.c.name, table.c.size, table.c.sha256
    found = connection.execute(sa.select(*columns).where(_is_of(family, key))).one_or_none()
    return None if found is None else File(*found)


def unneeded(connection: Connection, limit: int) -> list[tuple[str, str | None]]:
    """Some files that no document has: names, and the owners of those that are just coming in."""
    state = table.c.state
    owner = sa.case((state == FileState.ARRIVING, table.c.owner))
    query = sa.select(table.c.name, owner).where(state.in_((FileState.ARRIVING, FileState.LEAVING)))
    return [(name, owner) for name, owner in connection.execute(query.order_by(table.c.name).limit(limit))]


def forget(connection: Connection, names: list[str]) -> None:
    """Their bytes are removed."""
    connection.execute(sa.delete(table).where(table.c.name.in_(names)))
