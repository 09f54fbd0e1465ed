"""Application data: what was put on a field, such as fertiliser."""

from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from headland.farm.catalogue.filters import measures
from headland.farm.catalogue.members import Measure
from headland.farm.catalogue.operation_data import OperationData, operation_family


class ApplicationProductDetail(Struct, rename="camel", omit_defaults=True):
    """One product of an application."""

    product_name: Annotated[str, Meta(min_length=1, max_length=100)] | None = None
    #: Made by a factory, because a value that equals a plain default is left out.
    is_carrier: Annotated[bool, Meta(extra_json_schema={"default": False})] = msgspec.field(
        default_factory=bool
    )
    avg_material: Measure | None = None
    total_material: Measure | None = None


class ApplicationData(OperationData, kw_only=True, rename="camel", omit_defaults=True):
    """What was put on a field."""

    application_product_details: list[ApplicationProductDetail] | None = None
    avg_material: Measure | None = None
    total_material: Measure | None = None


APPLICATION_DATA = operation_family(
    "application",
    ApplicationData,
    *measures("AvgMaterial", "avg_material"),
    *measures("TotalMaterial", "total_material"),
)
