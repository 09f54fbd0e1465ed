"""The catalogue: a module a family of resources. A new family is a new module, and its name in `FAMILIES`."""

from headland.farm.catalogue.crops import CROP_PRODUCTS, CROPS
from headland.farm.catalogue.family import Family
from headland.farm.catalogue.farms import FARMS
from headland.farm.catalogue.fields import FIELDS
from headland.farm.catalogue.insights import INSIGHTS
from headland.farm.catalogue.nutrient_analyses import NUTRIENT_ANALYSES
from headland.farm.catalogue.parties import PARTIES
from headland.farm.catalogue.plant_tissue_analyses import PLANT_TISSUE_ANALYSES
from headland.farm.catalogue.seasonal_fields import SEASONAL_FIELDS
from headland.farm.catalogue.seasons import SEASONS

FAMILIES: tuple[Family, ...] = (
    PARTIES,
    FARMS,
    FIELDS,
    SEASONAL_FIELDS,
    SEASONS,
    CROPS,
    CROP_PRODUCTS,
    PLANT_TISSUE_ANALYSES,
    NUTRIENT_ANALYSES,
    INSIGHTS,
)

__all__ = ["FAMILIES", "PARTIES", "Family"]
