"""Uploads into a folder account are whole or not there, whatever happens on the way."""

import asyncio
import os
import signal
import stat
import subprocess
import sys
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from headland.storage.blobs import CHUNK
from headland.storage.errors import BlobConflictError, BlobTooLargeError, StorageUnavailableError
from headland.storage.local.account import LocalAccount
from headland.storage.local.uploads import ABANDONED, Upload
from headland.storage.urls import BlobUrl

pytestmark = pytest.mark.anyio


def at(path: str) -> BlobUrl:
    return BlobUrl("farm", "data", path)


async def test_a_body_that_fails_leaves_nothing_new_and_nothing_changed(
    account: LocalAccount, put, files
) -> None:
    await put("old", b"old")
    before = files()

    async def broken() -> AsyncIterator[bytes]:
        yield bytes(CHUNK * 2)
        assert (await account.stat(at("old"))).size == 3
        raise ConnectionAbortedError("the client hung up")

    for path in ("old", "new", "new/deep/er"):
        with pytest.raises(Exception, match=r"hung up|not available"):
            await account.upload(at(path), broken(), 1 << 30)
    assert files() == before


async def test_nothing_is_seen_of_a_blob_before_it_is_whole(account: LocalAccount) -> None:
    async def watched() -> AsyncIterator[bytes]:
        for _ in range(3):
            yield bytes(CHUNK)
            assert (await account.list_blobs("data", "", None, 10)).blobs == ()

    await account.upload(at("deep/blob"), watched(), 1 << 30)
    assert [info.size for info in (await account.list_blobs("data", "", None, 10)).blobs] == [3 * CHUNK]


async def test_a_cancelled_upload_leaves_nothing(account: LocalAccount, files) -> None:
    reached = asyncio.Event()

    async def stalled() -> AsyncIterator[bytes]:
        yield bytes(CHUNK)
        reached.set()
        await asyncio.Event().wait()

    upload = asyncio.create_task(account.upload(at("a/b"), stalled(), 1 << 30))
    await reached.wait()
    assert len(files()) == 1
    upload.cancel()
    with pytest.raises(asyncio.CancelledError):
        await upload
    assert files() == {}


async def test_a_cancelled_upload_waits_for_the_thread_that_writes_its_file(
    account: LocalAccount, files, monkeypatch: pytest.MonkeyPatch
) -> None:
    writing, go_on, closed_early = threading.Event(), threading.Event(), []
    write = Upload.write

    def slow(self: Upload, data: bytes | bytearray) -> None:
        writing.set()
        go_on.wait()
        closed_early.append(self._file.closed)
        write(self, data)

    monkeypatch.setattr(Upload, "write", slow)

    async def body() -> AsyncIterator[bytes]:
        yield bytes(CHUNK)

    upload = asyncio.create_task(account.upload(at("a"), body(), 1 << 30))
    await asyncio.to_thread(writing.wait)
    upload.cancel()
    await asyncio.sleep(0)
    upload.cancel()
    asyncio.get_running_loop().call_later(0.05, go_on.set)
    with pytest.raises(asyncio.CancelledError):
        await upload
    assert closed_early == [False]
    assert files() == {}


@pytest.mark.parametrize(("size", "limit"), [(1, 0), (11, 10), (CHUNK + 1, CHUNK), (3 * CHUNK, 2 * CHUNK)])
async def test_more_than_the_limit_is_refused_and_leaves_nothing(put, files, size: int, limit: int) -> None:
    with pytest.raises(BlobTooLargeError, match=rf"wasbs://data@farm/a/b .* {limit} bytes"):
        await put("a/b", bytes(size), limit=limit)
    assert files() == {}


@pytest.mark.parametrize("limit", [0, 10, CHUNK])
async def test_the_limit_itself_is_allowed(put, limit: int) -> None:
    assert (await put("a", bytes(limit), limit=limit)).size == limit


async def test_a_body_is_not_read_further_than_the_limit(account: LocalAccount) -> None:
    taken = []

    async def endless() -> AsyncIterator[bytes]:
        while True:
            taken.append(1)
            yield bytes(1000)

    with pytest.raises(BlobTooLargeError):
        await account.upload(at("a"), endless(), 10_000)
    assert len(taken) == 11


