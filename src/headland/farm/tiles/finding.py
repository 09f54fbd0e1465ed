"""Which boundaries lie in a tile: found by the index of places, and counted where they are too many."""

from collections.abc import Mapping
from functools import cache
from typing import Any

import msgspec
import sqlalchemy as sa
from msgspec import Struct
from sqlalchemy import ColumnElement, Connection, FromClause, bindparam

from headland.database.prepared import Prepared
from headland.farm.catalogue.boundaries import BOUNDARIES
from headland.farm.catalogue.fields import FIELDS
from headland.farm.documents.hiding import hides, visible
from headland.farm.documents.pages import MOST_LOOKED_AT
from headland.farm.documents.places import among, boxes_of, meeting, near, numbers
from headland.farm.documents.tables import table_of
from headland.farm.geometry.measuring import Box
from headland.farm.tiles.drawing import Outline, Place
from headland.farm.tiles.squares import Square

#: Outlines in a tile. Where there are more they are counted.
MOST_OUTLINES = 1000

#: Bytes of all outlines of a tile. Where there are more they are counted, too.
_MOST_BYTES = 8 << 20

#: Along an edge of a tile; those that lie in one part are counted together.
_PARTS = 16

#: What a tile may be narrowed to: ids of `party`, `farm`, `parent` and `boundary`.
Narrowed = Mapping[str, str]


class _Shown(Struct, rename="camel", omit_defaults=True):
    """What a tile has of a boundary's document."""

    id: str
    name: str | None = None
    parent_id: str | None = None
    parent_type: str | None = None


_decode = msgspec.json.Decoder(_Shown).decode


def outlines_in(connection: Connection, square: Square, narrowed: Narrowed) -> list[Outline] | None:
    """The boundaries whose boxes meet what is drawn of a square; None where they are more than `MOST_OUTLINES`."""
    box = square.drawn_box
    found = near(connection, table_of(BOUNDARIES), box, MOST_LOOKED_AT)
    if not narrowed and (found is None or len(found) > MOST_OUTLINES):
        return None
    values: dict[str, Any] = _sides(box) if found is None else {"near": numbers(found)}
    names = tuple(sorted(narrowed))
    size = _size(names, found is not None).row(connection, **narrowed, **values, most=MOST_OUTLINES + 1)
    if size is not None and (size[0] or 0) > _MOST_BYTES:
        return None
    statement = _outlines(names, found is not None)
    rows = statement.rows(connection, **narrowed, **values, most=MOST_OUTLINES + 1)
    if len(rows) > MOST_OUTLINES:
        return None
    return [Outline(wkb, _properties(party, document)) for party, document, wkb in rows]


def places_in(connection: Connection, square: Square, narrowed: Narrowed) -> list[Place]:
    """How many boundaries have their middle in each part of a square, and where that is on the average."""
    west, south, east, north = square.box
    rows = _places(tuple(sorted(narrowed)), _shorter(connection, narrowed)).rows(
        connection,
        **narrowed,
        **_sides(square.box),
        width=(east - west) / _PARTS,
        height=(north - south) / _PARTS,
    )
    return [Place(*row) for row in rows]


def box_around(connection: Connection, narrowed: Narrowed) -> Box | None:
    """The least box that holds all boundaries; None where none has an outline."""
    row = _around(tuple(sorted(narrowed)), _shorter(connection, narrowed)).row(connection, **narrowed)
    if row is None or row[0] is None:
        return None
    west, south, east, north = row
    return west, south, east, north


def _shorter(connection: Connection, narrowed: Narrowed) -> str | None:
    """The database system, if all boxes are asked for; None where it is for the table to say which."""
    return None if narrowed or hides(connection) else connection.dialect.name


def _sides(box: Box) -> dict[str, Any]:
    return dict(zip(("west", "south", "east", "north"), box, strict=True))


def _properties(party: str, document: bytes) -> dict[str, str]:
    return {"partyId": party, **msgspec.to_builtins(_decode(document))}


@cache
def _outlines(names: tuple[str, ...], indexed: bool) -> Prepared:
    table = table_of(BOUNDARIES)
    where = [among(table.c.seq)] if indexed else [*meeting(table), table.c.west.is_not(None)]
    return Prepared(
        sa.select(table.c.party, table.c.document, table.c.wkb)
        .where(*where, *_conditions(names, None))
        .limit(bindparam("most", type_=sa.Integer))
    )


@cache
def _size(names: tuple[str, ...], indexed: bool) -> Prepared:
    """Bytes of all outlines."""
    table = table_of(BOUNDARIES)
    where = [among(table.c.seq)] if indexed else [*meeting(table), table.c.west.is_not(None)]
    sizes = sa.select(sa.func.length(table.c.wkb).label("size")).where(*where, *_conditions(names, None))
    some = sizes.limit(bindparam("most", type_=sa.Integer)).subquery("sizes")
    return Prepared(sa.select(sa.func.sum(some.c.size)))


@cache
def _places(names: tuple[str, ...], shorter: str | None) -> Prepared:
    boxes = _boxes(shorter)
    longitude, latitude = (boxes.c.west + boxes.c.east) / 2, (boxes.c.south + boxes.c.north) / 2
    west, south, east, north = (
        bindparam(side, type_=sa.Double) for side in ("west", "south", "east", "north")
    )
    parts = [
        sa.func.round((middle - edge) / bindparam(size, type_=sa.Double) - 0.5)
        for middle, edge, size in ((longitude, west, "width"), (latitude, south, "height"))
    ]
    return Prepared(
        sa.select(sa.func.avg(longitude), sa.func.avg(latitude), sa.func.count())
        .where(
            *meeting(boxes),
            longitude >= west,
            longitude < east,
            latitude >= south,
            latitude < north,
            *_conditions(names, shorter),
        )
        .group_by(*parts)
    )


@cache
def _around(names: tuple[str, ...], shorter: str | None) -> Prepared:
    boxes = _boxes(shorter)
    least, most = sa.func.min, sa.func.max
    sides = (least(boxes.c.west), least(boxes.c.south), most(boxes.c.east), most(boxes.c.north))
    return Prepared(sa.select(*sides).where(*_conditions(names, shorter)))


def _boxes(shorter: str | None) -> FromClause:
    table = table_of(BOUNDARIES)
    return table if shorter is None else boxes_of(table, shorter)


def _conditions(names: tuple[str, ...], shorter: str | None) -> list[ColumnElement[bool]]:
    """Each of what a tile is narrowed to; and what is shorter than the table has none but what everybody sees."""
    table, fields = table_of(BOUNDARIES), table_of(FIELDS)
    of_farm = sa.select(fields.c.id).where(
        fields.c.party == bindparam("party"), fields.c.farm_id == bindparam("farm"), visible(FIELDS)
    )
    conditions = {
        "party": table.c.party == bindparam("party"),
        "parent": table.c.parent_id == bindparam("parent"),
        "boundary": table.c.id == bindparam("boundary"),
        "farm": sa.and_(table.c.parent_type == "Field", table.c.parent_id.in_(of_farm)),
    }
    seen = [visible(BOUNDARIES)] if shorter is None else []
    return [*(conditions[name] for name in names), *seen]
