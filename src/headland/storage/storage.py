"""Cluster storage: every account behind one door."""

import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path

from headland.http.ranges import Span
from headland.settings import StorageSettings
from headland.storage.accounts import AccountPlace, places_of
from headland.storage.blobs import Account, BlobInfo, BlobPage, BlobReader, Entry
from headland.storage.download import download
from headland.storage.errors import ParameterError, StorageUrlError, UnknownAccountError
from headland.storage.local.account import LocalAccount
from headland.storage.local.uploads import remove_abandoned
from headland.storage.names import account_problem, container_problem, path_problem, prefix_problem
from headland.storage.urls import BlobUrl, FolderUrl, parse_blob_url

#: Most blobs on a page of a listing.
LONGEST_PAGE = 1000


class Storage:
    """The accounts that the settings name, and the default one.

    Blobs are addressed by `BlobUrl`. Every method raises a `StorageError` whose message names the address.
    An account is opened, and the client of a remote store imported, with its first use.
    """

    def __init__(self, settings: StorageSettings, folder: Path) -> None:
        """`folder` is where the default account lives unless the settings place it: `Home.storage`.

        Raises:
            SettingsError: an account's settings contradict its kind.
        """
        self.default_account = settings.default_account
        self.default_container = settings.default_container
        #: Where uploads in parts grow, besides the default account.
        self.folder = folder
        self._places = places_of(settings, folder)
        self._accounts: dict[str, Account] = {}

    @property
    def places(self) -> tuple[AccountPlace, ...]:
        """Every account, the default one first."""
        return tuple(sorted(self._places.values(), key=lambda place: place.name != self.default_account))

    @property
    def root(self) -> FolderUrl:
        """The default container of the default account."""
        return FolderUrl(self.default_account, self.default_container, "")

    def prepare(self, now: float | None = None) -> int:
        """Make the default account with its default container, and remove what uploads of processes that died
        left in local accounts; how many those were. `now` is in seconds since 1970. For the start of a server:
        it blocks."""
        now = time.time() if now is None else now
        removed = remove_abandoned(str(self.folder), now)
        for place in self._places.values():
            # Remote accounts are not even opened: nothing of theirs is to be done, and obstore stays unimported.
            account = self.account(place.name) if place.kind == "folder" else None
            if isinstance(account, LocalAccount):
                removed += account.prepare(now, (self.default_container,))
        return removed

    def parse(self, text: str) -> BlobUrl:
        """The address that a `wasbs://` URL names here. Whether the account exists is not asked.

        Raises:
            StorageUrlError: it is malformed.
        """
        return parse_blob_url(text, self.default_account, self.default_container)

    def account(self, name: str) -> Account:
        """The account called `name`.

        Raises:
            UnknownAccountError: there is none.
            StorageUrlError: nothing could be called that.
        """
        account = self._accounts.get(name)
        if account is None:
            problem = account_problem(name)
            if problem:
                raise StorageUrlError("storage account", problem)
            place = self._places.get(name)
            if place is None:
                raise UnknownAccountError(name, [known.name for known in self.places])
            account = self._accounts[name] = _open(place)
        return account

    async def stat(self, url: BlobUrl) -> BlobInfo:
        """What is stored at `url`; of a local account at once, in some 100 microseconds."""
        return await self.account(url.account).stat(url)

    async def open(self, url: BlobUrl, span: Span | None = None) -> BlobReader:
        """The blob, or a part of it, to be read and then closed."""
        return await self.account(url.account).open(url, span)

    async def link(self, url: BlobUrl, seconds: int) -> str | None:
        """Where the blob is read at its store by whoever has the address, for so many seconds; None where that can't
        be."""
        return await self.account(url.account).link(url, seconds)

    async def upload(
        self, url: BlobUrl, chunks: AsyncIterator[bytes], limit: int, *, replace: bool = True
    ) -> BlobInfo:
        """Store `chunks`, at most `limit` bytes, as the blob, all or nothing. One that is there is replaced unless
        `replace` forbids it (BlobExistsError)."""
        return await self.account(url.account).upload(url, chunks, limit, replace=replace)

    async def list_blobs(
        self,
        account: str,
        container: str,
        *,
        prefix: str = "",
        marker: str | None = None,
        limit: int = LONGEST_PAGE,
    ) -> BlobPage:
        """At most `limit` blobs of a container in the order of their paths: those that begin with `prefix` and
        come after `marker`, the `next_marker` of the page before."""
        opened = self.account(account)
        problem = container_problem(container)
        if problem:
            raise StorageUrlError("storage container", problem)
        for name, wrong in (
            ("prefix", prefix_problem(prefix)),
            ("marker", path_problem(marker) if marker else None),
            ("limit", None if 1 <= limit <= LONGEST_PAGE else f"it must be 1 to {LONGEST_PAGE}"),
        ):
            if wrong:
                raise ParameterError(f"Parameter '{name}' is wrong: {wrong}.")
        return await opened.list_blobs(container, prefix, marker, limit)

    async def delete(self, url: BlobUrl) -> None:
        """Remove the blob."""
        await self.account(url.account).delete(url)

    async def entry(self, folder: FolderUrl) -> Entry:
        """The blob or folder that is there."""
        return await self.account(folder.account).entry(folder.container, folder.path)

    async def children(self, folder: FolderUrl) -> list[Entry]:
        """What a folder has, in the order of paths."""
        return await self.account(folder.account).children(folder.container, folder.path)

    async def make_folder(self, folder: FolderUrl) -> None:
        """Make a folder and those above it, unless it is there."""
        await self.account(folder.account).make_folder(folder.container, folder.path)

    async def rename(self, source: FolderUrl, path: str, *, replace: bool) -> None:
        """Give a blob or folder another path in its container, whose folder is there."""
        target = FolderUrl(source.account, source.container, path)
        for url in (source, target):
            if not url.path:
                raise StorageUrlError(str(url), "a container can't be renamed")
        account = self.account(source.account)
        await account.rename(source.container, source.path, path, replace=replace)

    async def remove(self, folder: FolderUrl, *, recursive: bool) -> None:
        """Remove a blob or folder. A container stays."""
        if not folder.path:
            raise StorageUrlError(str(folder), "a container can't be removed")
        account = self.account(folder.account)
        await account.remove(folder.container, folder.path, recursive=recursive)

    async def download(self, url: BlobUrl, target: Path) -> BlobInfo:
        """Copy the blob into the file `target`, which has all of it or is left as it was. May be repeated."""
        return await download(await self.open(url), target)

    def stat_and_wait(self, url: BlobUrl) -> BlobInfo:
        """`stat` for callers without an event loop."""
        return asyncio.run(self.stat(url))

    def download_and_wait(self, url: BlobUrl, target: Path) -> BlobInfo:
        """`download` for callers without an event loop."""
        return asyncio.run(self.download(url, target))


def _open(place: AccountPlace) -> Account:
    if place.kind == "folder":
        return LocalAccount(place.name, Path(place.location), make=place.make)
    from headland.storage.remote import RemoteAccount  # noqa: PLC0415 - obstore, for those who need it

    return RemoteAccount(place)
