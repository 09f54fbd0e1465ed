"""Azure and S3 as file systems: folders that are only in names, and marks where there is nothing else."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from tests.clients.storage.conftest import SEEDED

from headland.http.ranges import Span
from headland.storage import BlobNotFoundError, BlobUrl, Storage
from headland.storage.blobs import Entry
from headland.storage.errors import (
    BlobConflictError,
    BlobExistsError,
    FolderNotEmptyError,
)
from headland.storage.urls import FolderUrl

pytestmark = pytest.mark.anyio


def names(entries: list[Entry]) -> list[str]:
    return [entry.path + "/" if entry.folder else entry.path for entry in entries]


async def body(*parts: bytes) -> AsyncIterator[bytes]:
    for part in parts:
        yield part


async def bytes_of(storage: Storage, url: BlobUrl, span: Span | None = None) -> bytes:
    reader = await storage.open(url, span)
    return b"".join([chunk async for chunk in reader])


async def test_folders_are_what_paths_begin_with(storage: Storage, remote: tuple[str, str]) -> None:
    account, container = remote
    root = FolderUrl(account, container, "")
    assert names(await storage.children(root)) == ["jars/", "readme"]
    jars = FolderUrl(account, container, "jars")
    assert names(await storage.children(jars)) == ["jars/app one.jar", "jars/größe%41.jar"]
    assert (await storage.entry(jars)).folder
    assert (await storage.entry(root)).folder
    blob = await storage.entry(FolderUrl(account, container, "jars/app one.jar"))
    assert (blob.folder, blob.size) == (False, 3000)
    for path in ("jar", "jars/app", "readme/x"):
        with pytest.raises(BlobNotFoundError):
            await storage.entry(FolderUrl(account, container, path))
    with pytest.raises(BlobConflictError):
        await storage.children(FolderUrl(account, container, "readme"))


async def test_a_folder_is_there_until_it_is_removed(storage: Storage, remote: tuple[str, str]) -> None:
    account, container = remote

    def at(path: str) -> FolderUrl:
        return FolderUrl(account, container, path)

    for _ in range(2):
        await storage.make_folder(at("a/b/c"))
    assert names(await storage.children(at("a/b"))) == ["a/b/c/"]
    assert await storage.children(at("a/b/c")) == []
    page = await storage.list_blobs(account, container)
    assert {blob.path for blob in page.blobs} == {*SEEDED}, "what keeps a folder is no blob"
    with pytest.raises(FolderNotEmptyError):
        await storage.remove(at("a"), recursive=False)
    await storage.remove(at("a/b/c"), recursive=False)
    assert (await storage.entry(at("a/b"))).folder
    await storage.remove(at("jars/app one.jar"), recursive=False)
    await storage.remove(at("jars/größe%41.jar"), recursive=False)
    assert await storage.children(at("jars")) == [], "it stays when the last that it had is gone"
    await storage.remove(at("a"), recursive=True)
    assert names(await storage.children(at(""))) == ["jars/", "readme"]
    with pytest.raises(BlobConflictError):
        await storage.make_folder(at("readme/below"))


async def test_blobs_and_folders_are_renamed(storage: Storage, remote: tuple[str, str]) -> None:
    account, container = remote

    def at(path: str) -> FolderUrl:
        return FolderUrl(account, container, path)

    with pytest.raises(BlobExistsError):
        await storage.rename(at("jars/app one.jar"), "readme", replace=False)
    await storage.rename(at("jars/app one.jar"), "readme", replace=True)
    assert await bytes_of(storage, BlobUrl(account, container, "readme")) == b"one" * 1000
    await storage.rename(at("jars"), "ü ber", replace=False)
    assert names(await storage.children(at("ü ber"))) == ["ü ber/größe%41.jar"]
    with pytest.raises(BlobNotFoundError):
        await storage.entry(at("jars"))
    await storage.make_folder(at("other"))
    with pytest.raises(FolderNotEmptyError):
        await storage.rename(at("other"), "ü ber", replace=True)


async def test_some_bytes_of_a_blob(storage: Storage, remote: tuple[str, str]) -> None:
    account, container = remote
    url = BlobUrl(account, container, "jars/app one.jar")
    assert await bytes_of(storage, url, Span(1, 4)) == b"neon"
    assert await bytes_of(storage, url, Span(2998, 2999)) == b"ne"


async def test_of_two_that_want_a_name_one_gets_it(storage: Storage, azure_container: str) -> None:
    """s3rver knows no such condition."""
    names = ["jars/app one.jar", "jars/größe%41.jar", "readme"]
    renames = [
        storage.rename(FolderUrl("azure", azure_container, name), "won", replace=False) for name in names
    ]
    done = await asyncio.gather(*renames, return_exceptions=True)
    assert [type(each) for each in done if each is not None] == [BlobExistsError] * 2
    page = await storage.list_blobs("azure", azure_container)
    assert len(page.blobs) == len(names), "the others are where they were"


async def test_a_blob_is_stored_only_where_none_is(storage: Storage, azure_container: str) -> None:
    """s3rver knows no such condition."""
    account, container = "azure", azure_container
    url = BlobUrl(account, container, "once")
    await storage.upload(url, body(b"first"), 100, replace=False)
    with pytest.raises(BlobExistsError):
        await storage.upload(url, body(b"second"), 100, replace=False)
    assert await bytes_of(storage, url) == b"first"
    large = BlobUrl(account, container, "large")
    part = b"x" * 1_000_000
    await storage.upload(large, body(*[part] * 20), 100_000_000, replace=False)
    assert (await storage.stat(large)).size == 20_000_000
    with pytest.raises(BlobExistsError):
        await storage.upload(large, body(*[part] * 20), 100_000_000, replace=False)
