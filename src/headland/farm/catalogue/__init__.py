"""The catalogue: a module a family of resources. A new family is a new module, and its name in `FAMILIES`."""

from headland.farm.catalogue.application_data import APPLICATION_DATA
from headland.farm.catalogue.attachments import ATTACHMENTS
from headland.farm.catalogue.boundaries import BOUNDARIES
from headland.farm.catalogue.chemical_products import CHEMICAL_PRODUCTS
from headland.farm.catalogue.crops import CROP_PRODUCTS, CROPS
from headland.farm.catalogue.datasets import DATASET_ACCESSES, DATASET_RECORDS, DATASETS
from headland.farm.catalogue.family import Family
from headland.farm.catalogue.farm_equipments import FARM_EQUIPMENTS
from headland.farm.catalogue.farms import FARMS
from headland.farm.catalogue.fields import FIELDS
from headland.farm.catalogue.harvest_data import HARVEST_DATA
from headland.farm.catalogue.insight_attachments import INSIGHT_ATTACHMENTS
from headland.farm.catalogue.insights import INSIGHTS
from headland.farm.catalogue.nutrient_analyses import NUTRIENT_ANALYSES
from headland.farm.catalogue.parties import PARTIES
from headland.farm.catalogue.plant_tissue_analyses import PLANT_TISSUE_ANALYSES
from headland.farm.catalogue.planting_data import PLANTING_DATA
from headland.farm.catalogue.prescriptions import PRESCRIPTION_MAPS, PRESCRIPTIONS
from headland.farm.catalogue.seasonal_fields import SEASONAL_FIELDS
from headland.farm.catalogue.seasons import SEASONS
from headland.farm.catalogue.tillage_data import TILLAGE_DATA
from headland.farm.catalogue.zones import MANAGEMENT_ZONES, ZONES

FAMILIES: tuple[Family, ...] = (
    PARTIES,
    FARMS,
    FIELDS,
    SEASONAL_FIELDS,
    BOUNDARIES,
    SEASONS,
    CROPS,
    CROP_PRODUCTS,
    CHEMICAL_PRODUCTS,
    FARM_EQUIPMENTS,
    DATASETS,
    DATASET_RECORDS,
    DATASET_ACCESSES,
    MANAGEMENT_ZONES,
    ZONES,
    PRESCRIPTION_MAPS,
    PRESCRIPTIONS,
    PLANTING_DATA,
    TILLAGE_DATA,
    APPLICATION_DATA,
    HARVEST_DATA,
    PLANT_TISSUE_ANALYSES,
    NUTRIENT_ANALYSES,
    INSIGHTS,
    ATTACHMENTS,
    INSIGHT_ATTACHMENTS,
)

BY_NAME = {family.name: family for family in FAMILIES}

__all__ = ["ATTACHMENTS", "BY_NAME", "FAMILIES", "PARTIES", "Family"]
