"""Where the bytes of files are kept: blobs below their instance's name in an account of the farm service's own.

A blob is written once, under a name that no other ever has. What nobody needs any more (because a document was
deleted or has another file now, or because whoever received it did not live to say whose it is) is swept.
"""

import asyncio
import base64
import hashlib
import uuid
from collections.abc import AsyncIterator, Sequence

import structlog

from headland.database import DatabaseUnavailableError
from headland.farm.attachments.presence import Presence
from headland.farm.documents import files
from headland.farm.documents.files import File
from headland.farm.stores import Store
from headland.http.bodies import too_large
from headland.http.ranges import Span
from headland.storage import BlobNotFoundError, BlobReader, BlobTooLargeError, BlobUrl, Storage, StorageError

#: Files that are removed before their rows are.
_AT_ONCE = 100

_log = structlog.get_logger("headland.farm")


class Files:
    """The bytes of all instances' files."""

    def __init__(self, storage: Storage, presence: Presence, largest: int, types: Sequence[str] = ()) -> None:
        """`storage` is nobody else's: whoever reads its default account needs no right on any instance. `largest` is
        in bytes; `types` as `check_type` has them.
        """
        self._storage = storage
        self._presence = presence
        self.largest = largest
        self.types = types

    def prepare(self) -> None:
        """Make what is missing, and remove what uploads of processes that died have left. For the start of a server:
        it blocks.
        """
        self._storage.prepare()

    async def receive(
        self, store_key: str, store: Store, chunks: AsyncIterator[bytes], owner: str | None = None
    ) -> File:
        """Store what comes in. The file is swept unless it becomes a document's, as soon as its owner is gone (the
        process, if nobody else is named) or `give_up` says that it won't.

        Raises:
            BodyError: it is too large.
            StorageError, DatabaseUnavailableError: it can't be stored now.
        """
        name, owner = uuid.uuid4().hex, owner or self._presence.name
        await store.write(lambda connection: files.arrive(connection, name, owner))
        counted = _Counted(chunks)
        try:
            info = await self._storage.upload(self._url(store_key, name), counted.chunks(), self.largest)
        except BaseException as error:
            await self.give_up(store, name)
            if isinstance(error, BlobTooLargeError):
                raise too_large(self.largest, "farm.max_file", "file") from None
            raise
        return File(name, info.size, counted.digest)

    async def give_up(self, store: Store, name: str) -> None:
        """A file that was received becomes nobody's."""
        try:
            await store.write(lambda connection: files.abandon(connection, name))
        except DatabaseUnavailableError as error:
            # It is swept when this process has ended.
            _log.warning("file.left", file=name, reason=str(error))

    async def open(self, store_key: str, file: File, span: Span | None = None) -> BlobReader:
        """The file, or a part of it. Raises StorageError."""
        return await self._storage.open(self._url(store_key, file.name), span)

    def sweep(self, store_key: str, store: Store) -> bool:
        """Remove the bytes that nobody needs; whether some remain that may not be needed soon. It blocks."""
        remaining = False
        while True:
            found = store.read(lambda connection: files.unneeded(connection, _AT_ONCE))
            going = [name for name, owner in found if owner is None or not self._presence.lives(owner)]
            removed = asyncio.run(self._removed(store_key, going)) if going else []
            if removed:
                store.write_and_wait(lambda connection: files.forget(connection, removed))  # noqa: B023
                _log.info("files.removed", store=store_key, count=len(removed))
            remaining = len(removed) < len(found)
            if remaining or len(found) < _AT_ONCE:
                return remaining

    def remove_all(self, store_key: str) -> None:
        """Remove the bytes of all files of an instance that is gone. It blocks, and can be repeated.

        Raises:
            StorageError: they can't be removed, or not all of them, now.
        """
        asyncio.run(self._remove_all(store_key))

    async def _remove_all(self, store_key: str) -> None:
        account, container = self._storage.default_account, self._storage.default_container
        while True:
            try:
                page = await self._storage.list_blobs(account, container, prefix=f"{store_key}/")
            except BlobNotFoundError:
                return
            for blob in page.blobs:
                await self._remove(BlobUrl(account, container, blob.path))
            if page.next_marker is None:
                return

    async def _removed(self, store_key: str, names: list[str]) -> list[str]:
        removed = []
        for name in names:
            try:
                await self._remove(self._url(store_key, name))
            except StorageError as error:
                _log.warning("file.stays", store=store_key, file=name, reason=str(error))
            else:
                removed.append(name)
        return removed

    async def _remove(self, url: BlobUrl) -> None:
        try:
            await self._storage.delete(url)
        except BlobNotFoundError:
            return

    def _url(self, store_key: str, name: str) -> BlobUrl:
        return BlobUrl(self._storage.default_account, self._storage.default_container, f"{store_key}/{name}")


class _Counted:
    """A stream of bytes, and the digest of what has passed."""

    def __init__(self, chunks: AsyncIterator[bytes]) -> None:
        self._chunks = chunks
        self._hash = hashlib.sha256()

    async def chunks(self) -> AsyncIterator[bytes]:
        async for chunk in self._chunks:
            self._hash.update(chunk)
            yield chunk

    @property
    def digest(self) -> bytes:
        return self._hash.digest()


def digest_header(file: File) -> str:
    """The digest of a file as `Repr-Digest` has it (RFC 9530 section 3)."""
    return f"sha-256=:{base64.b64encode(file.sha256).decode()}:"
