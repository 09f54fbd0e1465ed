"""Shapefiles as farm equipment writes them, made for tests."""

import io
import zipfile
from collections.abc import Mapping, Sequence
from typing import Any

import shapefile

#: As ESRI's programs write it.
UTM_32 = (
    'PROJCS["WGS_1984_UTM_Zone_32N",GEOGCS["GCS_WGS_1984",DATUM["D_WGS_1984",SPHEROID["WGS_1984",6378137.0,'
    '298.257223563]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]],PROJECTION["Transverse_Mercator"],'
    'PARAMETER["False_Easting",500000.0],PARAMETER["False_Northing",0.0],PARAMETER["Central_Meridian",9.0],'
    'PARAMETER["Scale_Factor",0.9996],PARAMETER["Latitude_Of_Origin",0.0],UNIT["Meter",1.0]]'
)

Ring = Sequence[tuple[float, float]]


def square(west: float, south: float, side: float) -> Ring:
    """A ring, clockwise as shapefiles have them."""
    east, north = west + side, south + side
    return [(west, south), (west, north), (east, north), (east, south), (west, south)]


def parts(
    records: Sequence[tuple[Any, Sequence[Any]]],
    columns: Sequence[tuple[str, ...]] = (("YIELD", "N", "10", "3"), ("NAME", "C", "10")),
    prj: str | None = None,
) -> dict[str, bytes]:
    """A shapefile's parts, by ending. A record is a ring, a point (a pair), or None, and its values."""
    files = {ending: io.BytesIO() for ending in ("shp", "shx", "dbf")}
    point = any(isinstance(shape, tuple) for shape, _ in records)
    kind = shapefile.POINT if point else shapefile.POLYGON
    with shapefile.Writer(**files, shapeType=kind) as writer:
        for name, letter, *sizes in columns:
            writer.field(name, letter, *map(int, sizes))
        for shape, values in records:
            if shape is None:
                writer.null()
            elif point:
                writer.point(*shape)
            else:
                writer.poly([shape])
            writer.record(*values)
    found = {f".{ending}": file.getvalue() for ending, file in files.items()}
    return found | ({".prj": prj.encode()} if prj is not None else {})


def zipped(found: Mapping[str, bytes], name: str = "maps/Yield 2026") -> bytes:
    """An archive of them."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as opened:
        for ending, data in found.items():
            opened.writestr(name + ending, data)
    return archive.getvalue()
