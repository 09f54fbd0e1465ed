"""Records of what is stored, and the interface that every kind of account has."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Literal, Protocol

from headland.http.ranges import Span
from headland.storage.urls import BlobUrl

AccountKind = Literal["folder", "azure", "s3", "gcs"]

#: Bytes that are read, written or sent at a time: what a transfer holds in memory, whatever its size.
CHUNK = 1024 * 1024


@dataclass(frozen=True, slots=True)
class BlobInfo:
    """A blob as its store describes it."""

    path: str
    #: Bytes.
    size: int
    #: Milliseconds since 1970, UTC.
    modified: int
    #: Changes whenever the content does; as the store spells it.
    etag: str | None = None


@dataclass(frozen=True, slots=True)
class BlobPage:
    """Blobs in the order of their paths, and where the next page begins."""

    blobs: tuple[BlobInfo, ...]
    #: Last path of this page, if there are more.
    next_marker: str | None = None


class BlobReader(Protocol):
    """An open blob: `info`, then its bytes once, or those of a part. Close it, read or not."""

    @property
    def info(self) -> BlobInfo: ...

    def __aiter__(self) -> AsyncIterator[bytes]:
        """Exactly `info.size` bytes in chunks, or as many as were asked for.

        Raises:
            StorageUnavailableError: the store gives up half-way.
        """
        ...

    async def close(self) -> None: ...


class Account(Protocol):
    """A storage account. Every method raises a StorageError that names the URL."""

    @property
    def name(self) -> str: ...

    async def stat(self, url: BlobUrl) -> BlobInfo:
        """What is stored at `url`."""
        ...

    async def open(self, url: BlobUrl, span: Span | None = None) -> BlobReader:
        """The blob, or a part of it, ready to be read."""
        ...

    async def upload(self, url: BlobUrl, chunks: AsyncIterator[bytes], limit: int) -> BlobInfo:
        """Store `chunks` as the blob, in the place of one that may be there; all of it or nothing."""
        ...

    async def list_blobs(self, container: str, prefix: str, marker: str | None, limit: int) -> BlobPage:
        """At most `limit` blobs whose path begins with `prefix` and comes after `marker`."""
        ...

    async def delete(self, url: BlobUrl) -> None:
        """Remove the blob."""
        ...
