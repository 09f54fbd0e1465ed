"""Read a file that somebody has chosen or dropped: GeoJSON, or a zipped shapefile."""

from headland.portal.importing.features import Feature, UnreadableFileError, check_number
from headland.portal.importing.geojson import read_geojson
from headland.portal.importing.shapefiles import read_shapefile

_ZIP = b"PK"


def read_features(content: bytes) -> list[Feature]:
    """All features of a file, whatever it is called.

    Raises:
        UnreadableFileError: it is neither, or not as it should be.
    """
    if not content:
        raise UnreadableFileError("The file is empty.")
    features = read_shapefile(content) if content.startswith(_ZIP) else read_geojson(content)
    check_number(len(features))
    return features
