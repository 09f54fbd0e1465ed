"""What a cascade has hidden is removed, some of it at a time."""

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy import ColumnElement, Connection

from headland.database.expressions import unsought
from headland.farm.catalogue import BY_NAME, PARTIES, Family
from headland.farm.documents import rows
from headland.farm.documents.hiding import cascades_table, going_table
from headland.farm.documents.tables import table_of

#: Documents that are removed in one transaction: some milliseconds' worth.
MOST_REMOVED = 250

#: Rows that are looked at for them, where no index leads to them.
_MOST_LOOKED_AT = 20_000

#: Notes that are removed in one transaction.
_MOST_NOTES = 5000


def clear(connection: Connection) -> bool:
    """Remove some of what was hidden, or was noted in vain; whether there may be more."""
    going = going_table
    cascade = connection.execute(sa.select(cascades_table)).one_or_none()
    if cascade is None:
        some = sa.select(going.c.number).limit(_MOST_NOTES)
        return connection.execute(sa.delete(going).where(going.c.number.in_(some))).rowcount > 0
    if not cascade.effective:
        return False
    columns = going.c.family, going.c.first, going.c.last
    found = connection.execute(sa.select(*columns).order_by(*columns[:2]).limit(1)).one_or_none()
    if found is None:
        connection.execute(sa.delete(cascades_table))
        return False
    family = BY_NAME[found.family]
    if cascade.family == PARTIES.name:
        _clear_range(connection, family, cascade.party, found.first, found.last)
    else:
        _clear_noted(connection, family, cascade.party)
    return True


def _clear_noted(connection: Connection, family: Family, party: str) -> None:
    going = going_table
    of_family = going.c.family == family.name
    some = sa.select(going.c.first).where(of_family).order_by(going.c.first).limit(MOST_REMOVED)
    numbers = connection.execute(some).scalars().all()
    _remove(connection, family, party, numbers)
    connection.execute(sa.delete(going).where(of_family, going.c.first <= numbers[-1]))


def _clear_range(connection: Connection, family: Family, party: str, first: int, last: int) -> None:
    """In the order of rows, so that what is left of the range is one."""
    table, going = table_of(family), going_table
    upto = last
    own: ColumnElement[str] = table.c.party
    if family.below:
        # There is no index of the numbers by party alone, and all that the party has is not to be sorted.
        upto, own = min(last, first + _MOST_LOOKED_AT - 1), unsought(table.c.party)
    numbered = sa.select(table.c.seq).where(own == party, table.c.seq.between(first, upto))
    numbers = connection.execute(numbered.order_by(table.c.seq).limit(MOST_REMOVED)).scalars().all()
    _remove(connection, family, party, numbers)
    done = numbers[-1] if len(numbers) == MOST_REMOVED else upto
    this = sa.and_(going.c.family == family.name, going.c.first == first)
    if done < last:
        connection.execute(sa.update(going).where(this).values(first=done + 1))
    else:
        connection.execute(sa.delete(going).where(this))


def _remove(connection: Connection, family: Family, party: str, numbers: Sequence[int]) -> None:
    table = table_of(family)
    if numbers:
        rows.delete_where(connection, family, sa.and_(table.c.seq.in_(numbers), table.c.party == party))
