"""Boundaries: the outline of land, with what it measures; of a field, or of whatever else was done there."""

from collections.abc import Mapping
from typing import Annotated, Any

from msgspec import Meta

from headland.farm.catalogue.family import Family, Reference, Spelling
from headland.farm.catalogue.filters import any_of, equal, is_true, measures, numbers
from headland.farm.catalogue.members import Apart, In, Measure, PartyDocument, ReadOnly
from headland.farm.catalogue.references import ByType, OnlyOne
from headland.farm.catalogue.searching import Search
from headland.farm.catalogue.words import one_of
from headland.farm.geometry import Geometry, Placed
from headland.farm.geometry.measuring import DECIMALS, bounding_polygon
from headland.farm.versions import versions

#: What a boundary may be of, and of which family that is.
_FAMILIES = {
    "Field": "fields",
    "SeasonalField": "seasonal_fields",
    "Zone": "zones",
    "Prescription": "prescriptions",
    "PlantTissueAnalysis": "plant_tissue_analyses",
    "ApplicationData": "application_data",
    "PlantingData": "planting_data",
    "TillageData": "tillage_data",
    "HarvestData": "harvest_data",
}
_Area = Annotated[Measure | None, ReadOnly, In("C-E"), Meta(description="In acres.")]


class Boundary(PartyDocument, kw_only=True, rename="camel", omit_defaults=True):
    """The outline of land."""

    parent_id: str | None = None
    parent_type: Annotated[str | None, one_of(*_FAMILIES, letters="B-E")] = None
    geometry: Annotated[Geometry | None, Apart("B-E")] = None
    is_primary: Annotated[bool | None, In("AB")] = None
    acreage: Annotated[float | None, ReadOnly, In("AB")] = None
    area: _Area = None
    type: Annotated[str | None, In("C-E")] = None
    crs: Annotated[str | None, ReadOnly, In("C-E"), Apart("C-E")] = None
    centroid: Annotated[Geometry | None, ReadOnly, In("C-E"), Apart("C-E")] = None
    bbox: Annotated[Geometry | None, ReadOnly, In("C-E"), Apart("C-E")] = None


def _measured(placed: Placed | None) -> Mapping[str, Any]:
    if placed is None:
        return dict.fromkeys(("acreage", "area", "crs", "centroid", "bbox"))
    return {
        "acreage": placed.acres,
        "area": Measure("Acre", round(placed.acres, DECIMALS)),
        "crs": "WGS84",
        "centroid": placed.centroid,
        "bbox": bounding_polygon(placed.box),
    }


BOUNDARIES = Family(
    "boundaries",
    kind=Spelling("Boundary"),
    segment=Spelling("boundaries"),
    parameter=Spelling("boundaryId"),
    document=Boundary,
    versions=versions("A-E"),
    own_filters=(
        is_true("isPrimary", "is_primary", "AB"),
        equal("parentType", "parent_type", "A-E"),
        equal("type", "type", "C-E"),
        any_of("parentIds", "parent_id", "A-E", indexed=True),
        *numbers("Acreage", "acreage", "AB"),
        *measures("Area", "area", "C-E"),
    ),
    references=(Reference("parent_id", ByType("parent_type", _FAMILIES)),),
    only_one=OnlyOne("is_primary", of=("parent_type", "parent_id")),
    searches=(Search(versions("A-E"), paged_in_body=True),),
    listed_as=Spelling("BoundaryMetadata", {"A": "Boundary"}),
    measure=_measured,
    cascades=True,
)
