"""Which cells a raster has."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import shapely
from rasterio.transform import Affine

from headland.farm.rasters.errors import RasterError

#: Metres of a degree of latitude, about.
_DEGREE = 111_200.0

#: Metres of a cell's side: the finest; and of one where lines and polygons say nothing of how fine they are.
_FINEST, _USUAL = 0.5, 2.0

#: Cells of a raster's side.
_MOST_CELLS = 4096

#: Metres of a raster's side: several times the largest farms. Beyond it are fixes of GPS that were none.
MOST_METRES = 200_000.0


@dataclass(frozen=True, slots=True)
class Grid:
    """Cells that are about square on the ground."""

    transform: Affine
    width: int
    height: int


def grid_over(geometries: np.ndarray[Any, Any]) -> Grid:
    """Cells over all geometries, which are in degrees.

    Points have cells that are large enough for one or two of them each; others the usual ones. Either are larger
    where there would be too many.

    Raises:
        RasterError: they are too far apart.
    """
    west, south, east, north = map(float, shapely.total_bounds(geometries))
    # Metres of a degree of longitude in the middle; at a pole there is none.
    across = max(_DEGREE * math.cos(math.radians((south + north) / 2)), 1.0)
    wide, high = (east - west) * across, (north - south) * _DEGREE
    if max(wide, high) > MOST_METRES:
        text = (
            f"The shapes reach over {max(wide, high) / 1000:,.0f} km, from {west:g}, {south:g} to {east:g}, {north:g}; "
            f"{MOST_METRES / 1000:,.0f} km are allowed."
        )
        raise RasterError("ExtentTooLarge", text)
    side = max(_side(geometries, wide * high), wide / (_MOST_CELLS - 1), high / (_MOST_CELLS - 1))
    x, y = side / across, side / _DEGREE
    # Half a cell more on each side: what is on the edge is in a cell.
    transform = Affine(x, 0, west - x / 2, 0, -y, north + y / 2)
    return Grid(transform, round(wide / side) + 1, round(high / side) + 1)


def _side(geometries: np.ndarray[Any, Any], area: float) -> float:
    """`area` in square metres."""
    if (shapely.get_dimensions(geometries) > 0).any() or area == 0:
        return _USUAL
    return max(math.sqrt(2 * area / int(shapely.get_num_coordinates(geometries).sum())), _FINEST)
