"""A document with all that is linked to it: what a cascade takes away, in one transaction."""

from collections.abc import Mapping

import sqlalchemy as sa
from sqlalchemy import ColumnElement, Connection

from headland.farm.catalogue import FAMILIES, PARTIES, Family
from headland.farm.catalogue.references import ByType, Reference
from headland.farm.documents import rows
from headland.farm.documents.rows import Key
from headland.farm.documents.tables import metadata, table_of

#: What a cascade has found, while it lasts: empty whenever somebody else looks.
going_table = sa.Table(
    "going",
    metadata,
    sa.Column("family", sa.Text, primary_key=True),
    sa.Column("seq", sa.BigInteger, primary_key=True),
    sa.Column("id", sa.Text, nullable=False),
    sa.Column("within", sa.Text, nullable=False),
)

#: Numbers of deleted documents by family.
Counts = Mapping[Family, int]


def delete_with_linked(connection: Connection, family: Family, key: Key) -> Counts:
    """Remove a document, and every one that refers to it or to another one that is removed."""
    if family is PARTIES:
        return _delete_party(connection, key.id)
    going = going_table
    _add(connection, family, rows.is_key(family, key))
    grown = {family}
    while grown:
        target = grown.pop()
        for other, reference, word in referring_to(target):
            if _add(connection, other, _refers(other, reference, word, target, key.party)):
                grown.add(other)
    counts = {}
    for each in FAMILIES:
        numbers = sa.select(going.c.seq).where(going.c.family == each.name)
        counts[each] = rows.delete_where(connection, each, table_of(each).c.seq.in_(numbers))
    connection.execute(sa.delete(going))
    return counts


def referring_to(family: Family) -> list[tuple[Family, Reference, str | None]]:
    """Which families refer to one by which members; and what the member says beside it that tells families apart."""
    return [
        (other, reference, reference.families[family.name])
        for other in FAMILIES
        for reference in other.references
        if family.name in reference.families
    ]


def _delete_party(connection: Connection, party: str) -> Counts:
    counts = {
        each: rows.delete_where(connection, each, table_of(each).c.party == party)
        for each in FAMILIES
        if each.of_party
    }
    key = Key(rows.NO_PARTY, party)
    return counts | {PARTIES: rows.delete_where(connection, PARTIES, rows.is_key(PARTIES, key))}


def _add(connection: Connection, family: Family, condition: ColumnElement[bool]) -> int:
    """Note the documents that a condition holds for; how many were not noted yet."""
    table, going = table_of(family), going_table
    known = sa.select(going.c.seq).where(going.c.family == family.name)
    within = table.c.within if family.below else sa.literal("")
    found = sa.select(sa.literal(family.name), table.c.seq, table.c.id, within)
    found = found.where(condition, table.c.seq.not_in(known))
    columns = ["family", "seq", "id", "within"]
    return connection.execute(sa.insert(going).from_select(columns, found)).rowcount


def _refers(
    other: Family, reference: Reference, word: str | None, target: Family, party: str
) -> ColumnElement[bool]:
    table, going = table_of(other), going_table
    named = sa.select(going.c.id).where(going.c.family == target.name)
    if target.below:
        named = named.where(going.c.within == table.c.within)
    conditions = [
        table.c[reference.attribute].in_(named),
        # By a function, so that SQLite does not look through the whole party, but where the references are.
        sa.func.coalesce(table.c.party, "") == party,
    ]
    if isinstance(reference.to, ByType):
        conditions.append(table.c[reference.to.attribute] == word)
    return sa.and_(*conditions)
