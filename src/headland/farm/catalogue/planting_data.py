"""Planting data: what was sown or planted on a field."""

from msgspec import Struct

from headland.farm.catalogue.filters import measures
from headland.farm.catalogue.members import Measure
from headland.farm.catalogue.operation_data import OperationData, operation_family


class PlantingProductDetail(Struct, rename="camel", omit_defaults=True):
    """One product of a planting."""

    product_name: str | None = None
    area: Measure | None = None
    total_material: Measure | None = None
    avg_material: Measure | None = None


class PlantingData(OperationData, kw_only=True, rename="camel", omit_defaults=True):
    """What was sown or planted."""

    avg_planting_rate: Measure | None = None
    total_material: Measure | None = None
    avg_material: Measure | None = None
    planting_product_details: list[PlantingProductDetail] | None = None


PLANTING_DATA = operation_family(
    "planting",
    PlantingData,
    *measures("AvgPlantingRate", "avg_planting_rate"),
    *measures("TotalMaterial", "total_material"),
    *measures("AvgMaterial", "avg_material"),
)
