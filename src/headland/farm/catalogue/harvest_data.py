"""Harvest data: what came off a field."""

from typing import Annotated

from msgspec import Meta, Struct

from headland.farm.catalogue.filters import measures
from headland.farm.catalogue.members import Measure
from headland.farm.catalogue.operation_data import OperationData, operation_family


class HarvestProductDetail(Struct, rename="camel", omit_defaults=True):
    """One product of a harvest."""

    product_name: Annotated[str, Meta(min_length=1, max_length=100)] | None = None
    area: Measure | None = None
    total_yield: Measure | None = None
    avg_yield: Measure | None = None
    avg_moisture: Measure | None = None
    total_wet_mass: Measure | None = None
    avg_wet_mass: Measure | None = None


class HarvestData(OperationData, kw_only=True, rename="camel", omit_defaults=True):
    """What came off a field."""

    total_yield: Measure | None = None
    avg_yield: Measure | None = None
    total_wet_mass: Measure | None = None
    avg_wet_mass: Measure | None = None
    avg_moisture: Measure | None = None
    avg_speed: Measure | None = None
    harvest_product_details: list[HarvestProductDetail] | None = None


HARVEST_DATA = operation_family(
    "harvest",
    HarvestData,
    *measures("TotalYield", "total_yield"),
    *measures("AvgYield", "avg_yield"),
    *measures("TotalWetMass", "total_wet_mass"),
    *measures("AvgWetMass", "avg_wet_mass"),
    *measures("AvgMoisture", "avg_moisture"),
    *measures("AvgSpeed", "avg_speed"),
)
