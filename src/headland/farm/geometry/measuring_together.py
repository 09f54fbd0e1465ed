"""Areas and centroids of many polygons at once: what `measuring` has of each, to the last digit.

What is added up is added in the same order: `numpy.bincount` does that, `numpy.sum` does not. Sines and their like are
Python's own, for those that take whole arrays end in other digits on some processors.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

from headland.farm.geometry.engine import numpy as np
from headland.farm.geometry.geojson import Point, Polygon
from headland.farm.geometry.measuring import ACRES_A_SQUARE_METRE, EARTH_RADIUS, centroid


class Measuring:
    """Polygons to be measured."""

    def __init__(self, polygons: Sequence[Polygon], positions: Any, ring_of: Any, polygon_of: Any) -> None:
        """`positions` are rows of longitude and latitude, in degrees: those of all rings, one ring after the other,
        each closed. Of each there is the number of its ring in `ring_of`, and of each ring that of its polygon in
        `polygon_of`.
        """
        self._polygons = polygons
        self._x, self._y = positions.T
        self._polygon_of = polygon_of
        self._is_hole = np.append(False, polygon_of[1:] == polygon_of[:-1])
        #: Of each edge, the position where it begins; it ends with the next one.
        self._begins = np.flatnonzero(ring_of[1:] == ring_of[:-1])
        self._ends = self._begins + 1
        self._ring_of_edge = ring_of[self._begins]

    def acres(self) -> list[float]:
        """Areas on a sphere, holes taken out."""
        areas = np.abs(self._square_metres())
        holes = np.bincount(
            self._polygon_of[self._is_hole], areas[self._is_hole], minlength=len(self._polygons)
        )
        found: list[float] = ((areas[~self._is_hole] - holes) * ACRES_A_SQUARE_METRE).tolist()
        return found

    def _square_metres(self) -> Any:
        """Of each ring, signed."""
        degree, quarter = math.pi / 180, math.pi / 2
        tans = _each(math.tan, (quarter - self._y * degree) / 2)
        longitudes = self._x * degree
        turns = longitudes[self._ends] - longitudes[self._begins]
        products = tans[self._ends] * tans[self._begins]
        angles = _each(math.atan2, products * _each(math.sin, turns), 1 + products * _each(math.cos, turns))
        return self._of_rings(2 * angles) * (EARTH_RADIUS * EARTH_RADIUS)

    def centroids(self, boxes: Any) -> list[Point]:
        """Centres of the areas, in degrees. Of each box there are west, south, east and north."""
        x, next_x = self._x[self._begins], self._x[self._ends]
        y, next_y = self._y[self._begins], self._y[self._ends]
        cross = x * next_y - next_x * y
        doubled = self._of_rings(cross)
        # Whichever way round rings are written, holes are taken out.
        sign = np.where((doubled < 0) == self._is_hole, 1.0, -1.0)
        area, moment_x, moment_y = (
            np.bincount(self._polygon_of, sign * sums)
            for sums in (doubled, self._of_rings((x + next_x) * cross), self._of_rings((y + next_y) * cross))
        )
        # What has no area is left to `centroid`, as is what rounding has put elsewhere.
        with np.errstate(divide="ignore", invalid="ignore"):
            found = 0.0 + np.column_stack((moment_x, moment_y)) / (3 * area)[:, None]
        holds = ((boxes[:, :2] <= found) & (found <= boxes[:, 2:])).all(axis=1)
        return [
            Point(position) if is_held else centroid(polygon)
            for polygon, position, is_held in zip(self._polygons, found.tolist(), holds.tolist(), strict=True)
        ]

    def _of_rings(self, of_edges: Any) -> Any:
        """Sums by ring."""
        return np.bincount(self._ring_of_edge, of_edges, minlength=len(self._polygon_of))


def _each(function: Callable[..., float], *values: Any) -> Any:
    return np.fromiter(map(function, *(each.tolist() for each in values)), float, len(values[0]))
