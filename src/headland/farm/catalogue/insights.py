"""Insights: what a model says of a resource. They lie below the model and the resource."""

from typing import Annotated

from headland.farm.catalogue.family import Family, Link, Reference, Spelling
from headland.farm.catalogue.filters import has_measure, times
from headland.farm.catalogue.members import Absent, Called, Measure, Moment, PartyDocument, ReadOnly
from headland.farm.catalogue.parents import Parent
from headland.farm.catalogue.references import ByType
from headland.farm.catalogue.words import Word, one_of
from headland.farm.versions import versions

#: What insights may be of.
RESOURCE_TYPES = one_of(
    Word("Party", {"AB": "Farmer"}),
    "Farm",
    "Field",
    "SeasonalField",
    Word("Boundary", versions=versions("B-E")),
)
RESOURCES = ByType(
    "resource_type",
    {
        "Party": "parties",
        "Farm": "farms",
        "Field": "fields",
        "SeasonalField": "seasonal_fields",
        "Boundary": "boundaries",
    },
)

MODEL = Parent(Spelling("models"), Spelling("modelId"), "model_id")
RESOURCE_TYPE = Parent(
    Spelling("resource-types"), Spelling("resourceType"), "resource_type", words=RESOURCE_TYPES
)
RESOURCE = Parent(Spelling("resources"), Spelling("resourceId"), "resource_id", RESOURCES)


class Insight(PartyDocument, kw_only=True, rename="camel", omit_defaults=True):
    """What a model says of a resource."""

    source: Absent = None
    model_id: Annotated[str | None, ReadOnly] = None
    resource_type: Annotated[str | None, ReadOnly, RESOURCE_TYPES] = None
    resource_id: Annotated[str | None, ReadOnly] = None
    model_version: str | None = None
    attachments_link: Annotated[str | None, ReadOnly] = None
    insight_start_date_time: Moment | None = None
    insight_end_date_time: Moment | None = None
    measurements: Annotated[dict[str, Measure] | None, Called("measures", "B")] = None


INSIGHTS = Family(
    "insights",
    kind=Spelling("Insight"),
    segment=Spelling("insights"),
    parameter=Spelling("insightId"),
    document=Insight,
    versions=versions("B-G"),
    own_filters=(
        *times("InsightStartDateTime", "insight_start_date_time"),
        *times("InsightEndDateTime", "insight_end_date_time"),
        has_measure("measureFilters", "measurements", "B"),
        has_measure("measurementFilters", "measurements", "C-G"),
    ),
    references=(Reference("resource_id", RESOURCES),),
    links=(Link("attachments_link", "insight-attachments", {"insightIds": "{id}"}),),
    below=(MODEL, RESOURCE_TYPE, RESOURCE),
    listed_whole=False,
    cascades=True,
)
