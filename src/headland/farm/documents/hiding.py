"""What a cascade takes away: noted first, hidden by one commit, and removed afterwards, little by little.

It may be much, and nobody is to wait for it. So the documents that go are noted while everybody still sees them
(`closure`). One change of one row hides them all: every statement that looks for documents has `visible` among its
conditions, so that it sees all of them or none, whatever is removed meanwhile (`clearing`). Where there is no cascade,
that costs a look into an empty table.

Only one cascade at a time is under way in a store. A document whose key a hidden one has is made anew (`admission`).
"""

from functools import cache
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy import ColumnElement, Connection

from headland.database.prepared import Prepared
from headland.farm.catalogue import Family
from headland.farm.documents.tables import TEXT, metadata, table_of

#: The cascade that is under way: one row at the most.
cascades_table = sa.Table(
    "cascades",
    metadata,
    # The document that goes with all that is linked to it.
    sa.Column("family", TEXT, primary_key=True),
    #: Of all documents that go; of a party, its own id.
    sa.Column("party", TEXT, nullable=False),
    sa.Column("id", TEXT, nullable=False),
    sa.Column("within", TEXT, nullable=False),
    #: Whether they are hidden.
    sa.Column("effective", sa.Boolean, nullable=False),
    #: What refers to documents up to this number in `going` is noted, too.
    sa.Column("followed", sa.BigInteger, nullable=False),
)

#: Which documents go. Without a cascade, what is there is rubbish.
going_table = sa.Table(
    "going",
    metadata,
    #: In the order in which they were found. Never used again, since it is remembered how far they were followed.
    sa.Column("number", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True),
    sa.Column("family", TEXT, nullable=False),
    #: Those documents of the cascade's party that have a number from here to there, both included: one, or all.
    sa.Column("first", sa.BigInteger, nullable=False),
    sa.Column("last", sa.BigInteger, nullable=False),
    # Of one document.
    sa.Column("id", TEXT),
    sa.Column("within", TEXT),
    # No two overlap.
    sa.Index("ix_going_first", "family", "first", unique=True),
    sa.Index("ix_going_id", "family", "id"),
    sqlite_autoincrement=True,
)


class UnderWay(NamedTuple):
    """A cascade that is under way."""

    #: Of all that goes.
    party: str
    #: Whether it is hidden.
    effective: bool


def visible(family: Family) -> ColumnElement[bool]:
    """Condition: no cascade has hidden the row of the family's table."""
    if not family.of_party:
        # Of these a cascade takes at most the one that it begins with, at once.
        return sa.true()
    table, going = table_of(family), going_table
    # As one text, so that statements have no more parameters than those of their own.
    here = going.c.family == sa.literal_column(f"'{family.name}'")
    party = sa.select(cascades_table.c.party).where(cascades_table.c.effective).scalar_subquery()
    last = (
        sa.select(going.c.last)
        .where(here, going.c.first <= table.c.seq)
        .order_by(going.c.first.desc())
        .limit(sa.literal_column("1"))
        .correlate(table)
        .scalar_subquery()
    )
    beyond = table.c.seq > sa.func.coalesce(last, sa.literal_column("0"))
    return sa.or_(table.c.party.is_distinct_from(party), beyond)


def under_way(connection: Connection) -> UnderWay | None:
    """The cascade that is under way, if there is one."""
    found = _under_way().row(connection)
    return None if found is None else UnderWay(found[0], bool(found[1]))


def hides(connection: Connection) -> bool:
    """Whether rows may be there that nobody sees."""
    cascade = under_way(connection)
    return cascade is not None and cascade.effective


@cache
def _under_way() -> Prepared:
    return Prepared(sa.select(cascades_table.c.party, cascades_table.c.effective))
