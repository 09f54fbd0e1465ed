"""Attachments: a file that belongs to a resource, and what is said of it."""

from typing import Annotated

from headland.farm.catalogue.family import Family, Reference, Spelling
from headland.farm.catalogue.filters import any_of
from headland.farm.catalogue.members import In, PartyDocument, Properties, ReadOnly
from headland.farm.catalogue.references import ByType
from headland.farm.catalogue.words import Word, one_of
from headland.farm.versions import versions

#: What attachments may belong to.
RESOURCE_TYPES = one_of(
    Word("Party", {"AB": "Farmer"}),
    "Farm",
    "Field",
    "SeasonalField",
    Word("Boundary", versions=versions("A-E")),
    "ApplicationData",
    "HarvestData",
    "TillageData",
    "PlantingData",
    "PlantTissueAnalysis",
    Word("Prescription", versions=versions("G")),
)
RESOURCES = ByType(
    "resource_type",
    {
        "Party": "parties",
        "Farm": "farms",
        "Field": "fields",
        "SeasonalField": "seasonal_fields",
        "Boundary": "boundaries",
        "ApplicationData": "application_data",
        "HarvestData": "harvest_data",
        "TillageData": "tillage_data",
        "PlantingData": "planting_data",
        "PlantTissueAnalysis": "plant_tissue_analyses",
        "Prescription": "prescriptions",
    },
)


class Attachment(PartyDocument, kw_only=True, rename="camel", omit_defaults=True):
    """A file that belongs to a resource."""

    properties: Annotated[Properties | None, In("")] = None
    resource_id: str | None = None
    resource_type: Annotated[str | None, RESOURCE_TYPES] = None
    original_file_name: Annotated[str | None, ReadOnly] = None


ATTACHMENTS = Family(
    "attachments",
    kind=Spelling("Attachment"),
    segment=Spelling("attachments"),
    parameter=Spelling("attachmentId"),
    document=Attachment,
    own_filters=(
        any_of("resourceIds", "resource_id", indexed=True),
        any_of("resourceTypes", "resource_type"),
    ),
    references=(Reference("resource_id", RESOURCES, required=True),),
    listed_whole=False,
    has_file=True,
)
