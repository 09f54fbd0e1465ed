"""Cluster storage as Spark sees it: a Hadoop file system (Scala, in this folder), and what a launch says of it."""

from headland.jobs.clusters.filesystem.access import (
    SERVICES,
    SOURCES,
    NotReadyError,
    StorageAccess,
    storage_conf,
)

__all__ = ["SERVICES", "SOURCES", "NotReadyError", "StorageAccess", "storage_conf"]
