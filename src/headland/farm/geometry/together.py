"""Read many geometries at once: to ask GEOS for each by itself takes several times as long."""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from headland.farm.geometry.engine import numpy as np
from headland.farm.geometry.engine import shapely
from headland.farm.geometry.geojson import Geometry, Polygon
from headland.farm.geometry.measuring_together import Measuring
from headland.farm.geometry.reading import DEFAULT_LIMITS, LIGHT, Limits, Placed

#: Of a batch: each edge of a polygon is held against all others at the worst.
_BATCH = 4 * LIGHT**2


def placed_together(geometries: Sequence[Geometry], limits: Limits = DEFAULT_LIMITS) -> list[Placed | None]:
    """What `checked` makes of each; None where that has to be asked: for what is
    wrong, what takes long, and what is seldom."""
    plain = [_is_plain(geometry, limits) for geometry in geometries]
    polygons = [geometry for geometry, is_plain in zip(geometries, plain, strict=True) if is_plain]
    if not polygons:
        return [None] * len(geometries)
    found = iter(_placed(polygons))  # type: ignore[arg-type]
    return [next(found) if is_plain else None for is_plain in plain]


def batches(geometries: Sequence[Geometry]) -> Iterator[Sequence[Geometry]]:
    """Some after the others: to look at those of one batch together takes 15 ms at the most, whatever they are."""
    begin = cost = 0
    for number, geometry in enumerate(geometries):
        count = sum(map(len, geometry.coordinates)) if isinstance(geometry, Polygon) else 0
        added = min(count, LIGHT) ** 2
        if cost + added > _BATCH and number > begin:
            yield geometries[begin:number]
            begin, cost = number, 0
        cost += added
    if begin < len(geometries):
        yield geometries[begin:]


def _is_plain(geometry: Geometry, limits: Limits) -> bool:
    """Whether it is a polygon without heights, of which all rings could be rings."""
    if not isinstance(geometry, Polygon):
        return False
    count = 0
    for number, ring in enumerate(geometry.coordinates):
        if set(map(len, ring)) != {2}:
            return False
        if ring[0] != ring[-1]:
            geometry.coordinates[number] = [*ring, ring[0]]
        count += len(ring)
        if len(geometry.coordinates[number]) < 4:
            return False
    return count <= min(limits.vertices, LIGHT)


def _placed(polygons: Sequence[Polygon]) -> list[Placed | None]:
    rings = [ring for polygon in polygons for ring in polygon.coordinates]
    positions = np.fromiter(chain.from_iterable(chain.from_iterable(rings)), float).reshape(-1, 2)
    ring_of = np.repeat(np.arange(len(rings)), [len(ring) for ring in rings])
    polygon_of = np.repeat(np.arange(len(polygons)), [len(polygon.coordinates) for polygon in polygons])
    good = np.ones(len(polygons), bool)
    good[polygon_of[ring_of[_astray(positions, ring_of)]]] = False
    shapes: Any = shapely.polygons(shapely.linearrings(positions, indices=ring_of), indices=polygon_of)
    # Not before it is known that all are numbers.
    good[good] = shapely.is_valid(shapes[good])
    # What is not good is measured as if it were nowhere.
    measurable = np.where(good[polygon_of[ring_of], None], positions, 0.0)
    measuring = Measuring(polygons, measurable, ring_of, polygon_of)
    boxes = shapely.bounds(shapes)
    found = zip(
        polygons,
        shapely.to_wkb(shapes, output_dimension=2),
        map(tuple, boxes.tolist()),
        measuring.acres(),
        measuring.centroids(boxes),
        strict=True,
    )
    return [Placed(*each) if is_good else None for each, is_good in zip(found, good.tolist(), strict=True)]


def _astray(positions: Any, ring_of: Any) -> Any:
    """Which positions are not on the Earth, or are reached by more than half a way around it."""
    # Written so that what is no number is not taken for one in range.
    on_earth = (np.abs(positions[:, 0]) <= 180) & (np.abs(positions[:, 1]) <= 90)
    span = np.abs(positions[1:, 0] - positions[:-1, 0])
    far = (ring_of[1:] == ring_of[:-1]) & (span > 180) & (span < 360)
    return ~on_earth | np.append(False, far)
