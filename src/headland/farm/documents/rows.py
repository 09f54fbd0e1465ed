"""Rows of documents: functions that take a connection. Rules are elsewhere."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy import Connection, bindparam

from headland.database.prepared import Prepared
from headland.farm.catalogue import FAMILIES, Family
from headland.farm.catalogue.shape import Stored
from headland.farm.documents.tables import table_of

#: Of documents that belong to no party.
NO_PARTY = ""


class Key(NamedTuple):
    """Names one document of a family."""

    party: str
    id: str


class Row(NamedTuple):
    """A document, as it is stored."""

    etag: str
    document: bytes
    rest: bytes | None

    @property
    def stored(self) -> Stored:
        return Stored(self.document, self.rest)


@dataclass(frozen=True, slots=True)
class _Statements:
    """What is done with one document of a family."""

    select: Prepared
    exists: Prepared
    insert: Prepared
    update: Prepared
    delete: Prepared


@cache
def _statements(family: Family) -> _Statements:
    table = table_of(family)
    this = (table.c.party == bindparam("party"), table.c.id == bindparam("id"))
    written = [c.name for c in table.c if c.name not in {"seq", "party", "id"}]
    return _Statements(
        Prepared(sa.select(table.c.etag, table.c.document, table.c.rest).where(*this)),
        Prepared(sa.select(table.c.id).where(*this)),
        Prepared(
            sa.insert(table).values(
                party=bindparam("party"), id=bindparam("id"), **{n: bindparam(n) for n in written}
            )
        ),
        # Named apart, since SQLAlchemy keeps the names of columns for itself here.
        Prepared(
            sa.update(table)
            .where(table.c.party == bindparam("of_party"), table.c.id == bindparam("with_id"))
            .values({n: bindparam(f"new_{n}") for n in written})
        ),
        Prepared(sa.delete(table).where(*this)),
    )


def find(connection: Connection, family: Family, key: Key) -> Row | None:
    """The document with a key."""
    found = _statements(family).select.row(connection, party=key.party, id=key.id)
    return Row(*found) if found else None


def exists(connection: Connection, family: Family, key: Key) -> bool:
    """Whether there is a document with a key."""
    return _statements(family).exists.row(connection, party=key.party, id=key.id) is not None


def insert(connection: Connection, family: Family, key: Key, row: Row, facts: Mapping[str, Any]) -> None:
    """Add a document that is not there."""
    values = {**row._asdict(), **facts}
    _statements(family).insert.rows(connection, party=key.party, id=key.id, **values)


def update(connection: Connection, family: Family, key: Key, row: Row, facts: Mapping[str, Any]) -> None:
    """Replace a document that is there."""
    values = {f"new_{name}": value for name, value in ({**row._asdict(), **facts}).items()}
    _statements(family).update.rows(connection, of_party=key.party, with_id=key.id, **values)


def delete(connection: Connection, family: Family, key: Key) -> None:
    """Remove a document, if it is there."""
    _statements(family).delete.rows(connection, party=key.party, id=key.id)


class User(NamedTuple):
    """A document that refers to another one."""

    family: Family
    id: str


@dataclass(frozen=True, slots=True)
class _Use:
    family: Family
    select: Prepared


@cache
def _uses(family: Family) -> tuple[_Use, ...]:
    found = []
    for other in FAMILIES:
        table = table_of(other)
        if family.name == "parties" and other.of_party:
            used = table.c.party == bindparam("id")
            found.append(_Use(other, Prepared(sa.select(table.c.id).where(used).limit(1))))
        for reference in other.references:
            if reference.to == family.name:
                used = sa.and_(
                    table.c[reference.attribute] == bindparam("id"),
                    table.c.party == bindparam("party") if family.of_party else sa.true(),
                )
                found.append(_Use(other, Prepared(sa.select(table.c.id).where(used).limit(1))))
    return tuple(found)


def user_of(connection: Connection, family: Family, key: Key) -> User | None:
    """A document that forbids to delete this one."""
    for use in _uses(family):
        found = use.select.row(connection, party=key.party, id=key.id)
        if found:
            return User(use.family, found[0])
    return None
