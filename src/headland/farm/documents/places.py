"""Where documents are: columns of a family's table, and the index by which they are found.

The columns are written with the document. What is made of them is the store's own affair: an R*Tree in SQLite
(https://sqlite.org/rtree.html), which triggers keep in line with the table whoever writes to it. A row that is
replaced (`INSERT OR REPLACE`) would leave its place behind: SQLite runs no trigger for it.
"""

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

import sqlalchemy as sa
from sqlalchemy import DDL, Connection, bindparam, event

from headland.database.prepared import Prepared
from headland.farm.geometry import Placed
from headland.farm.geometry.measuring import Box

_SIDES = ("west", "south", "east", "north")

#: No place.
NOWHERE: Mapping[str, Any] = dict.fromkeys(("wkb", *_SIDES))

#: What is written only where a document's geometry is: the last of its row, since it is the longest.
PLACE_COLUMNS = frozenset({*NOWHERE, "apart"})


#: The index of a table, and what keeps it in line.
_INDEX = (
    "CREATE VIRTUAL TABLE {index} USING rtree(seq, west, east, south, north)",
    """
    CREATE TRIGGER {index}_come AFTER INSERT ON {table} WHEN new.west IS NOT NULL
    BEGIN
        INSERT INTO {index} VALUES (new.seq, new.west, new.east, new.south, new.north);
    END
    """,
    """
    CREATE TRIGGER {index}_go AFTER DELETE ON {table} WHEN old.west IS NOT NULL
    BEGIN
        DELETE FROM {index} WHERE seq = old.seq;
    END
    """,
    """
    CREATE TRIGGER {index}_move AFTER UPDATE OF west, east, south, north ON {table}
    WHEN old.west IS NOT new.west OR old.east IS NOT new.east
        OR old.south IS NOT new.south OR old.north IS NOT new.north
    BEGIN
        DELETE FROM {index} WHERE seq = old.seq;
        INSERT INTO {index} SELECT new.seq, new.west, new.east, new.south, new.north WHERE new.west IS NOT NULL;
    END
    """,
)


def place_columns() -> list[sa.Column[Any]]:
    """The columns, for a family's table."""
    sides = [sa.Column(side, sa.Double) for side in _SIDES]
    return [*sides, sa.Column("apart", sa.LargeBinary), sa.Column("wkb", sa.LargeBinary)]


def place_of(placed: Placed | None) -> dict[str, Any]:
    """What the columns have of a geometry, `apart` not among it."""
    if placed is None:
        return dict(NOWHERE)
    return {"wkb": placed.wkb, **dict(zip(_SIDES, placed.box, strict=True))}


def index_places(table: sa.Table) -> None:
    """Have the table come with its index."""
    for statement in _index(table.name):
        made: DDL = DDL(statement)  # type: ignore[no-untyped-call]
        event.listen(table, "after_create", made.execute_if(dialect="sqlite"))


def ensure_index(connection: Connection, table: sa.Table) -> None:
    """The index of a table that was there before its documents had geometries."""
    if not sa.inspect(connection).has_table(_name(table.name)):
        for statement in _index(table.name):
            connection.exec_driver_sql(statement)


def _name(table: str) -> str:
    return f"{table}_places"


def _index(table: str) -> list[str]:
    # Names are the declaration's.
    return [statement.format(table=table, index=_name(table)) for statement in _INDEX]


def near(connection: Connection, table: sa.Table, box: Box, most: int) -> list[int] | None:
    """Numbers of the rows of which the boxes meet this one, in no order; None where there are more than `most`."""
    west, south, east, north = box
    found = _near(table.name).rows(connection, west=west, south=south, east=east, north=north, most=most + 1)
    return None if len(found) > most else [number for (number,) in found]


@cache
def _near(table: str) -> Prepared:
    columns = (sa.column("seq", sa.Integer), *(sa.column(side, sa.Double) for side in _SIDES))
    index = sa.table(_name(table), *columns)
    return Prepared(sa.select(index.c.seq).where(*meeting(index)).limit(bindparam("most", type_=sa.Integer)))


def meeting(table: Any) -> list[sa.ColumnElement[bool]]:
    """Conditions: the row's box meets the one of the parameters `west`, `south`, `east` and `north`."""
    c = table.c
    return [
        c.west <= bindparam("east"),
        c.east >= bindparam("west"),
        c.south <= bindparam("north"),
        c.north >= bindparam("south"),
    ]


def among(column: sa.Column[Any]) -> sa.ColumnElement[bool]:
    """Condition: the row's number is one of the parameter `near`, which `numbers` has made."""
    return column.in_(sa.select(sa.func.json_each(bindparam("near")).table_valued("value").c.value))


def numbers(found: list[int]) -> str:
    """Numbers as one parameter."""
    return json.dumps(found)
