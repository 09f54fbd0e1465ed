"""Where documents are: columns of a family's table, and the index by which they are found.

The columns are written with the document. What is made of them is the store's own affair. In SQLite it is an R*Tree
(https://sqlite.org/rtree.html), which triggers keep in line with the table whoever writes to it. A row that is
replaced (`INSERT OR REPLACE`) would leave its place behind: SQLite runs no trigger for it. In PostgreSQL it is a
column of PostGIS's, which other programs can look at, too, and its index. Either only names candidates: the same GEOS
decides of both, to the same end.
"""

import json
from functools import cache
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy import DDL, Connection, bindparam, event

from headland.database.expressions import has_relation, is_among
from headland.database.prepared import Prepared
from headland.farm.geometry import Placed
from headland.farm.geometry.measuring import Box

_SIDES = ("west", "south", "east", "north")


class Place(NamedTuple):
    """Where a document is, by column."""

    west: float | None = None
    south: float | None = None
    east: float | None = None
    north: float | None = None
    wkb: bytes | None = None


NOWHERE = Place()

#: What is written only where a document's geometry is: the last of its row, since it is the longest.
PLACE_COLUMNS = frozenset({*Place._fields, "apart"})


#: The index of a table, and what keeps it in line.
_SQLITE = (
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


_POSTGRESQL = (
    """
    ALTER TABLE {table} ADD COLUMN outline geometry(Geometry, 4326)
    GENERATED ALWAYS AS (ST_GeomFromWKB(wkb, 4326)) STORED
    """,
    "CREATE INDEX {index} ON {table} USING gist (outline)",
)
_INDEXES = {"sqlite": _SQLITE, "postgresql": _POSTGRESQL}


def place_columns() -> list[sa.Column[Any]]:
    """The columns, for a family's table."""
    sides = [sa.Column(side, sa.Double) for side in _SIDES]
    return [*sides, sa.Column("apart", sa.LargeBinary), sa.Column("wkb", sa.LargeBinary)]


def place_of(placed: Placed | None) -> Place:
    """Where a geometry is, if there is one."""
    return NOWHERE if placed is None else Place(*placed.box, placed.wkb)


def index_places(table: sa.Table) -> None:
    """Have the table come with its index."""
    for dialect in _INDEXES:
        for statement in _index(table.name, dialect):
            made: DDL = DDL(statement)  # type: ignore[no-untyped-call]
            event.listen(table, "after_create", made.execute_if(dialect=dialect))


def ensure_index(connection: Connection, table: sa.Table) -> None:
    """The index of a table that was there before its documents had geometries."""
    if not has_relation(connection, _name(table.name)):
        for statement in _index(table.name, connection.dialect.name):
            connection.exec_driver_sql(statement)


def _name(table: str) -> str:
    return f"{table}_places"


def _index(table: str, dialect: str) -> list[str]:
    # Names are the declaration's.
    return [statement.format(table=table, index=_name(table)) for statement in _INDEXES[dialect]]


def near(connection: Connection, table: sa.Table, box: Box, most: int) -> list[int] | None:
    """Numbers of the rows of which the boxes meet this one, in no order; None where there are more than `most`."""
    west, south, east, north = box
    seek = _near(table.name, connection.dialect.name)
    found = seek.rows(connection, west=west, south=south, east=east, north=north, most=most + 1)
    return None if len(found) > most else [number for (number,) in found]


@cache
def _near(table: str, dialect: str) -> Prepared:
    most = bindparam("most", type_=sa.Integer)
    if dialect == "postgresql":
        rows = sa.table(table, sa.column("seq", sa.Integer))
        return Prepared(sa.select(rows.c.seq).where(_outline_meets()).limit(most))
    index = _tree(table)
    return Prepared(sa.select(index.c.seq).where(*meeting(index)).limit(most))


def candidates(table: sa.Table, dialect: str) -> tuple[sa.FromClause, list[sa.ColumnElement[bool]]]:
    """The table by way of its index, and conditions: the row's box meets the one of the parameters, as in `meeting`."""
    if dialect == "postgresql":
        return table, [_outline_meets()]
    index = _tree(table.name)
    return index.join(table, index.c.seq == table.c.seq), meeting(index)


def _outline_meets() -> sa.ColumnElement[bool]:
    box = sa.func.ST_MakeEnvelope(*(bindparam(side, type_=sa.Double) for side in _SIDES), 4326)
    return sa.column("outline").op("&&", return_type=sa.Boolean())(box)


def _tree(table: str) -> sa.TableClause:
    columns = (sa.column("seq", sa.Integer), *(sa.column(side, sa.Double) for side in _SIDES))
    return sa.table(_name(table), *columns)


def boxes_of(table: sa.Table, dialect: str) -> sa.FromClause:
    """What has the boxes of all documents, by the names of their sides: where there is something shorter than the
    table, that.
    """
    return table if dialect == "postgresql" else _tree(table.name)


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
    return is_among(column, bindparam("near", type_=sa.Text))


def numbers(found: list[int]) -> str:
    """Numbers as one parameter."""
    return json.dumps(found)
