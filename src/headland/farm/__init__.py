"""The farm service: an instance's records, as Azure Data Manager for Agriculture serves them."""

from headland.farm.api import farm_api, farm_app, farm_operations
from headland.farm.arrival import Addresses
from headland.farm.instances import Instance, Instances
from headland.farm.stores import Stores

__all__ = ["Addresses", "Instance", "Instances", "Stores", "farm_api", "farm_app", "farm_operations"]
