"""What goes over HTTP."""

from msgspec import Struct

from headland.storage.blobs import AccountKind, BlobInfo, Entry
from headland.storage.urls import BlobUrl


class Blob(Struct, frozen=True, rename="camel"):
    """A blob of a listing."""

    path: str
    #: As a batch names it.
    url: str
    #: Bytes.
    size: int
    #: Milliseconds since 1970, UTC.
    modified: int


class StoredBlob(Blob, frozen=True, rename="camel"):
    """A blob as it was stored."""

    etag: str | None


class BlobList(Struct, frozen=True, rename="camel"):
    """A page of a listing; `nextMarker` is `marker` of the next one, if there is one."""

    blobs: tuple[Blob, ...]
    next_marker: str | None


class StorageAccount(Struct, frozen=True, rename="camel"):
    """An account, without what opens it."""

    name: str
    kind: AccountKind
    default: bool


class AccountList(Struct, frozen=True, rename="camel"):
    """Every account, the default one first, and the container that URLs without one mean."""

    accounts: tuple[StorageAccount, ...]
    default_container: str


class FileEntry(Struct, frozen=True, rename="camel"):
    """A blob or folder of a container."""

    #: Empty for the container itself.
    path: str
    folder: bool
    #: Bytes; 0 for a folder.
    size: int
    #: Milliseconds since 1970, UTC; 0 for a folder of which nobody knows.
    modified: int
    etag: str | None


class BlobLink(Struct, frozen=True, rename="camel"):
    """Where a blob may be read beside the service."""

    #: None where it may not.
    url: str | None
    #: How long it is good for.
    seconds: int


class Rename(Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    """What is to be given another path, in the same container."""

    source: str
    #: Whether a blob, or an empty folder, that is there is replaced.
    replace: bool = False


class Problem(Struct, frozen=True, rename="camel"):
    """Why a request was refused."""

    msg: str


def blob(account: str, container: str, info: BlobInfo) -> Blob:
    """A listed blob's wire form."""
    return Blob(info.path, str(BlobUrl(account, container, info.path)), info.size, info.modified)


def file_entry(entry: Entry) -> FileEntry:
    """An entry's wire form."""
    return FileEntry(entry.path, entry.folder, entry.size, entry.modified, entry.etag)


def stored_blob(url: BlobUrl, info: BlobInfo) -> StoredBlob:
    """A stored blob's wire form."""
    return StoredBlob(info.path, str(url), info.size, info.modified, info.etag)
