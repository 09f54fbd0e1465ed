"""An account that is a folder."""

import os
import stat
from collections.abc import AsyncIterator
from pathlib import Path

from headland.http.ranges import Span
from headland.storage.blobs import CHUNK, BlobInfo, BlobPage, Entry
from headland.storage.errors import (
    BlobNotFoundError,
    NotABlobError,
    StorageUnavailableError,
)
from headland.storage.limits import within_limit
from headland.storage.local import entries
from headland.storage.local.failures import storage_errors
from headland.storage.local.folders import Parts, kind_of, locate, open_folder, remove_empty
from headland.storage.local.listing import info_of, list_page
from headland.storage.local.reader import LocalReader
from headland.storage.local.uploads import Upload, check_place, remove_abandoned
from headland.storage.threads import finish_in_thread
from headland.storage.urls import BlobUrl


class LocalAccount:
    """Containers are the folder's subfolders; they come to be with their first blob.

    A folder that the settings name has to be there: one that is missing is a disk that was not mounted, and
    making it would hide that. The default account's folder in the home is made.
    """

    def __init__(self, name: str, folder: Path, *, make: bool) -> None:
        self.name = name
        self._folder = str(folder)
        self._make = make

    def prepare(self, now: float, containers: tuple[str, ...] = ()) -> int:
        """Make the folder, with `containers`, if it is ours to make; remove abandoned uploads; how many."""
        with storage_errors(self.name, self.name, "account"):
            if self._make:
                for container in containers:
                    with open_folder(self._root(), (container,), make=True):
                        pass
            return remove_abandoned(self._folder, now)

    async def stat(self, url: BlobUrl) -> BlobInfo:
        return self.stat_now(url)

    def stat_now(self, url: BlobUrl) -> BlobInfo:
        """`stat`, which takes some 100 microseconds: no more than handing it to a thread would."""
        with storage_errors(self.name, url):
            parts = locate(self._root(), url.container, url.path, url)
            with open_folder(self._folder, parts[:-1]) as folder:
                status = os.stat(parts[-1], dir_fd=folder, follow_symlinks=False)
        return info_of(url.path, _file(status, url))

    async def open(self, url: BlobUrl, span: Span | None = None) -> LocalReader:
        with storage_errors(self.name, url):
            parts = locate(self._root(), url.container, url.path, url)
            with open_folder(self._folder, parts[:-1]) as folder:
                # Looked at before it is opened, since opening alone can wind a device on; non-blocking, since
                # a FIFO made in between would have us wait for whoever writes to it.
                _file(os.stat(parts[-1], dir_fd=folder, follow_symlinks=False), url)
                flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
                descriptor = os.open(parts[-1], flags, dir_fd=folder)
        try:
            info = info_of(url.path, _file(os.fstat(descriptor), url))
        except BaseException:
            os.close(descriptor)
            raise
        return LocalReader(self.name, url, info, descriptor, span)

    async def upload(
        self, url: BlobUrl, chunks: AsyncIterator[bytes], limit: int, *, replace: bool = True
    ) -> BlobInfo:
        with storage_errors(self.name, url):
            folder = self._folder_of(url)
            check_place(self._folder, folder, url)
            upload = Upload(self._folder, folder, url, replace=replace)
            try:
                await _fill(upload, url, chunks, limit)
                status = await finish_in_thread(upload.commit)
            except BaseException:
                await finish_in_thread(upload.discard)
                raise
        return info_of(url.path, status)

    async def list_blobs(self, container: str, prefix: str, marker: str | None, limit: int) -> BlobPage:
        shown = f"'{container}' in account '{self.name}'"
        with storage_errors(self.name, shown, "container"):
            return await finish_in_thread(
                list_page, self._root(), container, prefix=prefix, marker=marker, limit=limit, shown=shown
            )

    async def delete(self, url: BlobUrl) -> None:
        self.stat_now(url)
        with storage_errors(self.name, url):
            await finish_in_thread(_remove, self._folder, self._folder_of(url), url.name)

    async def entry(self, container: str, path: str) -> Entry:
        return entries.entry(self._place(container, path))

    async def link(self, _url: BlobUrl, _seconds: int) -> str | None:
        return None

    async def children(self, container: str, path: str) -> list[Entry]:
        return await finish_in_thread(entries.children, self._place(container, path))

    async def make_folder(self, container: str, path: str) -> None:
        await finish_in_thread(entries.make_folder, self._place(container, path))

    async def rename(self, container: str, path: str, target: str, *, replace: bool) -> None:
        source, place = self._place(container, path), self._place(container, target)
        await finish_in_thread(entries.rename, source, place, replace=replace)

    async def remove(self, container: str, path: str, *, recursive: bool) -> None:
        await finish_in_thread(entries.remove, self._place(container, path), recursive=recursive)

    def _place(self, container: str, path: str) -> entries.Place:
        return entries.Place(self.name, self._root(), container, path)

    def _folder_of(self, url: BlobUrl) -> Parts:
        locate(self._root(), url.container, url.path, url)
        return locate(self._folder, url.container, url.path.rpartition("/")[0], url)

    def _root(self) -> str:
        if not os.path.isdir(self._folder):  # noqa: PTH112 - a stat is to stay well below a millisecond
            if not self._make:
                raise StorageUnavailableError(self.name, "its folder is missing; is its disk mounted?")
            Path(self._folder).mkdir(mode=0o700, parents=True, exist_ok=True)
        return self._folder


async def _fill(upload: Upload, url: BlobUrl, chunks: AsyncIterator[bytes], limit: int) -> None:
    waiting = bytearray()
    async for chunk in within_limit(chunks, url, limit):
        waiting += chunk
        if len(waiting) >= CHUNK:
            await finish_in_thread(upload.write, waiting)
            waiting = bytearray()
    await finish_in_thread(upload.write, waiting)


def _remove(root: str, folder: Parts, name: str) -> None:
    with open_folder(root, folder) as descriptor:
        os.unlink(name, dir_fd=descriptor)
        os.fsync(descriptor)
    remove_empty(root, folder)


def _file(status: os.stat_result, url: BlobUrl) -> os.stat_result:
    if stat.S_ISLNK(status.st_mode):
        # It was made since its target was looked up, or it goes in circles.
        raise BlobNotFoundError(url)
    if not stat.S_ISREG(status.st_mode):
        raise NotABlobError(url, kind_of(status))
    return status
