"""Rows of documents: functions that take a connection. Rules are elsewhere."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy import ColumnElement, Connection, bindparam

from headland.database.prepared import Prepared
from headland.farm.catalogue import Family
from headland.farm.catalogue.shape import Stored
from headland.farm.documents import files
from headland.farm.documents.facts import Facts, by_column
from headland.farm.documents.hiding import visible
from headland.farm.documents.places import NOWHERE, PLACE_COLUMNS, Place
from headland.farm.documents.tables import key_columns, table_of

#: Of documents that belong to no party.
NO_PARTY = ""


class Key(NamedTuple):
    """Names one document of a family."""

    party: str
    id: str
    #: Ids of its parents after the party, with slashes between them.
    within: str = ""


class Row(NamedTuple):
    """A document, as it is stored."""

    etag: str
    document: bytes
    rest: bytes | None
    apart: bytes | None = None

    @property
    def stored(self) -> Stored:
        return Stored(self.document, self.rest, self.apart)


class Made(NamedTuple):
    """A document, ready to be stored."""

    row: Row
    facts: Facts
    #: None where it stays where it is.
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class _Statements:
    """What is done with one document of a family."""

    select: Prepared
    exists: Prepared
    insert: Prepared
    update: Prepared
    #: The same, for a document that stays where it is.
    update_in_place: Prepared
    delete: Prepared


@cache
def _statements(family: Family) -> _Statements:
    table = table_of(family)
    names = key_columns(family)
    this = [table.c[name] == bindparam(name) for name in names]
    seen = [*this, visible(family)]
    written = [name for name in written_columns(family) if name not in names]

    def update(changed: Iterable[str]) -> Prepared:
        # Named apart, since SQLAlchemy keeps the names of columns for itself here.
        return Prepared(
            sa.update(table)
            .where(*(table.c[name] == bindparam(f"old_{name}") for name in names))
            .values({n: bindparam(f"new_{n}") for n in changed})
        )

    return _Statements(
        Prepared(sa.select(*read_columns(family)).where(*seen)),
        Prepared(sa.select(table.c.id).where(*seen)),
        Prepared(sa.insert(table).values({n: bindparam(n) for n in written_columns(family)})),
        update(written),
        update(n for n in written if n not in PLACE_COLUMNS),
        Prepared(sa.delete(table).where(*this)),
    )


def read_columns(family: Family) -> Sequence[sa.Column[Any]]:
    """Those that make a `Row`."""
    c = table_of(family).c
    return (c.etag, c.document, c.rest, *((c.apart,) if family.located else ()))


def find(connection: Connection, family: Family, key: Key) -> Row | None:
    """The document with a key."""
    found = _statements(family).select.row(connection, **named(family, key))
    return Row(*found) if found else None


def find_place(connection: Connection, family: Family, key: Key) -> tuple[bytes | None] | None:
    """The geometry of the document with a key, in well-known binary, if it has one; None if there is no document."""
    found = _place(family).row(connection, **named(family, key))
    return (found[0],) if found else None


@cache
def _place(family: Family) -> Prepared:
    table = table_of(family)
    this = [table.c[name] == bindparam(name) for name in key_columns(family)]
    return Prepared(sa.select(table.c.wkb).where(*this, visible(family)))


def exists(connection: Connection, family: Family, key: Key) -> bool:
    """Whether there is a document with a key."""
    return _statements(family).exists.row(connection, **named(family, key)) is not None


def insert(connection: Connection, family: Family, key: Key, made: Made) -> None:
    """Add a document that is not there."""
    _statements(family).insert.rows_by_order(connection, by_order(family, key, made))


def update(connection: Connection, family: Family, key: Key, made: Made) -> None:
    """Replace a document that is there."""
    values = {f"new_{name}": value for name, value in _by_column(family, made).items()}
    old = {f"old_{name}": value for name, value in named(family, key).items()}
    statements = _statements(family)
    statement = statements.update_in_place if made.place is None else statements.update
    statement.rows(connection, **old, **values)


def written_columns(family: Family) -> Sequence[str]:
    """Those of a family's table that are written, in its order."""
    return [column.name for column in table_of(family).c if column.name != "seq"]


def by_order(family: Family, key: Key, made: Made) -> tuple[Any, ...]:
    """A value for each of them."""
    (etag, document, rest, apart), known, place = made
    within = (key.within,) if family.below else ()
    if not family.located:
        return key.party, *within, key.id, etag, document, rest, *known
    *sides, wkb = place or NOWHERE
    return key.party, *within, key.id, etag, document, rest, *known, *sides, apart, wkb


def _by_column(family: Family, made: Made) -> dict[str, Any]:
    row, known, place = made
    return {
        **row._asdict(),
        **by_column(family, known),
        **(place or NOWHERE)._asdict(),
    }


def delete(connection: Connection, family: Family, key: Key) -> None:
    """Remove a document, if it is there."""
    if family.has_file:
        files.let_go(connection, family, is_key(family, key))
    _statements(family).delete.rows(connection, **named(family, key))


def is_key(family: Family, key: Key) -> ColumnElement[bool]:
    """Whether a row is that of the document with a key."""
    table = table_of(family)
    return sa.and_(*(table.c[name] == value for name, value in named(family, key).items()))


def delete_where(connection: Connection, family: Family, condition: ColumnElement[bool]) -> int:
    """Remove all documents for whose rows a condition holds; how many there were."""
    if family.has_file:
        files.let_go(connection, family, condition)
    return connection.execute(sa.delete(table_of(family)).where(condition)).rowcount


def named(family: Family, key: Key) -> dict[str, str]:
    """A key's parts by column."""
    named = {"party": key.party, "id": key.id}
    if family.below:
        named["within"] = key.within
    return named
