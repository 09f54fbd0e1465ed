"""Cluster storage: what `wasbs://` URLs name. Folders of this machine, Azure, S3, and (experimental) GCS."""

from headland.storage.blobs import BlobInfo, BlobPage, BlobReader
from headland.storage.errors import (
    BlobConflictError,
    BlobNotFoundError,
    BlobOutsideAccountError,
    BlobTooLargeError,
    NotABlobError,
    ParameterError,
    StorageDeniedError,
    StorageError,
    StorageUnavailableError,
    StorageUrlError,
    UnknownAccountError,
    UploadCutShortError,
)
from headland.storage.storage import Storage
from headland.storage.urls import BlobUrl, parse_blob_url

__all__ = [
    "BlobConflictError",
    "BlobInfo",
    "BlobNotFoundError",
    "BlobOutsideAccountError",
    "BlobPage",
    "BlobReader",
    "BlobTooLargeError",
    "BlobUrl",
    "NotABlobError",
    "ParameterError",
    "Storage",
    "StorageDeniedError",
    "StorageError",
    "StorageUnavailableError",
    "StorageUrlError",
    "UnknownAccountError",
    "UploadCutShortError",
    "parse_blob_url",
]
