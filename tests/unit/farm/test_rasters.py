"""Rasters of a shapefile's columns, and what is said of shapefiles of which none can be made."""

import math
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
import rasterio
from tests.shapefiles import UTM_32, parts, square, zipped

from headland.farm.rasters import archives
from headland.farm.rasters.program import Told, main

Make = Callable[..., Told]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    def make(archive: bytes, *columns: str) -> Told:
        (tmp_path / "archive").write_bytes(archive)
        return main(tmp_path / "archive", tmp_path, columns or ("YIELD",))

    return make


def test_polygons_in_metres(make: Make, tmp_path: Path) -> None:
    """Two fields of 100 m beside each other; of a third nothing is known."""
    rings = [square(600_000 + n * 100, 5_400_000, 100) for n in range(3)]
    records = [(rings[0], [5.5, "a"]), (rings[1], [7.25, "b"]), (rings[2], [None, "c"]), (None, [9, "d"])]
    told = make(zipped(parts(records, prj=UTM_32)), "yield")
    assert [(each.column, each.file) for each in told.rasters] == [("YIELD", "0.tif")]
    with rasterio.open(tmp_path / "0.tif") as raster:
        assert (raster.crs.to_epsg(), raster.dtypes, raster.descriptions) == (4326, ("float64",), ("YIELD",))
        assert math.isnan(raster.nodata)
        assert raster.tags(ns="IMAGE_STRUCTURE")["LAYOUT"] == "COG"
        band = raster.read(1)
        # Cells of 2 m on the ground.
        assert 50 <= raster.height <= 56
        assert 150 <= raster.width <= 156
        lon, lat = 10.36105, 48.74545
        assert band[raster.index(lon, lat)] == 5.5
        assert band[raster.index(lon + 100 / 73_500, lat)] == 7.25
        assert np.isnan(band[raster.index(lon + 200 / 73_500, lat)])
    assert set(band[~np.isnan(band)]) == {5.5, 7.25}


def test_points_share_cells_and_their_mean(make: Make, tmp_path: Path) -> None:
    """Fixes a metre apart, without a `.prj`: degrees."""
    step = 1 / 111_200
    records = [((10 + x * step, y * step), [x, ""]) for x in range(20) for y in range(20)]
    assert make(zipped(parts(records))).code == ""
    with rasterio.open(tmp_path / "0.tif") as raster:
        band = raster.read(1)
    assert band.size < 400
    assert not np.isnan(band).any()
    assert np.nanmin(band) >= 0
    assert np.nanmax(band) <= 19
    # From west to east.
    assert (np.diff(band.mean(axis=0)) > 0).all()


def test_one_point(make: Make, tmp_path: Path) -> None:
    assert make(zipped(parts([((10.0, 50.0), [3, ""])]))).code == ""
    with rasterio.open(tmp_path / "0.tif") as raster:
        assert raster.read(1).tolist() == [[3.0]]


FIELD = (square(10, 50, 0.001), [1, "a"])


def without(ending: str) -> dict[str, bytes]:
    return {name: data for name, data in parts([FIELD]).items() if name != ending}


@pytest.mark.parametrize(
    ("archive", "columns", "code", "said"),
    [
        (b"nothing of the kind", (), "InvalidShapefile", "no zip archive"),
        (zipped(parts([FIELD]))[:-400], (), "InvalidShapefile", "no zip archive, or is damaged"),
        (zipped({}), (), "InvalidShapefile", "has 0 files that end in .shp"),
        (zipped(without(".dbf")), (), "InvalidShapefile", "no .dbf beside it"),
        (zipped(parts([FIELD]) | {"2.shp": b""}), (), "InvalidShapefile", "has 2 files"),
        (zipped(parts([FIELD]) | {".shp": b"\0" * 200}), (), "InvalidShapefile", "can't be read"),
        (zipped(parts([FIELD]) | {".dbf": b"\3"}), (), "InvalidShapefile", "can't be read"),
        (
            zipped(parts([FIELD])),
            ("MOISTURE",),
            "UnknownColumn",
            "no column 'MOISTURE'; it has 'YIELD', 'NAME'",
        ),
        (zipped(parts([FIELD])), ("YIELD", "NAME"), "ColumnNotNumeric", "'NAME' is no column of numbers"),
        (zipped(parts([])), (), "EmptyShapefile", "no shapes"),
        (zipped(parts([(None, [1, "a"])])), (), "EmptyShapefile", "no shapes"),
        (zipped(parts([(FIELD[0], [None, "a"])])), (), "EmptyColumn", "'YIELD' has no numbers"),
        (
            zipped(parts([FIELD, (square(0, 0, 0.001), [1, "a"])])),
            (),
            "ExtentTooLarge",
            "from 0, 0 to 10.001, 50.001; 200 km are allowed",
        ),
        (zipped(parts([(square(6e5, 5.4e6, 9), [1, "a"])])), (), "InvalidCoordinates", "there is no .prj"),
        (
            zipped(parts([(square(1e9, 9e9, 9), [1, ""])], prj=UTM_32)),
            (),
            "InvalidCoordinates",
            "by its .prj",
        ),
        (
            zipped(parts([FIELD], prj="GEOGCS[")),
            (),
            "UnknownCoordinateSystem",
            ".prj is no coordinate system",
        ),
    ],
)
def test_of_what_no_raster_can_be_made(
    make: Make, archive: bytes, columns: Sequence[str], code: str, said: str
) -> None:
    told = make(archive, *columns)
    assert (told.code, said in told.message) == (code, True), told


def test_an_archive_that_swells(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MOST_BYTES", 10_000)
    told = make(zipped(parts([FIELD]) | {".shp": b"\0" * 20_000}))
    assert (told.code, "10,000 are allowed" in told.message) == ("ShapefileTooLarge", True)


def test_an_encrypted_archive(make: Make) -> None:
    archive = bytearray(zipped(parts([FIELD])))
    at = 0
    while (at := archive.find(b"PK\1\2", at)) >= 0:
        archive[at + 8] |= 1
        at += 4
    assert make(bytes(archive)).code == "InvalidShapefile"
