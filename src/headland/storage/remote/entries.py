"""An object store as a file system: folders are what paths begin with, and empty ones have a mark.

Moving a folder copies each blob and then removes the old ones: it is not one stroke, and what is cut short leaves both.
"""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass

import obstore
from obstore.exceptions import AlreadyExistsError, NotSupportedError

from headland.storage.accounts import AccountPlace
from headland.storage.blobs import Entry
from headland.storage.errors import (
    BlobConflictError,
    BlobExistsError,
    BlobNotFoundError,
    FolderNotEmptyError,
)
from headland.storage.names import segment_problem
from headland.storage.remote.failures import remote_errors
from headland.storage.remote.reader import info_of
from headland.storage.remote.stores import Store

#: Name of the empty blob that keeps a folder which would have nothing else. No listing shows it.
MARK = ".headland-folder"

#: Blobs copied at once, and removed by one call.
_COPIES, _REMOVALS = 16, 1000


@dataclass(frozen=True, slots=True)
class Folders:
    """A container's folders."""

    place: AccountPlace
    container: str
    store: Store

    async def entry(self, path: str) -> Entry:
        with remote_errors(self.place, self.shown(path), self.container):
            if path and (blob := await self._blob(path)) is not None:
                return blob
            # To look is to learn that a container is missing; where containers are prefixes, none is.
            if await self._has_something(path) or not path:
                return Entry(path, True)
        raise BlobNotFoundError(self.shown(path), "blob or folder")

    async def children(self, path: str) -> list[Entry]:
        with remote_errors(self.place, self.shown(path), self.container):
            found = await obstore.list_with_delimiter_async(self.store, path or None)
        blobs = [info_of(meta["path"], meta) for meta in found["objects"]]
        if path and not blobs and not found["common_prefixes"]:
            entry = await self.entry(path)
            if not entry.folder:
                raise BlobConflictError(self.shown(path), "it is a blob, not a folder")
        entries = {prefix: Entry(prefix, True) for prefix in found["common_prefixes"]}
        # Where a folder has the name as well, it is the blob that is seen.
        entries |= {blob.path: Entry.of(blob) for blob in blobs}
        return [entries[name] for name in sorted(entries) if _is_shown(name)]

    async def make_folder(self, path: str) -> None:
        await self._check_above(path)
        with remote_errors(self.place, self.shown(path), self.container):
            if path and await self._blob(path) is not None:
                raise BlobExistsError(self.shown(path))
            # A mark each: some stores don't list a folder that has nothing but folders.
            missing = []
            while path and not await self._has_something(path):
                missing.append(path)
                path = path.rpartition("/")[0]
            for folder in reversed(missing):
                await obstore.put_async(self.store, f"{folder}/{MARK}", b"")

    async def rename(self, path: str, target: str, *, replace: bool) -> None:
        entry = await self.entry(path)
        await self._check_above(target)
        try:
            there = await self.entry(target)
        except BlobNotFoundError:
            pass
        else:
            if not replace or there.folder != entry.folder:
                raise BlobExistsError(self.shown(target))
            if there.folder and await self.children(target):
                raise FolderNotEmptyError(self.shown(target))
        with remote_errors(self.place, self.shown(path), self.container):
            if entry.folder:
                await self._move_all(path, target)
            else:
                await self._copy(path, target, replace=replace)
                await obstore.delete_async(self.store, path)
            await self._keep_folder_of(path)

    async def remove(self, path: str, *, recursive: bool) -> None:
        entry = await self.entry(path)
        if entry.folder and not recursive and await self.children(path):
            raise FolderNotEmptyError(self.shown(path))
        with remote_errors(self.place, self.shown(path), self.container):
            if entry.folder:
                await self._remove_all([name async for name in self._below(path)])
            else:
                await obstore.delete_async(self.store, path)
            await self._keep_folder_of(path)

    def shown(self, path: str) -> str:
        return f"wasbs://{self.container}@{self.place.name}/{path}"

    async def _blob(self, path: str) -> Entry | None:
        try:
            return Entry.of(info_of(path, await obstore.head_async(self.store, path)))
        except FileNotFoundError:
            return None

    async def _has_something(self, path: str) -> bool:
        async for _ in self._below(path, 1):
            return True
        return False

    async def _below(self, path: str, chunk: int = _REMOVALS) -> AsyncIterator[str]:
        """Paths of all blobs in a folder, marks among them."""
        async for metas in obstore.list(self.store, path or None, chunk_size=chunk):
            for meta in metas:
                yield meta["path"]

    async def _check_above(self, path: str) -> None:
        """Nothing can be made below a blob."""
        above = path.rpartition("/")[0]
        while above:
            with remote_errors(self.place, self.shown(above), self.container):
                if await self._blob(above) is not None:
                    raise BlobConflictError(self.shown(path), "a part of its path is a blob, not a folder")
            above = above.rpartition("/")[0]

    async def _copy(self, path: str, target: str, *, replace: bool) -> None:
        """By the store's own condition where nothing is to be replaced and it has one: what is there was looked for,
        but somebody may have been faster."""
        try:
            await obstore.copy_async(self.store, path, target, overwrite=replace)
        except AlreadyExistsError:
            raise BlobExistsError(self.shown(target)) from None
        except (NotSupportedError, NotImplementedError):
            await obstore.copy_async(self.store, path, target)

    async def _move_all(self, path: str, target: str) -> None:
        names = [name async for name in self._below(path)]
        at_once = asyncio.Semaphore(_COPIES)

        async def copy(name: str) -> None:
            async with at_once:
                await obstore.copy_async(self.store, name, target + name.removeprefix(path))

        await asyncio.gather(*map(copy, names))
        await self._remove_all(names)

    async def _remove_all(self, names: list[str]) -> None:
        for first in range(0, len(names), _REMOVALS):
            await obstore.delete_async(self.store, names[first : first + _REMOVALS])

    async def _keep_folder_of(self, path: str) -> None:
        """A folder stays when the last that it had is gone."""
        above = path.rpartition("/")[0]
        if above and not await self._has_something(above):
            await obstore.put_async(self.store, f"{above}/{MARK}", b"")


def _is_shown(path: str) -> bool:
    name = path.rpartition("/")[2]
    return name != MARK and segment_problem(name) is None
