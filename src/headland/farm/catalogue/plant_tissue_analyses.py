"""Plant tissue analyses: what a laboratory found in samples of plants."""

from typing import Annotated

from msgspec import Meta, Struct

from headland.farm.catalogue.family import Family, Link, Reference, Spelling
from headland.farm.catalogue.filters import any_of
from headland.farm.catalogue.members import (
    Called,
    In,
    Moment,
    PartyDocument,
    ReadOnly,
    Text100,
    Text200,
    Text500,
)
from headland.farm.catalogue.places import Place, listed_as, searched_as
from headland.farm.versions import versions


class LabDetails(Struct, rename="camel", omit_defaults=True):
    """Who analysed."""

    code: Annotated[str, Meta(max_length=150)] | None = None
    name: Text100 | None = None
    description: Text500 | None = None
    address: Text500 | None = None


class PlantTissueAnalysis(PartyDocument, kw_only=True, rename="camel", omit_defaults=True):
    """What was found in samples of plants."""

    field_id: str | None = None
    crop_id: str | None = None
    crop_product_id: Annotated[str | None, Called("cropVarietyId", "B")] = None
    season_id: str | None = None
    planting_date_time: Moment | None = None
    growth_stage: Text200 | None = None
    plant_part: Text200 | None = None
    plant_position: Text200 | None = None
    plant_appearance: Text500 | None = None
    sample_collection_condition: Text500 | None = None
    sample_collection_date_time: Moment | None = None
    sample_received_date_time: Moment | None = None
    sample_test_result_date_time: Moment | None = None
    lab_details: LabDetails | None = None
    attachments_link: Annotated[str | None, ReadOnly, In("B-E")] = None
    geometry: Place = None


PLANT_TISSUE_ANALYSES = Family(
    "plant_tissue_analyses",
    kind=Spelling("PlantTissueAnalysis"),
    segment=Spelling("plant-tissue-analyses"),
    parameter=Spelling("plantTissueAnalysisId"),
    document=PlantTissueAnalysis,
    versions=versions("B-G"),
    listed_as=listed_as("PlantTissueAnalysis"),
    searches=searched_as("plant-tissue-analyses"),
    own_filters=(
        any_of("seasonIds", "season_id", indexed=True),
        any_of("cropIds", "crop_id", indexed=True),
        any_of("cropVarietiesIds", "crop_product_id", "B", indexed=True),
        any_of("cropProductsIds", "crop_product_id", "C-E", indexed=True),
        any_of("cropProductIds", "crop_product_id", "FG", indexed=True),
        any_of("fieldIds", "field_id", indexed=True),
    ),
    links=(
        Link(
            "attachments_link",
            "attachments",
            {"resourceIds": "{id}", "resourceTypes": "PlantTissueAnalysis"},
        ),
    ),
    references=(
        Reference("field_id", "fields"),
        Reference("season_id", "seasons"),
        Reference("crop_id", "crops"),
        Reference("crop_product_id", "crop_products"),
    ),
    cascades=True,
)
