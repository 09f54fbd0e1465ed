"""Shapes and columns of a shapefile, in degrees of WGS84."""

import codecs
import struct
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import shapefile
import shapely
from rasterio.crs import CRS
from rasterio.errors import CRSError
from rasterio.warp import transform

from headland.farm.rasters.errors import RasterError

WGS84 = CRS.from_epsg(4326)

#: Types of columns that are numbers (dBASE): with digits, or binary.
_NUMBERS = frozenset("NFIO")

#: Patches of surfaces have a height, and no ground.
_NOT_FLAT = frozenset({shapefile.MULTIPATCH})

_UNREADABLE = (
    shapefile.ShapefileException,
    shapefile.PossiblyCorruptFileHeader,
    shapely.errors.ShapelyError,
    struct.error,
    ValueError,
    LookupError,
    TypeError,
    EOFError,
)


@dataclass(frozen=True, slots=True)
class Shapes:
    """Shapes, and what is said of each."""

    #: Of shapely.
    geometries: np.ndarray[Any, Any]
    #: A number for each of them, by column; NaN where there is none.
    columns: Mapping[str, np.ndarray[Any, Any]]


def read(parts: Mapping[str, Path], wanted: Sequence[str]) -> Shapes:
    """What a shapefile says in some of its columns. Records without a shape are passed over.

    Raises:
        RasterError: it can't be read, has no such column or no numbers in it, or nothing at all.
    """
    files = {"shp": str(parts[".shp"]), "dbf": str(parts[".dbf"])}
    text = {"encoding": _encoding(parts), "encodingErrors": "replace"}
    try:
        with _strictly(), shapefile.Reader(**files, **text) as reader:
            names = _columns(reader, wanted)
            geometries, values = _records(reader, names)
    except _UNREADABLE as error:
        raise RasterError("InvalidShapefile", f"The shapefile can't be read ({error}).") from None
    if not len(geometries):
        raise RasterError("EmptyShapefile", "The shapefile has no shapes.")
    columns = {name: values[:, number] for number, name in enumerate(names)}
    return Shapes(_in_degrees(geometries, parts.get(".prj")), columns)


@contextmanager
def _strictly() -> Iterator[None]:
    """What pyshp only warns of is an error, too: a file that was cut off."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", shapefile.PossiblyCorruptFileHeader)
        yield


def _columns(reader: shapefile.Reader, wanted: Sequence[str]) -> list[str]:
    """The names that the shapefile has for them; what is asked for need not be in the same case."""
    if reader.shapeType in _NOT_FLAT:
        raise RasterError(
            "InvalidShapefile", "The shapefile has multipatches, which are no shapes on the ground."
        )
    kinds = {name: str(kind) for name, kind, *_ in reader.fields if name != "DeletionFlag"}
    by_case = {name.lower(): name for name in kinds}
    found = []
    for asked in wanted:
        name = asked if asked in kinds else by_case.get(asked.lower())
        if name is None:
            text = (
                f"The shapefile has no column '{asked[:80]}'; it has {', '.join(map(repr, kinds)) or 'none'}."
            )
            raise RasterError("UnknownColumn", text)
        if kinds[name] not in _NUMBERS:
            text = f"The column '{name}' is no column of numbers (its type is {kinds[name]})."
            raise RasterError("ColumnNotNumeric", text)
        found.append(name)
    return found


def _records(reader: shapefile.Reader, names: Sequence[str]) -> tuple[Any, Any]:
    geometries, values = [], []
    for each in reader.iterShapeRecords(fields=list(names)):
        if each.shape.shapeType == shapefile.NULL or not each.shape.points:
            continue
        geometries.append(shapely.force_2d(shapely.geometry.shape(each.shape.__geo_interface__)))
        values.append([_number(each.record[name]) for name in names])
    return np.array(geometries, dtype=object), np.array(values, dtype=float).reshape(len(values), len(names))


def _number(value: Any) -> float:
    return float("nan") if value is None or value == "" else float(value)


def _in_degrees(geometries: np.ndarray[Any, Any], prj: Path | None) -> np.ndarray[Any, Any]:
    if prj is not None:
        system = _system(prj)
        if system != WGS84:

            def moved(xy: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
                return np.column_stack(transform(system, WGS84, xy[:, 0], xy[:, 1]))

            try:
                geometries = shapely.transform(geometries, moved)
            except Exception as error:  # noqa: BLE001 - GDAL's errors have no public class
                text = f"The shapefile's coordinates are no places on Earth by its .prj ({error})."
                raise RasterError("InvalidCoordinates", text) from None
    west, south, east, north = shapely.total_bounds(geometries)
    if not (west >= -180 and south >= -90 and east <= 180 and north <= 90):
        what = "by its .prj" if prj else "and there is no .prj that says what they are"
        places = f"{west:g}, {south:g} to {east:g}, {north:g}"
        text = f"The shapefile's coordinates are no places on Earth, {what}: {places}."
        raise RasterError("InvalidCoordinates", text)
    return geometries


def _system(prj: Path) -> CRS:
    try:
        return CRS.from_wkt(prj.read_text("utf-8", "replace").strip(), morph_from_esri_dialect=True)
    except CRSError as error:
        text = f"The shapefile's .prj is no coordinate system that is known ({error})."
        raise RasterError("UnknownCoordinateSystem", text) from None


def _encoding(parts: Mapping[str, Path]) -> str:
    """Of text: as `.cpg` says, where Python knows it."""
    named = parts[".cpg"].read_text("ascii", "replace").strip() if ".cpg" in parts else ""
    try:
        return codecs.lookup(named).name
    except LookupError:
        return "utf-8"
