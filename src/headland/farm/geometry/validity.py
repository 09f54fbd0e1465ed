"""Whether rings make polygons: GEOS judges, and its words are put into the protocol's."""

import re
from typing import Any

from headland.farm.geometry.engine import shapely
from headland.farm.geometry.geojson import Geometry, MultiPolygon, Rings, polygons_of, rings_of
from headland.http.validation import BodyInvalidError

#: What GEOS calls it, and what is said to clients.
_PROBLEMS = {
    "Self-intersection": "it intersects itself",
    "Ring Self-intersection": "a ring touches itself",
    "Hole lies outside shell": "a hole lies outside of the outer ring",
    "Holes are nested": "a hole lies in another hole",
    "Interior is disconnected": "the holes cut the inside in two",
    "Nested shells": "a polygon lies in another one of the same geometry",
    "Duplicate Rings": "two rings are the same",
    "Too few points in geometry component": "a ring has fewer than three different positions",
}
_PLACED = re.compile(r"(?P<problem>[^\[]*)\[(?P<x>[^\s\]]+) (?P<y>[^\s\]]+)\]")

#: Degrees: an edge that passes a place by less goes through it.
_NEAR = 1e-9

#: Share of the area by which polygons that have an edge in common may seem to overlap.
_ROUNDING = 1e-9


def checked_polygons(geometry: Geometry, field: str) -> Any:
    """The geometry as GEOS has it.

    Polygons of one geometry may have edges in common, as neighbouring fields do, though not for GEOS: those it is
    given as one.

    Raises:
        BodyInvalidError: rings that make no polygons, and where.
    """
    parts = [_polygon(rings) for rings in polygons_of(geometry)]
    several = isinstance(geometry, MultiPolygon)
    whole = shapely.multipolygons(parts) if several else parts[0]
    if whole.is_valid:
        return whole
    for number, part in enumerate(parts):
        if not shapely.is_valid(part):
            _refuse(part, geometry, f"{field}[{number}]" if several else field, field)
    joined = shapely.union_all(parts)
    total = sum(shapely.area(part) for part in parts)
    if total - shapely.area(joined) > _ROUNDING * total:
        _refuse_overlap(parts, field)
    return joined


def _polygon(rings: Rings) -> Any:
    outer, *holes = [shapely.linearrings([position[:2] for position in ring]) for ring in rings]
    return shapely.polygons(outer, holes=holes or None)


def _refuse(part: Any, geometry: Geometry, part_field: str, field: str) -> None:
    text: str = shapely.is_valid_reason(part)
    found = _PLACED.fullmatch(text)
    if found is None:
        raise BodyInvalidError(part_field, f"is no polygon: {text[:1].lower()}{text[1:]}")
    x, y = float(found["x"]), float(found["y"])
    said = found["problem"].strip()
    problem = _PROBLEMS.get(said, said)
    raise BodyInvalidError(_ring_at(geometry, field, x, y) or part_field, f"{problem}, at [{x!r}, {y!r}]")


def _ring_at(geometry: Geometry, field: str, x: float, y: float) -> str | None:
    """The first ring that goes through a place."""
    place = shapely.points(x, y)
    for ring_place, rings, number in rings_of(geometry):
        line = shapely.linestrings([position[:2] for position in rings[number]])
        if shapely.dwithin(line, place, _NEAR):
            return field + ring_place
    return None


def _refuse_overlap(parts: list[Any], field: str) -> None:
    tree = shapely.STRtree(parts)
    for number, part in enumerate(parts):
        for other in sorted(tree.query(part, predicate="intersects").tolist()):
            common = shapely.intersection(part, parts[other]) if other > number else None
            if common is not None and shapely.area(common) > 0:
                inside = shapely.point_on_surface(common)
                x, y = float(shapely.get_x(inside)), float(shapely.get_y(inside))
                reason = f"the polygon overlaps the one at {field}[{number}], at [{x!r}, {y!r}]"
                raise BodyInvalidError(f"{field}[{other}]", reason)
    raise BodyInvalidError(field, "polygons of one geometry overlap")
