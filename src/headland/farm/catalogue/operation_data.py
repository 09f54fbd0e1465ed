"""What the four kinds of data on field operations have in common."""

from typing import Annotated, Literal

from msgspec import Struct

from headland.farm.catalogue.family import Family, Link, Spelling
from headland.farm.catalogue.filters import Filter, any_of, equal, measures, times
from headland.farm.catalogue.members import In, Measure, Moment, PartyDocument, ReadOnly, Source
from headland.farm.catalogue.places import Place, listed_as, searched_as

#: Kinds of documents that have a place on the ground.
PLACED = (
    "Field",
    "SeasonalField",
    "Zone",
    "Prescription",
    "PlantTissueAnalysis",
    "PlantingData",
    "ApplicationData",
    "HarvestData",
    "TillageData",
)


class GeoResource(Struct, rename="camel", omit_defaults=True):
    """A document that has a place on the ground."""

    type: Literal[PLACED] | None = None  # type: ignore[valid-type]
    id: str | None = None


class OperationData(PartyDocument, kw_only=True, rename="camel", omit_defaults=True):
    """An operation, somewhere, for some time."""

    source: Source | None = None
    area: Measure | None = None
    operation_modified_date_time: Moment | None = None
    operation_start_date_time: Moment | None = None
    operation_end_date_time: Moment | None = None
    attachments_link: Annotated[str | None, ReadOnly, In("A-E")] = None
    associated_boundary_id: Annotated[str | None, In("A-E")] = None
    operation_boundary_id: Annotated[str | None, In("A")] = None
    associated_resource: Annotated[GeoResource | None, In("FG")] = None
    geometry: Place = None


#: What all their lists can be narrowed by.
_FILTERS = (
    any_of("sources", "source"),
    *measures("Area", "area"),
    *times("OperationStartDateTime", "operation_start_date_time"),
    *times("OperationEndDateTime", "operation_end_date_time"),
    *times("OperationModifiedDateTime", "operation_modified_date_time"),
    any_of("associatedBoundaryIds", "associated_boundary_id", "A-E", indexed=True),
    any_of("operationBoundaryIds", "operation_boundary_id", "A"),
    any_of("associatedResourceIds", "associated_resource.id", "FG", indexed=True),
    equal("associatedResourceType", "associated_resource.type", "FG"),
)


def operation_family(operation: str, document: type[OperationData], *filters: Filter) -> Family:
    """The family of one kind: `operation` is a word such as `harvest`."""
    kind = f"{operation.title()}Data"
    return Family(
        f"{operation}_data",
        kind=Spelling(kind),
        segment=Spelling(f"{operation}-data"),
        parameter=Spelling(f"{operation}DataId"),
        document=document,
        listed_as=listed_as(kind),
        searches=searched_as(f"{operation}-data"),
        own_filters=(*_FILTERS, *filters),
        cascades=True,
        links=(Link("attachments_link", "attachments", {"resourceIds": "{id}", "resourceTypes": kind}),),
    )
