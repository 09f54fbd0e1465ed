"""Nutrient analyses: how much of one nutrient was found in a sample, and what to do about it."""

from typing import Annotated

from msgspec import Struct

from headland.farm.catalogue.family import Family, Reference, Spelling
from headland.farm.catalogue.filters import any_of, equal
from headland.farm.catalogue.members import PartyDocument, Text32, Text50, Text100, Text1000
from headland.farm.catalogue.references import ByType
from headland.farm.catalogue.words import one_of
from headland.farm.versions import versions


class ProductDetails(Struct, rename="camel", omit_defaults=True):
    """A product that is recommended."""

    rate: Text100 | None = None
    instruction: Text1000 | None = None
    product: Text100 | None = None


class NutrientAnalysis(PartyDocument, kw_only=True, rename="camel", omit_defaults=True):
    """How much of a nutrient was found."""

    parent_id: str | None = None
    parent_type: Annotated[str | None, one_of("PlantTissueAnalysis")] = None
    unit: Text32 | None = None
    value: float | None = None
    reference_value_low: float | None = None
    reference_value_high: float | None = None
    classification: Text50 | None = None
    recommendation: Text1000 | None = None
    products: list[ProductDetails] | None = None


NUTRIENT_ANALYSES = Family(
    "nutrient_analyses",
    kind=Spelling("NutrientAnalysis"),
    segment=Spelling("nutrient-analyses"),
    parameter=Spelling("nutrientAnalysisId"),
    document=NutrientAnalysis,
    versions=versions("B-G"),
    own_filters=(
        equal("parentType", "parent_type"),
        any_of("parentIds", "parent_id", indexed=True),
        any_of("classifications", "classification"),
    ),
    references=(
        Reference("parent_id", ByType("parent_type", {"PlantTissueAnalysis": "plant_tissue_analyses"})),
    ),
)
