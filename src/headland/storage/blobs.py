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


@dataclass(frozen=True, slots=True)
class Entry:
    """What a container has at a path, as a file system: a blob, or a folder."""

    #: Empty for the container itself.
    path: str
    folder: bool
    #: Bytes; 0 for a folder.
    size: int = 0
    #: Milliseconds since 1970, UTC; 0 for a folder of which nobody knows.
    modified: int = 0
    etag: str | None = None

    @classmethod
    def of(cls, info: BlobInfo) -> "Entry":
        return cls(info.path, False, info.size, info.modified, info.etag)


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

    async def link(self, url: BlobUrl, seconds: int) -> str | None:
        """Where whoever has this address reads the blob, at its store, for so long; None where there is no such place.
        Whether the blob is there nobody looks."""
        ...

    async def upload(
        self, url: BlobUrl, chunks: AsyncIterator[bytes], limit: int, *, replace: bool = True
    ) -> BlobInfo:
        """Store `chunks` as the blob, all of it or nothing: in the place of one that may be there, unless `replace`
        forbids it (BlobExistsError)."""
        ...

    async def list_blobs(self, container: str, prefix: str, marker: str | None, limit: int) -> BlobPage:
        """At most `limit` blobs whose path begins with `prefix` and comes after `marker`."""
        ...

    async def delete(self, url: BlobUrl) -> None:
        """Remove the blob."""
        ...

    async def entry(self, container: str, path: str) -> Entry:
        """What is at `path`; BlobNotFoundError if nothing is."""
        ...

    async def children(self, container: str, path: str) -> list[Entry]:
        """What a folder has, in the order of paths."""
        ...

    async def make_folder(self, container: str, path: str) -> None:
        """Make a folder, and those above it, unless it is there; BlobConflictError where a blob is in the way."""
        ...

    async def rename(self, container: str, path: str, target: str, *, replace: bool) -> None:
        """Give a blob or folder another path. What is there is replaced if `replace` says so and it is of the same
        kind and, being a folder, empty; else BlobExistsError."""
        ...

    async def remove(self, container: str, path: str, *, recursive: bool) -> None:
        """Remove a blob or folder; FolderNotEmptyError where it has something, unless `recursive`."""
        ...
