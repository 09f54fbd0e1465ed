"""Draw boundaries into a tile: Mapbox Vector Tile 2.1 (https://github.com/mapbox/vector-tile-spec).

A tile has two layers. `outlines` has what can be seen of boundaries, with their ids. `places` has points, each with
the `count` of boundaries that are there: of those that are too many to be drawn, or too small.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from headland.farm.geometry.engine import mapbox_vector_tile, shapely
from headland.farm.geometry.engine import numpy as np
from headland.farm.tiles.squares import BUFFER, EXTENT, LARGEST_ZOOM, Square

OUTLINES, PLACES = "outlines", "places"

#: Units of a tile, of which a pixel has 8 at the usual 512 pixels: an outline that is smaller is a place, and lines are
#: made straight where nobody sees it.
_SMALLEST = 8.0
_UNSEEN = 4.0
#: At the largest zoom, since clients enlarge it.
_UNSEEN_ENLARGED = 1.0

#: Positions of one outline, and of all of a tile, that are light.
_LIGHT, _LIGHT_TOGETHER = 500, 50_000

_POLYGONS = (3, 6)
_LATITUDE_OF_EDGE = 85.0511287798066


#: Column and row in units of a tile, and how many boundaries are there.
_Dot = tuple[float, float, int]


class Outline(NamedTuple):
    """A boundary to be drawn."""

    #: Well-known binary.
    wkb: bytes
    properties: dict[str, str]


class Place(NamedTuple):
    """Where boundaries are that are not drawn, in degrees."""

    longitude: float
    latitude: float
    many: int


def is_light(outlines: Sequence[Outline]) -> bool:
    """Whether they are drawn in 0.2 seconds, whatever they are."""
    sizes = [len(outline.wkb) // 16 for outline in outlines]
    return max(sizes, default=0) <= _LIGHT and sum(sizes) <= _LIGHT_TOGETHER


def drawn(square: Square, outlines: Sequence[Outline], places: Sequence[Place]) -> bytes:
    """The tile; no bytes where nothing is in it."""
    features, small = _outlined(square, outlines)
    points = _pointed([*_counted(square, places), *small])
    layers = [
        {"name": name, "features": some} for name, some in ((OUTLINES, features), (PLACES, points)) if some
    ]
    if not layers:
        return b""
    options = {"y_coord_down": True, "extents": EXTENT}
    tile: bytes = mapbox_vector_tile.encode(layers, default_options=options)
    return tile


def _outlined(square: Square, outlines: Sequence[Outline]) -> tuple[list[dict[str, Any]], list[_Dot]]:
    """Features of those that can be seen, and where the others are."""
    if not outlines:
        return [], []
    shapes = shapely.transform(
        shapely.from_wkb([outline.wkb for outline in outlines]), lambda positions: _units(square, positions)
    )
    west, north, east, south = shapely.bounds(shapes).T
    large = np.maximum(east - west, south - north) >= _SMALLEST
    unseen = _UNSEEN if square.zoom < LARGEST_ZOOM else _UNSEEN_ENLARGED
    shapes[large] = shapely.simplify(shapes[large], unseen)
    edge = shapely.box(-BUFFER, -BUFFER, EXTENT + BUFFER, EXTENT + BUFFER)
    crossing = large & ~shapely.within(shapes, edge)
    shapes[crossing] = shapely.intersection(shapes[crossing], edge)
    # On the grid, so that rounding makes nothing cross itself.
    shapes[large] = shapely.set_precision(shapes[large], 1.0)
    features: list[dict[str, Any]] = []
    small: list[_Dot] = []
    for number, outline in enumerate(outlines):
        if large[number]:
            features += [
                {"geometry": part, "properties": outline.properties} for part in _polygons(shapes[number])
            ]
        else:
            small.append(((west[number] + east[number]) / 2, (north[number] + south[number]) / 2, 1))
    return features, small


def _polygons(shape: Any) -> Iterable[Any]:
    """What of a shape has an area: where it only touches the edge there are lines and points, too."""
    if shapely.get_type_id(shape) in _POLYGONS:
        return () if shapely.is_empty(shape) else (shape,)
    return [part for part in shapely.get_parts(shape) if shapely.get_type_id(part) in _POLYGONS]


def _counted(square: Square, places: Sequence[Place]) -> list[_Dot]:
    if not places:
        return []
    positions = _units(square, np.array([(place.longitude, place.latitude) for place in places]))
    return [(x, y, place.many) for place, (x, y) in zip(places, positions, strict=True)]


def _pointed(dots: Iterable[_Dot]) -> list[dict[str, Any]]:
    """Points of the tile, one a pixel; those beyond its edges, its neighbours have."""
    pixels: Counter[tuple[int, int]] = Counter()
    for x, y, count in dots:
        if 0 <= x < EXTENT and 0 <= y < EXTENT:
            pixels[int(x // _SMALLEST), int(y // _SMALLEST)] += count
    middle = _SMALLEST / 2
    return [
        {
            "geometry": shapely.Point(column * _SMALLEST + middle, row * _SMALLEST + middle),
            "properties": {"count": count},
        }
        for (column, row), count in pixels.items()
    ]


def _units(square: Square, positions: Any) -> Any:
    """Degrees as units of the tile, whose rows go down from the north."""
    latitudes = np.radians(np.clip(positions[:, 1], -_LATITUDE_OF_EDGE, _LATITUDE_OF_EDGE))
    tiles = 1 << square.zoom
    x = (positions[:, 0] + 180) / 360 * tiles - square.column
    y = (1 - np.arcsinh(np.tan(latitudes)) / np.pi) / 2 * tiles - square.row
    return np.column_stack((x, y)) * EXTENT
