"""Pages of lists: rows after a place, in the order in which they were made.

A place is the number of the last row that was shown, so a page costs the same wherever it is, nothing is shown
twice, and nothing that stays is left out, however many documents come and go meanwhile.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from enum import Enum, auto
from functools import cache, lru_cache, partial
from itertools import compress
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy import ColumnElement, Connection, bindparam

from headland.database.expressions import found_anyhow, found_in, has_one_of, is_among, is_one_of
from headland.database.prepared import Prepared
from headland.farm.catalogue import Family
from headland.farm.catalogue.filters import Filter, Match
from headland.farm.documents.facts import item
from headland.farm.documents.hiding import hides, visible
from headland.farm.documents.places import among, meeting, near, numbers
from headland.farm.documents.tables import table_of
from headland.farm.geometry.seeking import Sought

#: A filter's values by its parameter: what is compared with the column, always as a list.
Asked = Mapping[str, Sequence[Any]]

#: No row has a number like this.
_BEYOND = 2**63 - 1

#: Statements kept, one for each set of filters and numbers of values.
_MOST_STATEMENTS = 512


#: Documents that are looked at for one page at the most, where no index leads to those that are asked for. A page
#: may then be shorter than it could be, or empty, as the public service's are; and no request takes long.
MOST_LOOKED_AT = 5000

#: Values that are looked for in each document's text while that takes no longer; where there are more of them, fewer
#: documents are looked at for a page, down to so many.
_FEW, _LEAST_LOOKED_AT = 8, 64

#: Values of one filter that are parameters each; and the number that stands for more.
_MOST_APART, _AS_LIST = 32, 0

#: A row of a page: its number, and what is stored; what is kept apart only where it was asked for.
Listed = tuple[int, bytes, bytes | None, bytes | None]


class Way(Enum):
    """How a geometry narrows what is looked at."""

    ALL = auto()
    #: To the rows that an index has named.
    AMONG = auto()
    #: There are too many of those: to rows whose box meets the geometry's, in their order.
    MEETING = auto()


class Page(NamedTuple):
    """Some documents of a list."""

    rows: list[Listed]
    #: The place after which the next page begins, if there is one.
    end: int | None


class Listing(NamedTuple):
    """What a page is to have."""

    family: Family
    #: As in `rows.Key`; None for all parties, and for whatever further parents.
    party: str | None
    asked: Asked
    #: The place after which it begins.
    after: int
    #: Documents at the most.
    size: int
    within: str | None = None
    #: Whether documents come with what is kept apart.
    apart: bool = False
    #: Only what meets a geometry.
    sought: Sought | None = None

    @property
    def below(self) -> dict[str, str]:
        """Columns that the list is narrowed by."""
        parents = ("party", self.party), ("within", self.within)
        return {name: text for name, text in parents if text is not None}


def page(connection: Connection, listing: Listing) -> Page:
    """A page of a list."""
    family, _, asked, after, size, _, apart, sought = listing
    narrowed = listing.below
    shape = tuple((name, _padded(len(values))) for name, values in sorted(asked.items()))
    values: dict[str, Any] = {
        f"{name}_{number}": value
        for name, count in shape
        for number, value in enumerate(_filled(asked[name], count))
    }
    values |= {f"{name}_all": json.dumps(asked[name]) for name, count in shape if count == _AS_LIST}
    way = Way.ALL
    if sought is not None:
        found = near(connection, table_of(family), sought.box, MOST_LOOKED_AT)
        if found is None:
            way = Way.MEETING
            values |= sought.sides
        else:
            following = [number for number in found if number > after]
            if not following:
                return Page([], None)
            way = Way.AMONG
            values["near"] = numbers(following)
    must_look = way is Way.MEETING or (bool(asked) and way is Way.ALL)
    edge = None
    sought_in_text = sum(len(asked.get(each.parameter, ())) for each in family.filters if each.in_list)
    # What is hidden is looked at, too.
    if (
        (must_look and not _leads(family, asked))
        or (family.of_party and hides(connection))
        or sought_in_text > _FEW
    ):
        fewer = MOST_LOOKED_AT * _FEW // max(_FEW, sought_in_text)
        most = min(MOST_LOOKED_AT, max(_LEAST_LOOKED_AT, fewer))
        edge = _edge(connection, family, narrowed, after, most)
    values["until"] = _BEYOND if edge is None else edge
    select = partial(
        _statement(family, tuple(narrowed), shape, way, apart).rows, connection, **narrowed, **values
    )
    if sought is None:
        rows = select(after=after, limit=size + 1)
        return cut(rows, size, edge)
    return _met(select, sought, after, size, edge)


def cut(rows: list[Any], size: int, edge: int | None) -> Page:
    """A page of so many of these rows; where they are no more, it ends at `edge`."""
    if len(rows) > size:
        del rows[size:]
        return Page(rows, rows[-1][0])
    return Page(rows, edge)


def _met(select: Callable[..., list[Any]], sought: Sought, after: int, size: int, edge: int | None) -> Page:
    """Those of the rows that meet what is sought. Boxes meet more often than what is in them."""
    found: list[Any] = []
    looked, take = 0, size + 1
    while True:
        rows = select(after=after, limit=take)
        found += compress(rows, sought.meets([row[-1] for row in rows]))
        if len(found) > size or len(rows) < take:
            return cut(found, size, edge)
        looked += take
        after = rows[-1][0]
        if looked >= MOST_LOOKED_AT:
            return Page(found, after)
        take = min(2 * take, MOST_LOOKED_AT - looked)


def _leads(family: Family, asked: Asked) -> bool:
    """Whether an index leads to what is asked for."""
    return any(
        each.column.indexed and each.match is not Match.CONTAINS and each.parameter in asked
        for each in family.filters
    )


def _edge(
    connection: Connection, family: Family, below: Mapping[str, str], after: int, most: int
) -> int | None:
    """The place up to which so many documents are looked at; None for the list's end."""
    if below:
        nth = _edge_below(family, tuple(below))
        found = nth.row(connection, **below, after=after, before=most - 1)
        return None if found is None else int(found[0])
    last = _last(family).row(connection)
    edge = after + most
    return None if last is None or edge >= (last[0] or 0) else edge


