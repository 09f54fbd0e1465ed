"""Rasters of a shapefile's columns, by the public clients' pollers."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.shapefiles import parts, square, zipped

Driver = Callable[..., Any]


@pytest.fixture
def shapefile(tmp_path: Path) -> str:
    file = tmp_path / "yield.zip"
    file.write_bytes(zipped(parts([(square(10, 50, 0.001), [5.5, "a"])])))
    return str(file)


def test_in_python(driver: Driver, shapefile: str) -> None:
    assert driver("rasterize.py", "pyraster", shapefile) == {
        "status": ["Succeeded", "Succeeded"],
        "same": True,
        "file": "YIELD.tif",
        "tiff": "II",
        "failed": "OperationFailed",
        "why": "UnknownColumn",
    }


def test_in_javascript(driver: Driver, shapefile: str) -> None:
    assert driver("rasterize.mjs", "jsraster", shapefile) == {
        "done": ["202", "Succeeded", ""],
        "file": "YIELD.tif",
        "failed": ["202", "Failed", "UnknownColumn"],
    }
