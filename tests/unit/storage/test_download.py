"""Downloads into a file: whole under its name, or not at all."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from headland.storage.blobs import CHUNK, BlobInfo
from headland.storage.download import download
from headland.storage.errors import StorageUnavailableError

pytestmark = pytest.mark.anyio


def contents(folder: Path) -> dict[str, bytes]:
    return {entry.name: entry.read_bytes() for entry in folder.iterdir()}


class Reader:
    """A blob of three chunks, of which one may never come."""

    def __init__(self, failure: BaseException | None = None, stall: asyncio.Event | None = None) -> None:
        self.info = BlobInfo("a", 3 * CHUNK, 0)
        self.closed = False
        self._failure = failure
        self._stall = stall

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield b"1" * CHUNK
        if self._stall:
            self._stall.set()
            await asyncio.Event().wait()
        if self._failure:
            raise self._failure
        yield b"2" * CHUNK
        yield b"3" * CHUNK

    async def close(self) -> None:
        self.closed = True


async def test_a_blob_becomes_a_file_and_may_do_so_again(tmp_path: Path) -> None:
    for _ in range(2):
        reader = Reader()
        assert await download(reader, tmp_path / "a") == reader.info
        assert (tmp_path / "a").read_bytes() == b"1" * CHUNK + b"2" * CHUNK + b"3" * CHUNK
        assert reader.closed
    assert list(contents(tmp_path)) == ["a"]


async def test_a_download_that_fails_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"before")
    reader = Reader(StorageUnavailableError("farm", "gone"))
    with pytest.raises(StorageUnavailableError):
        await download(reader, tmp_path / "a")
    assert reader.closed
    assert contents(tmp_path) == {"a": b"before"}


async def test_a_cancelled_download_leaves_nothing(tmp_path: Path) -> None:
    stalled = asyncio.Event()
    reader = Reader(stall=stalled)
    task = asyncio.create_task(download(reader, tmp_path / "a"))
    await stalled.wait()
    assert len(contents(tmp_path)) == 1
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert reader.closed
    assert contents(tmp_path) == {}


async def test_a_target_that_cannot_be_written_is_the_callers_to_know(tmp_path: Path) -> None:
    reader = Reader()
    with pytest.raises(FileNotFoundError):
        await download(reader, tmp_path / "missing/a")
    assert reader.closed