@cache
def _last(family: Family) -> Prepared:
    return Prepared(sa.select(sa.func.max(table_of(family).c.seq)))


@cache
def _edge_below(family: Family, below: tuple[str, ...]) -> Prepared:
    table = table_of(family)
    return Prepared(
        sa.select(table.c.seq)
        .where(*(table.c[name] == bindparam(name) for name in below), table.c.seq > bindparam("after"))
        .order_by(table.c.seq)
        .offset(bindparam("before", type_=sa.Integer))
        .limit(1)
    )


def _padded(count: int) -> int:
    """Values are repeated up to a power of two, so that there are few statements to keep. Many are one list: to make a
    statement of a thousand takes long, and SQLite takes none.
    """
    return _AS_LIST if count > _MOST_APART else 1 << (count - 1).bit_length()


def _filled(values: Sequence[Any], count: int) -> list[Any]:
    return [] if count == _AS_LIST else [*values, *[values[-1]] * (count - len(values))]


@lru_cache(_MOST_STATEMENTS)
def _statement(
    family: Family, below: tuple[str, ...], shape: tuple[tuple[str, int], ...], way: Way, apart: bool
) -> Prepared:
    table = table_of(family)
    filters = {each.parameter: each for each in family.filters}
    conditions: list[ColumnElement[bool]] = [
        table.c.seq > bindparam("after"),
        table.c.seq <= bindparam("until"),
    ]
    conditions += [table.c[name] == bindparam(name) for name in below]
    conditions.append(visible(family))
    for name, count in shape:
        if count == _AS_LIST:
            conditions.append(_condition_of_many(table, filters[name]))
        else:
            names = [f"{name}_{number}" for number in range(count)]
            conditions.append(_condition(table, filters[name], names))
    if way is Way.MEETING:
        conditions += meeting(table)
    elif way is Way.AMONG:
        conditions.append(among(table.c.seq))
    return Prepared(
        sa.select(
            table.c.seq,
            table.c.document,
            table.c.rest,
            table.c.apart if apart else sa.null(),
            *(() if way is Way.ALL else (table.c.wkb,)),
        )
        .where(*conditions)
        .order_by(table.c.seq)
        .limit(bindparam("limit", type_=sa.Integer))
    )


def _condition(table: sa.Table, wanted: Filter, names: list[str]) -> ColumnElement[bool]:
    column = table.c[wanted.column.name]
    values = [bindparam(name, type_=column.type) for name in names]
    match wanted.match:
        case Match.EQUAL:
            return column == values[0]
        case Match.CONTAINS:
            return found_anyhow(values[0], column)
        case Match.AT_LEAST:
            return column >= values[0]
        case Match.AT_MOST:
            return column <= values[0]
        case Match.HAS_ANY | Match.HAS_PAIR | Match.HAS_MEASURE:
            return sa.or_(*(found_in(value, column) for value in values))
        case Match.ANY_OF:
            return column.in_(values)


def _condition_of_many(table: sa.Table, wanted: Filter) -> ColumnElement[bool]:
    column, listed = table.c[wanted.column.name], bindparam(f"{wanted.parameter}_all", type_=sa.Text)
    if wanted.in_list:
        return has_one_of(column, listed)
    return is_among(column, listed) if wanted.column.type is int else is_one_of(column, listed)


def comparable(wanted: Filter, value: Any) -> Any:
    """A value as its column has it."""
    return item(value) if wanted.in_list else value
