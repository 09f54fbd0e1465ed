"""Read a geometry: refuse what is none, put right what only one thing can have been meant by."""

import math
from typing import Any, NamedTuple

import msgspec

from headland.farm.geometry.engine import shapely
from headland.farm.geometry.geojson import (
    Geometry,
    MultiPolygon,
    Point,
    Polygon,
    Ring,
    polygons_of,
    rings_of,
)
from headland.farm.geometry.measuring import Box, acres, box_of, centroid
from headland.farm.geometry.validity import checked_polygons
from headland.http.validation import BodyInvalidError, convert_json


class Limits(NamedTuple):
    """How large a geometry may be."""

    #: Positions, of all rings.
    vertices: int


DEFAULT_LIMITS = Limits(100_000)

#: Positions of what is light: of a polygon, of several. The worst take 4 and 5 ms of a processor of 2020.
LIGHT, _LIGHT_IN_PARTS = 500, 40

#: Positions of the geometry that a search goes by: tokens of pages have it, and stand in addresses.
MOST_SEARCHED_BY = 2_500


class Placed(NamedTuple):
    """A geometry that was found good, and measured."""

    #: As the client sent it, rings closed; or its JSON.
    geometry: Geometry | msgspec.Raw
    #: Well-known binary, without heights: what exact questions are asked of.
    wkb: bytes
    box: Box
    acres: float
    centroid: Point


def placed(value: object, field: str, limits: Limits = DEFAULT_LIMITS) -> Placed:
    """A geometry of decoded JSON; `field` is where it stands in the body.

    Raises:
        BodyInvalidError: what is wrong, and at which coordinate.
    """
    return checked(typed(value, field), field, limits)


def checked(geometry: Geometry, field: str, limits: Limits = DEFAULT_LIMITS) -> Placed:
    """`placed` of a geometry of which the form is good. Its rings are closed where they are not.

    Raises:
        BodyInvalidError: what is wrong, and at which coordinate.
    """
    shape = shaped(geometry, field, limits)
    wkb = shapely.to_wkb(shape, output_dimension=2)
    return Placed(geometry, wkb, box_of(geometry), acres(geometry), centroid(geometry))


def shaped(geometry: Geometry, field: str, limits: Limits = DEFAULT_LIMITS) -> Any:
    """`checked`, but as GEOS has it."""
    coordinates = f"{field}.coordinates"
    if isinstance(geometry, Point):
        _check_position(geometry.coordinates, coordinates)
        return shapely.points(geometry.coordinates[:2])
    _check_size(geometry, coordinates, limits)
    for place, rings, number in rings_of(geometry):
        rings[number] = _ring(rings[number], coordinates + place)
    return checked_polygons(geometry, coordinates)


def typed(value: object, field: str) -> Geometry:
    """A geometry of decoded JSON, of which nothing but the form is looked at. Raises as `placed`."""
    try:
        return convert_json(value, Geometry)  # type: ignore[arg-type]
    except BodyInvalidError as error:
        raise BodyInvalidError(f"{field}.{error.field}" if error.field else field, error.reason) from None


def is_light(geometry: Geometry) -> bool:
    """Whether `checked` takes less than 10 ms of it, whatever it is.

    GEOS holds each edge of a polygon against all others at the worst; of several polygons that lie across each other it
    makes as many pieces.
    """
    match geometry:
        case Point():
            return True
        case Polygon():
            return sum(map(len, geometry.coordinates)) <= LIGHT
        case MultiPolygon():
            return sum(len(ring) for rings in geometry.coordinates for ring in rings) <= _LIGHT_IN_PARTS


def _check_size(geometry: Geometry, field: str, limits: Limits) -> None:
    count = sum(len(ring) for rings in polygons_of(geometry) for ring in rings)
    if count > limits.vertices:
        raise BodyInvalidError(field, f"has {count} positions; at most {limits.vertices} are taken")


def _ring(ring: Ring, field: str) -> Ring:
    """A ring that is closed, and has an inside (RFC 7946 section 3.1.6)."""
    for number, position in enumerate(ring):
        _check_position(position, f"{field}[{number}]")
    if ring and ring[0][:2] != ring[-1][:2]:
        ring = [*ring, ring[0]]
    if len(ring) < 4:
        raise BodyInvalidError(
            field, "is no ring: a ring has at least 4 positions, of which the last is the first"
        )
    _check_edges(ring, field)
    return ring


def _check_position(position: list[float], field: str) -> None:
    longitude, latitude = position[0], position[1]
    # Written so that what is no number is not taken for one in range.
    if not -180 <= longitude <= 180:
        raise BodyInvalidError(f"{field}[0]", f"the longitude {longitude!r} is not between -180 and 180")
    if not -90 <= latitude <= 90:
        raise BodyInvalidError(f"{field}[1]", f"the latitude {latitude!r} is not between -90 and 90")
    if len(position) > 2 and not math.isfinite(position[2]):
        raise BodyInvalidError(f"{field}[2]", "the height is not a number")


def _check_edges(ring: Ring, field: str) -> None:
    """No edge goes more than half around the Earth: it was meant to cross the antimeridian, where a geometry has to
    be cut in two (RFC 7946 section 3.1.9). The edge of a map of the whole Earth is none of those.
    """
    before = ring[0][0]
    for number, position in enumerate(ring):
        span = abs(position[0] - before)
        if 180 < span < 360:
            raise BodyInvalidError(
                f"{field}[{number}]",
                f"the edge from longitude {before} to {position[0]} goes more than half around the Earth; "
                "cut what crosses the antimeridian in two there (RFC 7946 section 3.1.9)",
            )
        before = position[0]
