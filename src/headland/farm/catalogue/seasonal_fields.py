"""Seasonal fields: a field, or part of one, for one season and one crop."""

from typing import Annotated

from msgspec import Meta

from headland.farm.catalogue.family import Family, Reference, Spelling
from headland.farm.catalogue.filters import any_of, equal, has_any, numbers, times
from headland.farm.catalogue.members import Called, Ids, In, Moment, PartyDocument, ReadOnly, Required
from headland.farm.catalogue.places import Place, listed_as, searched_as

_Unit = Annotated[str, Meta(min_length=2, max_length=32)]


class SeasonalField(PartyDocument, kw_only=True, rename="camel", omit_defaults=True):
    """A field for one season and one crop."""

    primary_boundary_id: Annotated[str | None, ReadOnly, In("AB")] = None
    boundary_ids: Annotated[list[str] | None, ReadOnly, In("AB")] = None
    farm_id: Annotated[str | None, Required("FG")] = None
    field_id: str | None = None
    season_id: str | None = None
    crop_product_ids: Annotated[Ids | None, Called("cropVarietyIds", "AB")] = None
    crop_id: str | None = None
    avg_yield_value: Annotated[float | None, In("AB")] = None
    avg_yield_unit: Annotated[_Unit | None, In("AB")] = None
    avg_seed_population_value: Annotated[float | None, In("AB")] = None
    avg_seed_population_unit: Annotated[_Unit | None, In("AB")] = None
    planting_date_time: Annotated[Moment | None, In("AB")] = None
    geometry: Place = None


SEASONAL_FIELDS = Family(
    "seasonal_fields",
    kind=Spelling("SeasonalField"),
    segment=Spelling("seasonal-fields"),
    parameter=Spelling("seasonalFieldId"),
    document=SeasonalField,
    listed_as=listed_as("SeasonalField"),
    searches=searched_as("seasonal-fields"),
    own_filters=(
        any_of("farmIds", "farm_id", "A-G", indexed=True),
        any_of("fieldIds", "field_id", "A-G", indexed=True),
        any_of("seasonIds", "season_id", "A-G", indexed=True),
        has_any("cropVarietyIds", "crop_product_ids", "AB"),
        has_any("cropProductIds", "crop_product_ids", "C-G"),
        any_of("cropIds", "crop_id", "A-G", indexed=True),
        *numbers("AvgYieldValue", "avg_yield_value", "AB"),
        equal("avgYieldUnit", "avg_yield_unit", "AB"),
        *numbers("AvgSeedPopulationValue", "avg_seed_population_value", "AB"),
        equal("avgSeedPopulationUnit", "avg_seed_population_unit", "AB"),
        *times("PlantingDateTime", "planting_date_time", "AB"),
    ),
    references=(
        Reference("farm_id", "farms"),
        Reference("field_id", "fields"),
        Reference("season_id", "seasons"),
        Reference("crop_id", "crops"),
        Reference("crop_product_ids", "crop_products", several=True),
    ),
    cascades=True,
)
