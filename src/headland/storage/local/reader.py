"""Read a file in chunks without holding up the event loop."""

import os
from collections.abc import AsyncIterator

from headland.http.ranges import Span
from headland.storage.blobs import CHUNK, BlobInfo
from headland.storage.errors import StorageUnavailableError
from headland.storage.local.failures import storage_errors
from headland.storage.threads import finish_in_thread
from headland.storage.urls import BlobUrl


class LocalReader:
    """An open file. It stays what it was when an upload replaces the blob meanwhile."""

    def __init__(
        self, account: str, url: BlobUrl, info: BlobInfo, descriptor: int, span: Span | None = None
    ) -> None:
        self.info = info
        self._span = Span(0, info.size - 1) if span is None else span
        self._account = account
        self._url = url
        self._file = os.fdopen(descriptor, "rb", buffering=0)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = self._span.size
        if self._span.first:
            self._file.seek(self._span.first)
        while left:
            with storage_errors(self._account, self._url):
                data = await finish_in_thread(self._file.read, min(left, CHUNK))
            if not data:
                # Somebody cut the file short in place. The length is promised already: better no end than a wrong one.
                raise StorageUnavailableError(
                    self._account, f"{self._url} became shorter while it was being read"
                )
            left -= len(data)
            yield data

    async def close(self) -> None:
        self._file.close()
