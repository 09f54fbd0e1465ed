"""The farm service: an instance's records, as Azure Data Manager for Agriculture serves them."""

from headland.farm.api import farm_app, farm_operations
from headland.farm.arrival import Addresses
from headland.farm.attachments.files import Files
from headland.farm.attachments.presence import Presence
from headland.farm.description import farm_api
from headland.farm.instances import Instance, Instances
from headland.farm.stores import FileShelf, SchemaShelf, Shelf, Stores
from headland.farm.throttling import Throttle, Units
from headland.farm.work.pending import Pending
from headland.farm.work.rasterize import rasterizing
from headland.farm.work.worker import Worker

__all__ = [
    "Addresses",
    "FileShelf",
    "Files",
    "Instance",
    "Instances",
    "Pending",
    "Presence",
    "SchemaShelf",
    "Shelf",
    "Stores",
    "Throttle",
    "Units",
    "Worker",
    "farm_api",
    "farm_app",
    "farm_operations",
    "rasterizing",
]
