"""GeoJSON files (RFC 7946)."""

from typing import Any

import msgspec

from headland.portal.importing.features import Feature, UnreadableFileError, check_number, feature_of

_BOM = b"\xef\xbb\xbf"
#: What older files call the coordinates that all files have today.
_USUAL = ("CRS84", "EPSG::4326", "EPSG:4326")


def read_geojson(content: bytes) -> list[Feature]:
    """
    Raises:
        UnreadableFileError: it is none, or is in other coordinates.
    """
    try:
        found = msgspec.json.decode(content.removeprefix(_BOM))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise UnreadableFileError("The file is neither GeoJSON nor a zipped shapefile.") from None
    if not isinstance(found, dict):
        raise UnreadableFileError("The file is JSON, and no GeoJSON.")
    _check_coordinates(found.get("crs"))
    match found.get("type"):
        case "FeatureCollection":
            features = found.get("features")
            if not isinstance(features, list):
                raise UnreadableFileError("The file's collection has no list of features.")
            check_number(len(features))
            return [_feature(each) for each in features]
        case "Feature":
            return [_feature(found)]
        case "Polygon" | "MultiPolygon":
            return [feature_of(found, {})]
        case _:
            raise UnreadableFileError("The file is JSON, and has neither features nor an outline of GeoJSON.")


def _feature(found: Any) -> Feature:
    if not isinstance(found, dict):
        return feature_of(None, {})
    properties = found.get("properties")
    own = {"id": found["id"]} if "id" in found else {}
    return feature_of(found.get("geometry"), own | (properties if isinstance(properties, dict) else {}))


def _check_coordinates(crs: Any) -> None:
    properties = crs.get("properties") if isinstance(crs, dict) else None
    name = properties.get("name") if isinstance(properties, dict) else None
    if isinstance(name, str) and not name.endswith(_USUAL):
        raise UnreadableFileError(f"The file is in {name[:80]}. Export it in WGS 84 (EPSG:4326).")
