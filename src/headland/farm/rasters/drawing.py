"""A column becomes a file."""

from pathlib import Path
from typing import Any

import numpy as np
import rasterio
import shapely
from rasterio.enums import MergeAlg
from rasterio.features import rasterize

from headland.farm.rasters.errors import RasterError
from headland.farm.rasters.grids import Grid
from headland.farm.rasters.shapes import WGS84

#: Cloud-optimized, so that parts of it can be read by themselves.
_FORM = {"driver": "COG", "compress": "DEFLATE", "predictor": "YES"}


def draw(
    name: str, geometries: np.ndarray[Any, Any], values: np.ndarray[Any, Any], grid: Grid, target: Path
) -> None:
    """Write a GeoTIFF with one band of floating point numbers. A cell has the mean of what lies on it, or NaN.

    Args:
        values: a number for each of the geometries; NaN for none.

    Raises:
        RasterError: there is not one number.
    """
    known = np.isfinite(values)
    if not known.any():
        raise RasterError("EmptyColumn", f"The column '{name}' has no numbers.")
    known_geometries, numbers = geometries[known], values[known]
    total = _drawn(known_geometries, numbers, grid)
    count = _drawn(known_geometries, np.ones(len(numbers)), grid)
    with np.errstate(invalid="ignore"):
        band = np.where(count > 0, total / count, np.nan)
    size = {"width": grid.width, "height": grid.height, "count": 1, "dtype": "float64"}
    with rasterio.open(
        target, "w", **_FORM, **size, crs=WGS84, transform=grid.transform, nodata=np.nan
    ) as raster:
        raster.write(band, 1)
        raster.set_band_description(1, name)


def _drawn(
    geometries: np.ndarray[Any, Any], values: np.ndarray[Any, Any], grid: Grid
) -> np.ndarray[Any, Any]:
    """In each cell the sum of what lies on it: of a polygon, where it has the cell's centre."""
    drawn: np.ndarray[Any, Any] = rasterize(
        zip(geometries, values, strict=True),
        out_shape=(grid.height, grid.width),
        transform=grid.transform,
        all_touched=bool((shapely.get_dimensions(geometries) < 2).all()),
        merge_alg=MergeAlg.add,
        dtype="float64",
    )
    return drawn
