"""An account in Azure, S3 or (experimental) Google Cloud Storage."""

from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from functools import lru_cache
from heapq import nsmallest

import obstore
from obstore.exceptions import AlreadyExistsError, BaseError

from headland.http.ranges import Span
from headland.storage.accounts import AccountPlace
from headland.storage.blobs import BlobInfo, BlobPage, Entry
from headland.storage.errors import BlobExistsError
from headland.storage.limits import within_limit
from headland.storage.names import path_problem
from headland.storage.remote.entries import MARK, Folders
from headland.storage.remote.failures import remote_errors
from headland.storage.remote.reader import RemoteReader, info_of
from headland.storage.remote.stores import Store, open_store
from headland.storage.urls import BlobUrl

#: Clients kept. Containers are named by callers, who must not be able to fill the memory with them.
_MOST_STORES = 64

#: An upload holds this many parts of 5 MiB at once: what it takes of memory, however large it is.
_PARTS_AT_ONCE = 4

#: Most bytes that are sent in one request: what an upload that must not replace anything takes of memory.
_WHOLE = 16 << 20

#: Blobs taken from a listing at a time: what stores send in one answer.
_LIST_CHUNK = 1000


class RemoteAccount:
    """What an upload that failed had sent so far stays in the store, invisible, until the store forgets it:
    Azure within a week, S3 by a lifecycle rule of the bucket."""

    def __init__(self, place: AccountPlace) -> None:
        self.name = place.name
        self._place = place
        self._store: Callable[[str], Store] = lru_cache(_MOST_STORES)(
            lambda container: open_store(place, container)
        )

    async def stat(self, url: BlobUrl) -> BlobInfo:
        with remote_errors(self._place, url, url.container):
            return info_of(url.path, await obstore.head_async(self._store(url.container), url.path))

    async def open(self, url: BlobUrl, span: Span | None = None) -> RemoteReader:
        with remote_errors(self._place, url, url.container):
            result = await obstore.get_async(
                self._store(url.container),
                url.path,
                options={} if span is None else {"range": (span.first, span.last + 1)},
            )
            return RemoteReader(self._place, url, result, span)

    async def link(self, url: BlobUrl, seconds: int) -> str | None:
        if not self._place.links:
            return None
        try:
            store, lifetime = self._store(url.container), timedelta(seconds=seconds)
            return await obstore.sign_async(store, "GET", url.path, lifetime)
        except BaseError:
            # Of credentials some can't sign: a link itself, or none.
            return None

    async def upload(
        self, url: BlobUrl, chunks: AsyncIterator[bytes], limit: int, *, replace: bool = True
    ) -> BlobInfo:
        incoming = _Incoming(url, chunks, limit)
        try:
            with remote_errors(self._place, url, url.container):
                store = self._store(url.container)
                if replace:
                    await obstore.put_async(store, url.path, incoming, max_concurrency=_PARTS_AT_ONCE)
                else:
                    await self._create(store, url, incoming)
        except Exception:
            # Where the body was at fault, that is what to tell, and not how the store took it.
            if incoming.failure is not None:
                raise incoming.failure from None
            raise
        return await self.stat(url)

    async def list_blobs(self, container: str, prefix: str, marker: str | None, limit: int) -> BlobPage:
        shown = f"'{container}' in account '{self.name}'"
        # obstore's prefixes are whole segments, and not every store heeds its offset: it narrows what is
        # read, and what is wanted is decided here.
        above = prefix.rpartition("/")[0] or None
        found: list[BlobInfo] = []
        ordered, last = True, ""
        with remote_errors(self._place, shown, container):
            stream = obstore.list(self._store(container), above, offset=marker, chunk_size=_LIST_CHUNK)
            async for metas in stream:
                for meta in metas:
                    path = meta["path"]
                    ordered, last = ordered and path > last, path
                    if path.rpartition("/")[2] == MARK:
                        continue
                    if path.startswith(prefix) and path > (marker or "") and path_problem(path) is None:
                        found.append(info_of(path, meta))
                if ordered and len(found) > limit:
                    break
                # A store that keeps no order (S3's directory buckets) has to be read to its end.
                found = nsmallest(limit + 1, found, key=lambda info: info.path)
        page = tuple(sorted(found, key=lambda info: info.path)[:limit])
        return BlobPage(page, page[-1].path if len(found) > limit else None)

    async def _create(self, store: Store, url: BlobUrl, incoming: "_Incoming") -> None:
        """Store a blob where none is. In one request, for which stores have that condition: a large one is looked for
        before it is sent, and may replace what came meanwhile."""
        body = bytearray()
        async for chunk in incoming:
            body += chunk
            if len(body) > _WHOLE:
                break
        try:
            if len(body) <= _WHOLE:
                await obstore.put_async(store, url.path, bytes(body), mode="create", use_multipart=False)
                return
            await obstore.head_async(store, url.path)
        except FileNotFoundError:
            await obstore.put_async(store, url.path, incoming.after(body), max_concurrency=_PARTS_AT_ONCE)
        except AlreadyExistsError:
            raise BlobExistsError(url) from None
        else:
            raise BlobExistsError(url)

    async def entry(self, container: str, path: str) -> Entry:
        return await self._folders(container).entry(path)

    async def children(self, container: str, path: str) -> list[Entry]:
        return await self._folders(container).children(path)

    async def make_folder(self, container: str, path: str) -> None:
        await self._folders(container).make_folder(path)

    async def rename(self, container: str, path: str, target: str, *, replace: bool) -> None:
        await self._folders(container).rename(path, target, replace=replace)

    async def remove(self, container: str, path: str, *, recursive: bool) -> None:
        await self._folders(container).remove(path, recursive=recursive)

    def _folders(self, container: str) -> Folders:
        return Folders(self._place, container, self._store(container))

    async def delete(self, url: BlobUrl) -> None:
        await self.stat(url)  # S3 says of a blob that never was that it is deleted
        with remote_errors(self._place, url, url.container):
            await obstore.delete_async(self._store(url.container), url.path)


class _Incoming:
    """A body on its way to the store, whose own failure is kept."""

    def __init__(self, url: BlobUrl, chunks: AsyncIterator[bytes], limit: int) -> None:
        self._chunks = within_limit(chunks, url, limit)
        self.failure: Exception | None = None

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self._watched()

    async def after(self, first: bytes | bytearray) -> AsyncIterator[bytes]:
        """`first`, which was taken from it already, and what is left."""
        yield bytes(first)
        async for chunk in self:
            yield chunk

    async def _watched(self) -> AsyncIterator[bytes]:
        try:
            async for chunk in self._chunks:
                yield chunk
        except Exception as failure:
            self.failure = failure
            raise
