"""Shapefiles (Esri's technical description of July 1998), zipped with the files that belong to them."""

import codecs
import io
import re
import struct
import zipfile
import zlib
from itertools import repeat
from typing import Any

import shapefile

from headland.portal.importing.features import (
    MOST_UNFOLDED,
    Feature,
    UnreadableFileError,
    check_number,
    feature_of,
)

_PARTS = ("shp", "shx", "dbf", "prj", "cpg")
_POLYGONS = frozenset({shapefile.POLYGON, shapefile.POLYGONZ, shapefile.POLYGONM})
#: Well-known text of coordinates in degrees on today's usual ellipsoid.
_WGS84 = re.compile(r'^\s*GEOGCS\s*\[\s*"(GCS_)?WGS[_ ]?(19)?84"', re.IGNORECASE)
_NAMED = re.compile(r'"([^"]{1,80})"')


#: What the library raises at bytes that are no shapefile.
_DAMAGED = (
    shapefile.ShapefileException,
    struct.error,
    ArithmeticError,
    AssertionError,
    AttributeError,
    EOFError,
    LookupError,
    TypeError,
    ValueError,
)


def read_shapefile(content: bytes) -> list[Feature]:
    """
    Raises:
        UnreadableFileError: there is none in the archive, or it can't be read, or is in other coordinates.
    """
    files = _unzipped(content)
    _check_coordinates(files.get("prj", b"").decode("utf-8", "replace"))
    parts = {part: io.BytesIO(files[part]) for part in ("shp", "shx", "dbf") if part in files}
    try:
        reader = shapefile.Reader(**parts, encoding=_encoding(files), encodingErrors="replace")
        check_number(reader.numShapes or 0)
        records = (record.as_dict() for record in reader.iterRecords()) if "dbf" in files else repeat({})
        return [_feature(shape, record) for shape, record in zip(reader.iterShapes(), records, strict=False)]
    except _DAMAGED as error:
        if isinstance(error, UnreadableFileError):
            raise
        raise UnreadableFileError("The shapefile in the archive can't be read; it may be damaged.") from error


def _unzipped(content: bytes) -> dict[str, bytes]:
    """The files of the archive's only shapefile, by their endings."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            infos = {info.filename.lower(): info for info in archive.infolist() if not info.is_dir()}
            stems = [name.removesuffix(".shp") for name in infos if name.endswith(".shp")]
            if len(stems) != 1:
                raise UnreadableFileError(
                    "There is no shapefile in the archive."
                    if not stems
                    else "The archive has several shapefiles. Choose one with just one."
                )
            wanted = {part: infos[f"{stems[0]}.{part}"] for part in _PARTS if f"{stems[0]}.{part}" in infos}
            if sum(info.file_size for info in wanted.values()) > MOST_UNFOLDED:
                raise UnreadableFileError(
                    f"The shapefile is larger than {MOST_UNFOLDED >> 20} MB when it is unzipped."
                )
            # No more is unzipped than the archive says: whatever comes beyond that is an error of the library's.
            return {part: archive.read(info) for part, info in wanted.items()}
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError) as error:
        raise UnreadableFileError(
            "The archive can't be unzipped: it is damaged, or needs a password."
        ) from error


def _check_coordinates(text: str) -> None:
    if text.strip() and not _WGS84.match(text):
        named = _NAMED.search(text)
        where = f"in {named[1]}" if named else "not in degrees of WGS 84"
        raise UnreadableFileError(f"The shapefile is {where}. Export it in WGS 84 (EPSG:4326).")


def _encoding(files: dict[str, bytes]) -> str:
    """Of the texts in its table."""
    named = files.get("cpg", b"").decode("ascii", "replace").strip()
    try:
        return codecs.lookup(named).name if named else "utf-8"
    except LookupError:
        return "utf-8"


def _feature(shape: Any, record: dict[str, Any]) -> Feature:
    if shape.shapeType not in _POLYGONS:
        return feature_of(None, record)
    found = shape.__geo_interface__
    return feature_of({"type": found["type"], "coordinates": _flat(found["coordinates"])}, record)


def _flat(coordinates: Any) -> Any:
    """As lists, without heights and measures."""
    if coordinates and isinstance(coordinates[0], float | int):
        return list(coordinates[:2])
    return [_flat(each) for each in coordinates]
