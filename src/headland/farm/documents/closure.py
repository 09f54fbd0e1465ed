"""A document with all that is linked to it, as a cascade takes it away: noted first, then hidden by one change.

What belongs to a party is told by the party's id, and needs no notes. Everything else is found by references, from
each document that was noted to those that refer to it. What is noted is written no more (`admission`), and nothing
comes to refer to it, so that nothing is missing when all of it was followed.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy import ColumnElement, Connection, bindparam
from sqlalchemy.dialects import postgresql, sqlite

from headland.database.expressions import unsought
from headland.database.prepared import Prepared, Values
from headland.farm.catalogue import BY_NAME, FAMILIES, PARTIES, Family
from headland.farm.catalogue.references import ByType, Reference
from headland.farm.documents import rows
from headland.farm.documents.hiding import cascades_table, going_table
from headland.farm.documents.rows import Key
from headland.farm.documents.tables import table_of

#: Documents that are noted in one transaction, documents that are followed in it, and questions that are asked for
#: them: some milliseconds' worth.
MOST_NOTED, MOST_FOLLOWED, MOST_ASKED = 250, 1000, 1000

#: Numbers of documents by family.
Counts = Mapping[Family, int]


class Position(NamedTuple):
    """How far was looked for what refers to the documents that are noted."""

    #: Of the document that is followed, in `going`.
    number: int = 0
    #: Of the members by which others refer to it (`referring_to`).
    way: int = 0
    #: The last row that refers to it by this member.
    after: int = 0


class Extent(NamedTuple):
    """What a party has of a family."""

    #: Documents.
    documents: int
    #: Number of the last row of the family's table, whosever it is.
    last: int


def referring_to(family: Family) -> Sequence[tuple[Family, Reference, str | None]]:
    """Which families refer to one by which members; and what the member says beside it that tells families apart."""
    return [
        (other, reference, reference.families[family.name])
        for other in FAMILIES
        for reference in other.references
        if family.name in reference.families
    ]


def begin(connection: Connection, family: Family, key: Key) -> bool:
    """Note a document that is to go, unless that was done before; whether it is there. It is no party, and nothing of
    an earlier cascade is left.
    """
    if connection.execute(sa.select(cascades_table.c.party)).first() is not None:
        return True
    table = table_of(family)
    number = connection.execute(sa.select(table.c.seq).where(rows.is_key(family, key))).scalar()
    if number is None:
        return False
    _add(connection, family, key, effective=False)
    _note(connection, family, [(number, key.id, key.within)])
    return True


def trace(connection: Connection, position: Position) -> Position | None:
    """Note some more of what refers to documents that are noted; from where to go on, or None when all is noted."""
    party, followed = connection.execute(sa.select(cascades_table.c.party, cascades_table.c.followed)).one()
    left, asked = MOST_NOTED, 0
    others: dict[Family, bool] = {}
    found = _following().rows(connection, number=followed, limit=MOST_FOLLOWED)
    for number, name, text, within in found:
        start = position if position.number == number else Position(number)
        for way, (other, statement) in enumerate(_ways(BY_NAME[name])):
            if other not in others:
                others[other] = _of_party(other).row(connection, party=party) is not None
            if way < start.way or not others[other]:
                continue
            after = start.after if way == start.way else 0
            some = statement.rows(connection, id=text, party=party, within=within, after=after, limit=left)
            _note(connection, other, some)
            left, asked = left - len(some), asked + 1
            if not left:
                _remember(connection, followed)
                return Position(number, way, some[-1][0])
        followed = number
        if asked >= MOST_ASKED:
            break
    _remember(connection, followed)
    return Position(followed) if found else None


def noted(connection: Connection) -> Counts:
    """How many documents are noted."""
    of = going_table.c.family
    found = connection.execute(sa.select(of, sa.func.count()).group_by(of))
    counts = {str(name): int(count) for name, count in found}
    return {family: counts[family.name] for family in FAMILIES if family.name in counts}


def hide_noted(connection: Connection) -> None:
    """Nobody sees what is noted any more."""
    connection.execute(sa.update(cascades_table).values(effective=True))


def extents(connection: Connection, party: str) -> Mapping[Family, Extent]:
    """What a party has, to be counted before it is hidden."""
    return {
        family: Extent(*_extent(family).rows(connection, party=party)[0])
        for family in FAMILIES
        if family.of_party
    }


def hide_party(connection: Connection, party: str, before: Mapping[Family, Extent]) -> Counts:
    """Remove a party, and hide all that it has; how many documents these are. `before` saves the time for counting
    those that it had then. Nothing of an earlier cascade is left.
    """
    key = Key(rows.NO_PARTY, party)
    counts = {PARTIES: rows.delete_where(connection, PARTIES, rows.is_key(PARTIES, key))}
    if not counts[PARTIES]:
        return {}
    _add(connection, PARTIES, key._replace(party=party), effective=True)
    for family, extent in before.items():
        since, last = _extent_since(family).rows(connection, party=party, after=extent.last)[0]
        counts[family] = extent.documents + since
        # Not told by the count: SQLite gives the last numbers again when their rows are gone.
        if _of_party(family).row(connection, party=party) is not None:
            whole = {"family": family.name, "first": 1, "last": last}
            connection.execute(sa.insert(going_table).values(whole))
    return counts


def forget(connection: Connection) -> None:
    """A cascade that has hidden nothing yet is given up: what it has noted is rubbish."""
    connection.execute(sa.delete(cascades_table).where(~cascades_table.c.effective))


def forget_others(connection: Connection, family: Family, key: Key) -> None:
    """The same of another one than that of a document, which nobody goes on with now."""
    own = (family.name, *key)
    columns = (cascades_table.c[name] for name in ("family", *key._fields))
    found = connection.execute(sa.select(*columns)).first()
    if found is not None and tuple(found) != own:
        forget(connection)


@cache
def _extent(family: Family) -> Prepared:
    return _counted(family, table_of(family).c.party == bindparam("party"))


@cache
def _extent_since(family: Family) -> Prepared:
    table = table_of(family)
    # The numbers lead nearer: they are few.
    own = unsought(table.c.party) == bindparam("party")
    return _counted(family, sa.and_(own, table.c.seq > bindparam("after")))


def _counted(family: Family, condition: ColumnElement[bool]) -> Prepared:
    """How many rows a condition holds for, and the number of the table's last."""
    table = table_of(family)
    count = sa.select(sa.func.count()).select_from(table).where(condition)
    last = sa.select(sa.func.coalesce(sa.func.max(table.c.seq), sa.literal_column("0")))
    return Prepared(sa.select(count.scalar_subquery(), last.scalar_subquery()))


