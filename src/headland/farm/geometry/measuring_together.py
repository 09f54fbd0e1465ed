"""Areas and centroids of many polygons at once: what `measuring` has of each, to the last digit.

What is added up is added in the same order: `numpy.bincount` does that, `numpy.sum` does not. Sines and their like are
Python's own, for those that take whole arrays end in other digits on some processors.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

from headland.farm.geometry.engine import numpy as np
from headland.farm.geometry.geojson import Point, Polygon
from headland.farm.geometry.measuring import (
    ACRES_A_SQUARE_METRE,
    EARTH_RADIUS,
    HALF_WAY,
    NO_AREA,
    TOLERANCE,
    beyond_edge,
    centroid,
)


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
        #: Of each ring, its first position.
        self._firsts = np.append(0, np.flatnonzero(ring_of[1:] != ring_of[:-1]) + 1)

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
        angles = 2 * _each(
            math.atan2, products * _each(math.sin, turns), 1 + products * _each(math.cos, turns)
        )
        for edge in np.flatnonzero(np.abs(turns) >= HALF_WAY).tolist():
            sides = self._y[self._begins[edge]], self._y[self._ends[edge]]
            angles[edge] = beyond_edge(float(turns[edge]), *map(float, sides))
        return self._of_rings(angles) * (EARTH_RADIUS * EARTH_RADIUS)

    def centroids(self, boxes: Any) -> list[Point]:
        """Centres of the areas, in degrees. Of each box there are west, south, east and north."""
        nowhere = np.zeros((len(boxes), 2))
        public = self._centres(nowhere, np.zeros((len(self._polygon_of), 2)))
        exact = self._centres(boxes[:, :2], np.column_stack((self._x, self._y))[self._firsts])
        sizes = boxes[:, 2:] - boxes[:, :2]
        right = (
            (np.abs(public - exact) <= TOLERANCE * sizes)
            & (boxes[:, :2] <= public)
            & (public <= boxes[:, 2:])
        )
        # What has no area is no number, and is left to `centroid`.
        found = np.where(right.all(axis=1)[:, None], public, exact)
        known = np.isfinite(exact).all(axis=1)
        return [
            Point(position) if is_known else centroid(polygon)
            for polygon, position, is_known in zip(
                self._polygons, found.tolist(), known.tolist(), strict=True
            )
        ]

    def _centres(self, corners: Any, origins: Any) -> Any:
        """By sums from each ring's origin on, put together at each polygon's corner; no number where is no area."""
        from_x, from_y = origins[self._ring_of_edge].T
        x, next_x = self._x[self._begins] - from_x, self._x[self._ends] - from_x
        y, next_y = self._y[self._begins] - from_y, self._y[self._ends] - from_y
        cross = x * next_y - next_x * y
        doubled = self._of_rings(cross)
        west, south = (origins - corners[self._polygon_of]).T
        # Whichever way round rings are written, holes are taken out.
        sign = np.where((doubled < 0) == self._is_hole, 1.0, -1.0)
        area, moment_x, moment_y = (
            np.bincount(self._polygon_of, sign * sums)
            for sums in (
                doubled,
                self._of_rings((x + next_x) * cross) + 3 * doubled * west,
                self._of_rings((y + next_y) * cross) + 3 * doubled * south,
            )
        )
        area = np.where(np.abs(area) > NO_AREA, area, np.nan)
        return corners + np.column_stack((moment_x, moment_y)) / (3 * area)[:, None]

    def _of_rings(self, of_edges: Any) -> Any:
        """Sums by ring."""
        return np.bincount(self._ring_of_edge, of_edges, minlength=len(self._polygon_of))


def _each(function: Callable[..., float], *values: Any) -> Any:
    return np.fromiter(map(function, *(each.tolist() for each in values)), float, len(values[0]))
