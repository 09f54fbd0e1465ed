"""GeoJSON as the protocol takes it (RFC 7946): WGS 84, longitude before latitude, metres of height at most beside."""

from collections.abc import Iterator
from typing import Annotated

from msgspec import Meta, Struct

Position = Annotated[
    list[float], Meta(min_length=2, max_length=3, description="[longitude, latitude, height]")
]
#: Its last position is its first.
Ring = list[Position]
#: The outer ring, then holes.
Rings = Annotated[list[Ring], Meta(min_length=1)]


class Point(Struct, tag_field="type", tag="Point"):
    """A place."""

    coordinates: Position


class Polygon(Struct, tag_field="type", tag="Polygon"):
    """An outer ring, and holes in it."""

    coordinates: Rings


class MultiPolygon(Struct, tag_field="type", tag="MultiPolygon"):
    """Several polygons as one."""

    coordinates: Annotated[list[Rings], Meta(min_length=1)]


Geometry = Point | Polygon | MultiPolygon


def polygons_of(geometry: Geometry) -> list[Rings]:
    """Its polygons; a point has none."""
    match geometry:
        case Polygon():
            return [geometry.coordinates]
        case MultiPolygon():
            return geometry.coordinates
        case Point():
            return []


def rings_of(geometry: Geometry) -> Iterator[tuple[str, Rings, int]]:
    """Every ring: its place below `coordinates`, such as `[0][1]`; the polygon; and its number there."""
    several = isinstance(geometry, MultiPolygon)
    for part, rings in enumerate(polygons_of(geometry)):
        for number in range(len(rings)):
            yield f"[{part}][{number}]" if several else f"[{number}]", rings, number