async def test_a_blob_cannot_take_a_folders_name_nor_go_below_a_blob(
    account: LocalAccount, put, files
) -> None:
    await put("folder/blob", b"x")
    before = files()
    read = []

    async def body() -> AsyncIterator[bytes]:
        read.append(1)
        yield b"y"

    for path, problem in (
        ("folder", "taken by a folder"),
        ("folder/blob/below", "a part of its path is a blob"),
        ("folder/blob/far/below", "a part of its path is a blob"),
    ):
        with pytest.raises(BlobConflictError, match=problem):
            await account.upload(at(path), body(), 10)
    assert files() == before
    assert read == []  # refused before the body was asked for


async def test_a_conflict_that_comes_up_during_the_upload_is_told_as_well(
    account: LocalAccount, put, files
) -> None:
    async def overtaken() -> AsyncIterator[bytes]:
        yield b"x"
        await put("a", b"somebody else's")

    with pytest.raises(BlobConflictError):
        await account.upload(at("a/b/c"), overtaken(), 10)
    assert files() == {"data/a": b"somebody else's"}


async def test_the_file_is_on_disk_before_it_has_its_name_and_the_name_before_it_is_acknowledged(
    account: LocalAccount, put, monkeypatch: pytest.MonkeyPatch
) -> None:
    events = []
    fsync, rename = os.fsync, os.rename

    def recorded_fsync(descriptor: int) -> None:
        status = os.fstat(descriptor)
        events.append("folder" if stat.S_ISDIR(status.st_mode) else f"file of {status.st_size}")
        fsync(descriptor)

    def recorded_rename(*arguments: object, **named: object) -> None:
        events.append("rename")
        rename(*arguments, **named)

    await put("first", b"")  # so that the hidden folder is there
    monkeypatch.setattr(os, "fsync", recorded_fsync)
    monkeypatch.setattr(os, "rename", recorded_rename)
    await put("a/b", b"12345")
    # The second is the container's, which got the folder `a`.
    assert events == ["file of 5", "folder", "rename", "folder"]


async def test_an_upload_that_cannot_be_moved_into_place_leaves_no_folders(
    put, files, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "rename", full)
    with pytest.raises(StorageUnavailableError, match="No space left"):
        await put("deep/er/blob", b"x")
    assert files() == {}


async def test_uploads_and_deletes_in_one_folder_do_not_trip_over_each_other(
    account: LocalAccount, put
) -> None:
    async def come_and_go(name: str) -> None:
        for _ in range(10):
            await put(f"deep/er/{name}", b"x")
            await account.delete(at(f"deep/er/{name}"))

    await asyncio.gather(*(come_and_go(str(n)) for n in range(6)))
    assert (await account.list_blobs("data", "", None, 10)).blobs == ()


async def test_two_uploads_of_one_blob_leave_one_of_them_whole(put, files) -> None:
    await asyncio.gather(*(put("same", bytes([n]) * CHUNK, bytes([n]) * CHUNK) for n in range(4)))
    (content,) = files().values()
    assert len(content) == 2 * CHUNK
    assert len(set(content)) == 1


KILLED = """
import asyncio, os, signal, sys
from pathlib import Path
from headland.storage.local.account import LocalAccount
from headland.storage.urls import BlobUrl

async def body():
    for _ in range(4):
        yield bytes(1 << 20)
    os.kill(os.getpid(), signal.SIGKILL)

account = LocalAccount("farm", Path(sys.argv[1]), make=True)
asyncio.run(account.upload(BlobUrl("farm", "data", "a/b"), body(), 1 << 30))
"""


async def test_a_process_killed_on_the_way_leaves_only_what_is_cleaned_up(
    account: LocalAccount, put, files, folder: Path
) -> None:
    await put("a/b", b"old")
    killed = await asyncio.to_thread(subprocess.run, [sys.executable, "-c", KILLED, str(folder)], check=False)
    assert killed.returncode == -signal.SIGKILL
    (left,) = set(files()) - {"data/a/b"}
    assert left.startswith(".uploads/")
    assert files()["data/a/b"] == b"old"
    assert [info.path for info in (await account.list_blobs("data", "", None, 10)).blobs] == ["a/b"]
    written = (folder / left).stat().st_mtime
    assert account.prepare(now=written + ABANDONED - 1) == 0
    assert left in files()
    assert account.prepare(now=written + ABANDONED + 1) == 1
    assert files() == {"data/a/b": b"old"}