def _add(connection: Connection, family: Family, key: Key, *, effective: bool) -> None:
    values = {"family": family.name, **key._asdict(), "effective": effective, "followed": 0}
    connection.execute(sa.insert(cascades_table).values(values))


def _note(connection: Connection, family: Family, documents: Sequence[Values]) -> None:
    """Note documents by number of row, id, and what they lie below; those that are noted stay so."""
    if documents:
        values = [
            {"family": family.name, "first": number, "last": number, "id": text, "within": within}
            for number, text, within in documents
        ]
        insert: Any = (sqlite if connection.dialect.name == "sqlite" else postgresql).insert(going_table)
        connection.execute(insert.on_conflict_do_nothing(), values)


def _remember(connection: Connection, followed: int) -> None:
    connection.execute(sa.update(cascades_table).values(followed=followed))


@cache
def _following() -> Prepared:
    going = going_table
    columns = (going.c.number, going.c.family, going.c.id, going.c.within)
    return Prepared(
        sa.select(*columns)
        .where(going.c.number > bindparam("number"))
        .order_by(going.c.number)
        .limit(bindparam("limit", type_=sa.Integer))
    )


@cache
def _of_party(family: Family) -> Prepared:
    """Whether a party has documents of the family: mostly it has none of many."""
    table = table_of(family)
    return Prepared(sa.select(table.c.seq).where(table.c.party == bindparam("party")).limit(1))


@cache
def _ways(family: Family) -> Sequence[tuple[Family, Prepared]]:
    """For each member by which others refer to a document of the family: what finds these, by their numbers."""
    return [
        (other, _referring(other, reference, word, family)) for other, reference, word in referring_to(family)
    ]


def _referring(other: Family, reference: Reference, word: str | None, target: Family) -> Prepared:
    table = table_of(other)
    conditions = [
        table.c[reference.attribute] == bindparam("id"),
        # The reference leads nearer than the party.
        unsought(table.c.party) == bindparam("party"),
        table.c.seq > bindparam("after"),
    ]
    if target.below:
        conditions.append(table.c.within == bindparam("within"))
    if isinstance(reference.to, ByType):
        conditions.append(table.c[reference.to.attribute] == word)
    within = table.c.within if other.below else sa.literal_column("''")
    return Prepared(
        sa.select(table.c.seq, table.c.id, within)
        .where(*conditions)
        .order_by(table.c.seq)
        .limit(bindparam("limit", type_=sa.Integer))
    )
