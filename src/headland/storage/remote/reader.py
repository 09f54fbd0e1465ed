"""Read a remote blob as it arrives."""

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from headland.http.ranges import Span
from headland.storage.accounts import AccountPlace
from headland.storage.blobs import CHUNK, BlobInfo
from headland.storage.errors import StorageUnavailableError
from headland.storage.remote.failures import remote_errors
from headland.storage.urls import BlobUrl

if TYPE_CHECKING:
    from obstore import GetResult, ObjectMeta


class RemoteReader:
    """The answer to a GET of which the body is still to come."""

    def __init__(
        self, place: AccountPlace, url: BlobUrl, result: "GetResult", span: Span | None = None
    ) -> None:
        self.info = info_of(url.path, result.meta)
        self._size = self.info.size if span is None else span.size
        self._place = place
        self._url = url
        self._result: GetResult | None = result

    async def __aiter__(self) -> AsyncIterator[bytes]:
        if self._result is None:
            return
        left = self._size
        with remote_errors(self._place, self._url, self._url.container):
            async for chunk in self._result.stream(CHUNK):
                left -= len(chunk)
                yield bytes(chunk)
        if left:
            raise StorageUnavailableError(self._place.name, f"{self._url} ended {left} bytes early")

    async def close(self) -> None:
        # Dropped with its last reference: obstore has no way to close one.
        self._result = None


def info_of(path: str, meta: "ObjectMeta") -> BlobInfo:
    """A blob as obstore describes it."""
    return BlobInfo(path, meta["size"], int(meta["last_modified"].timestamp() * 1000), meta["e_tag"])
