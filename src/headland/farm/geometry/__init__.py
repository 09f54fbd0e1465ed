"""Geometry: what clients send as GeoJSON, checked, measured and made ready to be found by."""

from headland.farm.geometry.geojson import Geometry, MultiPolygon, Point, Polygon
from headland.farm.geometry.reading import DEFAULT_LIMITS, Limits, Placed, checked, placed

__all__ = [
    "DEFAULT_LIMITS",
    "Geometry",
    "Limits",
    "MultiPolygon",
    "Placed",
    "Point",
    "Polygon",
    "checked",
    "placed",
]
