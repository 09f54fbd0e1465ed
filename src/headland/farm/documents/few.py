"""Documents near a place where there are few of them, as mostly: the index and the table are asked in one statement."""

from collections.abc import Mapping
from functools import cache
from itertools import compress
from operator import itemgetter
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, bindparam

from headland.database.prepared import Prepared
from headland.farm.catalogue import Family
from headland.farm.documents.hiding import visible
from headland.farm.documents.pages import Listing, Page, cut
from headland.farm.documents.places import candidates
from headland.farm.documents.tables import table_of

#: Documents that are few.
MOST_FEW = 64

#: Of a row: the geometry in well-known binary; then come whether it is seen, and what the document lies below.
_WKB = 4


def page_of_few(connection: Connection, listing: Listing) -> Page | None:
    """`pages.page` by one statement, where a geometry alone is asked for and its box meets those of few documents; None
    elsewhere.
    """
    sought = listing.sought
    if sought is None or listing.asked:
        return None
    rows = _few(connection, listing.family, sought.sides, listing.below, apart=listing.apart)
    if rows is None:
        return None
    rows = [row for row in rows if row[0] > listing.after]
    return cut(list(compress(rows, sought.meets([row[_WKB] for row in rows]))), listing.size, None)


def _few(
    connection: Connection,
    family: Family,
    sides: Mapping[str, float],
    below: Mapping[str, str],
    *,
    apart: bool,
) -> list[tuple[Any, ...]] | None:
    """Rows of the documents `below` something of which the boxes meet the one with these sides, in the order of lists:
    each as in `pages.Page`, with `_WKB` after it. None where more boxes do than are few.
    """
    statement = _statement(family, tuple(below), apart, connection.dialect.name)
    found = statement.rows(connection, **sides, most=MOST_FEW + 1)
    if len(found) > MOST_FEW:
        return None
    wanted = (True, *below.values())
    return sorted((row for row in found if row[_WKB + 1 :] == wanted), key=itemgetter(0))


@cache
def _statement(family: Family, below: tuple[str, ...], apart: bool, dialect: str) -> Prepared:
    table = table_of(family)
    source, conditions = candidates(table, dialect)
    return Prepared(
        sa.select(
            table.c.seq,
            table.c.document,
            table.c.rest,
            table.c.apart if apart else sa.null(),
            table.c.wkb,
            # Not a condition: what is hidden may be much, and no more rows than are few are looked at.
            visible(family),
            *(table.c[name] for name in below),
        )
        .select_from(source)
        .where(*conditions)
        .limit(bindparam("most", type_=sa.Integer))
    )
