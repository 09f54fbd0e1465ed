"""Tillage data: how soil was worked."""

from headland.farm.catalogue.filters import measures
from headland.farm.catalogue.members import Measure
from headland.farm.catalogue.operation_data import OperationData, operation_family


class TillageData(OperationData, kw_only=True, rename="camel", omit_defaults=True):
    """How soil was worked."""

    tillage_depth: Measure | None = None
    tillage_pressure: Measure | None = None


TILLAGE_DATA = operation_family(
    "tillage",
    TillageData,
    *measures("TillageDepth", "tillage_depth"),
    *measures("TillagePressure", "tillage_pressure"),
)
