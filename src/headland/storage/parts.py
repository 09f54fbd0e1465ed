"""Uploads in parts: each part may be sent again, and what was sent is a blob once it is said to be whole."""

import contextlib
import hashlib
import os
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

from headland.storage.blobs import CHUNK, BlobInfo
from headland.storage.errors import BlobTooLargeError, UploadIncompleteError
from headland.storage.local.folders import UPLOADS
from headland.storage.storage import Storage
from headland.storage.threads import finish_in_thread
from headland.storage.urls import BlobUrl


@dataclass(frozen=True, slots=True)
class PartUploads:
    """Uploads under way, a file each in a folder of this node; `remove_abandoned` clears those of clients that died."""

    storage: Storage
    #: The folder that has `.uploads`.
    folder: Path
    #: Bytes.
    limit: int

    async def write(self, upload: "PartUpload", offset: int, chunks: AsyncIterator[bytes]) -> None:
        """Put `chunks` at `offset` of an upload, which begins with its first part."""
        file = await finish_in_thread(self._open, upload, os.O_WRONLY | os.O_CREAT)
        try:
            async for chunk in chunks:
                if offset + len(chunk) > self.limit:
                    raise BlobTooLargeError(upload.url, self.limit)
                await finish_in_thread(_write, file, chunk, offset)
                offset += len(chunk)
        finally:
            os.close(file)

    async def commit(self, upload: "PartUpload", size: int, *, replace: bool) -> BlobInfo:
        """Make the blob of an upload that has `size` bytes.

        Raises:
            UploadIncompleteError: it has not.
            BlobExistsError: there is one, and it is not to be replaced.
        """
        try:
            file = await finish_in_thread(self._open, upload, os.O_RDONLY)
        except FileNotFoundError:
            raise UploadIncompleteError(upload.url, size, 0) from None
        try:
            there = os.fstat(file).st_size
            if there != size:
                raise UploadIncompleteError(upload.url, size, there)
            info = await self.storage.upload(upload.url, _read(file), self.limit, replace=replace)
        finally:
            os.close(file)
        await self.discard(upload)
        return info

    async def discard(self, upload: "PartUpload") -> None:
        """Forget what was sent of an upload, if anything was."""
        with contextlib.suppress(FileNotFoundError):
            await finish_in_thread(self._file(upload).unlink)

    def _open(self, upload: "PartUpload", flags: int) -> int:
        file = self._file(upload)
        if flags & os.O_CREAT:
            file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        return os.open(file, flags | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)

    def _file(self, upload: "PartUpload") -> Path:
        return self.folder / UPLOADS / f"{upload.name}.part"


@dataclass(frozen=True, slots=True)
class PartUpload:
    """An upload as its client names it."""

    url: BlobUrl
    key: str
    #: Nobody else reaches it, whatever key they give.
    caller: str

    @property
    def name(self) -> str:
        return hashlib.sha256(f"{self.caller}\n{self.url}\n{self.key}".encode()).hexdigest()[:32]


def _write(file: int, data: bytes, offset: int) -> None:
    rest = memoryview(data)
    while rest:
        written = os.pwrite(file, rest, offset)
        rest, offset = rest[written:], offset + written


async def _read(file: int) -> AsyncIterator[bytes]:
    offset = 0
    while data := await finish_in_thread(os.pread, file, CHUNK, offset):
        offset += len(data)
        yield data
