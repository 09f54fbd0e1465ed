"""How large geometries are, and what two of them have in common."""

from typing import Any, NamedTuple

from headland.farm.geometry.engine import pyproj, shapely
from headland.farm.geometry.geojson import MultiPolygon, Rings
from headland.farm.geometry.measuring import ACRES_A_SQUARE_METRE, acres

#: Products of two geometries' numbers of positions that are light: a crossing takes 50 microseconds.
_LIGHT = 800

#: Square metres.
_ELLIPSOID = 510_065_621_724_088.44


class Overlap(NamedTuple):
    """Areas in acres."""

    one: float
    other: float
    #: Of what lies in both. Lines and points in common have none.
    common: float


def overlap(one: bytes, other: bytes) -> Overlap:
    """Of two geometries in well-known binary."""
    first, second = shapely.from_wkb(one), shapely.from_wkb(other)
    return Overlap(_acres(first), _acres(second), _acres(shapely.intersection(first, second)))


def is_light(one: bytes, other: bytes) -> bool:
    """Whether `overlap` takes less than 10 ms of them: each edge may cross all edges of the other one."""
    return _positions(one) * _positions(other) <= _LIGHT


def _positions(wkb: bytes) -> int:
    return len(wkb) // 16


def geodesic_square_metres(wkb: bytes) -> float:
    """The area on the ellipsoid of WGS 84, between geodesics (C. F. F. Karney, Algorithms for geodesics, 2013)."""
    shape = shapely.from_wkb(wkb)
    # No geodesic says which way an edge goes that is half around the Earth or more.
    if shape.bounds and shape.bounds[2] - shape.bounds[0] >= 180:
        shape = shapely.segmentize(shape, 1.0)
    ellipsoid = pyproj.Geod(ellps="WGS84")
    total = 0.0
    for part in shapely.get_parts(shape):
        if _is_polygon(part):
            outer, *holes = [_geodesic(ellipsoid, ring) for ring in shapely.get_rings(part)]
            total += outer - sum(holes)
    return total


def _geodesic(ellipsoid: Any, ring: Any) -> float:
    positions = shapely.get_coordinates(ring)
    if not shapely.is_ccw(ring):
        positions = positions[::-1]
    found = float(ellipsoid.polygon_area_perimeter(*positions.T)[0])
    # A ring is told as what it holds or as what it leaves out, which of all of the Earth is nothing: the sphere says
    # which, to a hundredth.
    roughly = acres(MultiPolygon([[positions.tolist()]])) / ACRES_A_SQUARE_METRE
    return min((found, found + _ELLIPSOID), key=lambda area: abs(area - roughly))


def _acres(shape: Any) -> float:
    return acres(MultiPolygon([_rings(part) for part in shapely.get_parts(shape) if _is_polygon(part)]))


def _is_polygon(part: Any) -> bool:
    return bool(shapely.get_type_id(part) == shapely.GeometryType.POLYGON) and not shapely.is_empty(part)


def _rings(polygon: Any) -> Rings:
    return [shapely.get_coordinates(ring).tolist() for ring in shapely.get_rings(polygon)]
