"""How large geometries are, and what two of them have in common."""

from typing import Any, NamedTuple

from headland.farm.geometry.engine import shapely
from headland.farm.geometry.geojson import MultiPolygon, Rings
from headland.farm.geometry.measuring import acres


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


def _acres(shape: Any) -> float:
    return acres(MultiPolygon([_rings(part) for part in shapely.get_parts(shape) if _is_polygon(part)]))


def _is_polygon(part: Any) -> bool:
    return bool(shapely.get_type_id(part) == shapely.GeometryType.POLYGON) and not shapely.is_empty(part)


def _rings(polygon: Any) -> Rings:
    return [shapely.get_coordinates(ring).tolist() for ring in shapely.get_rings(polygon)]
