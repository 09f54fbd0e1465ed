"""A folder account: store, find, read, delete."""

import os
import socket
import tempfile
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from headland.storage.blobs import CHUNK
from headland.storage.errors import (
    BlobConflictError,
    BlobNotFoundError,
    NotABlobError,
    StorageDeniedError,
    StorageUnavailableError,
    StorageUrlError,
)
from headland.storage.local import account as account_module
from headland.storage.local.account import LocalAccount
from headland.storage.urls import BlobUrl

pytestmark = pytest.mark.anyio


def at(path: str, container: str = "data") -> BlobUrl:
    return BlobUrl("farm", container, path)


def names_in(folder: Path) -> list[str]:
    return [entry.name for entry in folder.iterdir()]


async def read(account: LocalAccount, path: str) -> bytes:
    reader = await account.open(at(path))
    try:
        return b"".join([chunk async for chunk in reader])
    finally:
        await reader.close()


async def test_a_blob_comes_back_as_it_went_in(account: LocalAccount, put, folder: Path) -> None:
    content = os.urandom(CHUNK * 2 + 17)
    stored = await put("jars/app.jar", content[:100], content[100 : CHUNK + 5], content[CHUNK + 5 :])
    assert stored == await account.stat(at("jars/app.jar"))
    assert (stored.path, stored.size) == ("jars/app.jar", len(content))
    assert stored.modified == (folder / "data/jars/app.jar").stat().st_mtime_ns // 1_000_000
    assert await read(account, "jars/app.jar") == content
    assert (folder / "data/jars/app.jar").read_bytes() == content


async def test_no_chunk_is_larger_than_what_a_transfer_may_hold(account: LocalAccount, put) -> None:
    await put("big", bytes(CHUNK * 3 + 1))
    reader = await account.open(at("big"))
    sizes = [len(chunk) async for chunk in reader]
    await reader.close()
    assert sizes == [CHUNK, CHUNK, CHUNK, 1]


async def test_an_empty_blob_is_a_blob(account: LocalAccount, put) -> None:
    assert (await put("empty")).size == 0
    assert await read(account, "empty") == b""


async def test_replacing_a_blob_changes_its_etag_and_not_what_is_being_read(
    account: LocalAccount, put
) -> None:
    before = await put("a", b"first")
    reader = await account.open(at("a"))
    after = await put("a", b"secon")
    assert after.etag != before.etag
    assert [chunk async for chunk in reader] == [b"first"]
    await reader.close()
    assert await read(account, "a") == b"secon"


async def test_a_file_cut_short_while_it_is_read_is_no_short_blob(
    account: LocalAccount, put, folder: Path
) -> None:
    await put("a", bytes(CHUNK + 1))
    reader = await account.open(at("a"))
    os.truncate(folder / "data/a", 10)
    with pytest.raises(StorageUnavailableError, match="became shorter"):
        [chunk async for chunk in reader]
    await reader.close()


@pytest.mark.parametrize("path", ["missing", "missing/deeper", "a/b", "folder/missing"])
async def test_what_is_missing_is_named(account: LocalAccount, put, folder: Path, path: str) -> None:
    await put("a", b"a file")
    (folder / "data/folder").mkdir()
    for method in (account.stat, account.open, account.delete):
        with pytest.raises(BlobNotFoundError, match=f"There is no blob wasbs://data@farm/{path}"):
            await method(at(path))


async def test_a_missing_container_is_named_when_it_is_listed(account: LocalAccount) -> None:
    with pytest.raises(BlobNotFoundError, match="no container 'nope' in account 'farm'"):
        await account.list_blobs("nope", "", None, 10)


async def test_a_folder_is_no_blob(account: LocalAccount, folder: Path) -> None:
    (folder / "data/jars").mkdir()
    for method in (account.stat, account.open, account.delete):
        with pytest.raises(NotABlobError, match="wasbs://data@farm/jars is a folder"):
            await method(at("jars"))
    assert (folder / "data/jars").is_dir()


def _fifo(place: Path) -> None:
    os.mkfifo(place)


def _socket(place: Path) -> None:
    # Bound by a short name and moved: a socket's path may have some 100 bytes only.
    short = Path(tempfile.mkdtemp()) / "s"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(short))
    short.rename(place)
    short.parent.rmdir()


@pytest.mark.parametrize("make", [_fifo, _socket])
async def test_what_is_no_regular_file_is_refused_at_once(
    account: LocalAccount, put, folder: Path, make
) -> None:
    make(folder / "data/special")
    for method in (account.stat, account.open, account.delete):
        with pytest.raises(NotABlobError, match="wasbs://data@farm/special is a special file"):
            await method(at("special"))
    with pytest.raises(BlobConflictError, match="taken by a special file"):
        await put("special", b"x")
    assert (await account.list_blobs("data", "", None, 10)).blobs == ()
    assert names_in(folder / "data") == ["special"]


async def test_a_fifo_made_after_the_check_is_not_waited_for(
    account: LocalAccount, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _fifo(folder / "data/fifo")
    check, checked = account_module._file, []

    def late(status: os.stat_result, url: BlobUrl) -> os.stat_result:
        checked.append(url)
        return status if len(checked) == 1 else check(status, url)

    monkeypatch.setattr(account_module, "_file", late)
    with pytest.raises(NotABlobError):
        await account.open(at("fifo"))
    assert len(checked) == 2


async def test_a_name_longer_than_a_file_can_have_is_the_urls_fault(account: LocalAccount, put) -> None:
    with pytest.raises(StorageUrlError, match="too long"):
        await account.stat(at("x" * 300))
    with pytest.raises(StorageUrlError, match="too long"):
        await put("x" * 300, b"x")


async def test_delete_tidies_up_to_the_container_and_no_further(account: LocalAccount, put, files) -> None:
    await put("a/b/c/one", b"1")
    await put("a/two", b"2")
    await account.delete(at("a/b/c/one"))
    assert files() == {"data/a/two": b"2"}
    await account.delete(at("a/two"))
    assert files() == {}
    assert (await account.list_blobs("data", "", None, 10)).blobs == ()


def test_the_default_accounts_folder_is_made_for_its_owner_alone(folder: Path, account: LocalAccount) -> None:
    assert folder.stat().st_mode & 0o777 == 0o700


async def test_a_configured_folder_that_is_missing_is_not_made(tmp_path: Path) -> None:
    account = LocalAccount("farm", tmp_path / "unmounted", make=False)
    account.prepare(now=0, containers=("data",))
    for attempt in (
        account.stat(at("a")),
        account.open(at("a")),
        account.upload(at("a"), _nothing(), 1),
        account.list_blobs("data", "", None, 1),
        account.delete(at("a")),
    ):
        with pytest.raises(StorageUnavailableError, match="'farm' is not available: its folder is missing"):
            await attempt
    assert names_in(tmp_path) == []


async def test_what_the_disk_denies_is_no_missing_blob(
    account: LocalAccount, put, monkeypatch: pytest.MonkeyPatch
) -> None:
    await put("a", b"x")

    def denied(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(account_module.os, "stat", denied)
    with pytest.raises(
        StorageDeniedError, match="'farm' is not available: wasbs://data@farm/a: Permission denied"
    ):
        await account.stat(at("a"))


async def test_a_full_disk_is_said_and_leaves_nothing(
    account: LocalAccount, put, files: Callable[[], dict[str, bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("headland.storage.local.uploads.Upload.write", full)
    with pytest.raises(StorageUnavailableError, match="No space left"):
        await put("a/b", b"x")
    assert files() == {}


async def _nothing() -> AsyncIterator[bytes]:
    return
    yield b""
