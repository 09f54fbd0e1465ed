"""Remote accounts against servers of other makers; what went in and out is checked by another client."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import msgspec
import pytest
from tests.clients.storage.conftest import azure_settings

from headland.http.ranges import Span
from headland.settings import StorageSettings
from headland.storage import BlobNotFoundError, BlobTooLargeError, BlobUrl, Storage

pytestmark = pytest.mark.anyio

#: As conftest.py puts them there.
SEEDED = {"jars/app one.jar": b"one" * 1000, "jars/größe%41.jar": b"two", "readme": b"three"}
MEBIBYTE = 1024 * 1024


async def stream(*chunks: bytes) -> AsyncIterator[bytes]:
    for chunk in chunks:
        yield chunk


async def read(storage: Storage, url: BlobUrl, span: Span | None = None) -> bytes:
    reader = await storage.open(url, span)
    try:
        return b"".join([chunk async for chunk in reader])
    finally:
        await reader.close()


async def paths(storage: Storage, remote: tuple[str, str], **wanted: object) -> list[str]:
    return [info.path for info in (await storage.list_blobs(*remote, **wanted)).blobs]


async def test_what_another_client_stored_is_found_read_and_listed(
    storage: Storage, remote, tmp_path: Path
) -> None:
    for path, content in SEEDED.items():
        url = BlobUrl(*remote, path)
        info = await storage.stat(url)
        assert (info.path, info.size) == (path, len(content))
        assert info.modified > 1_600_000_000_000
        assert info.etag
        assert await read(storage, url) == content
        assert await read(storage, url, Span(1, len(content) - 1)) == content[1:]
        assert await read(storage, url, Span(0, 1)) == content[:2]
        assert await storage.download(url, tmp_path / "copy") == info
        assert _content(tmp_path / "copy") == content
    page = await storage.list_blobs(*remote)
    assert {info.path: info.size for info in page.blobs} == {path: len(body) for path, body in SEEDED.items()}
    assert [info.path for info in page.blobs] == sorted(SEEDED)


async def test_a_link_reads_one_blob_and_changes_nothing(storage: Storage, remote, fetch) -> None:
    url = BlobUrl(*remote, "readme")
    link = await storage.link(url, 60)
    assert link is not None
    async with httpx.AsyncClient() as client:
        found = await client.get(link, headers={"Range": "bytes=1-2"})
        assert (found.status_code, found.content) == (206, SEEDED[url.path][1:3])
        assert found.headers["etag"].strip('"') == (await storage.stat(url)).etag.strip('"')
        if remote[0] == "bucket":
            # s3rver takes a link for GET for anything; S3 signs the method, too.
            return
        assert (await client.put(link, content=b"weeds")).status_code >= 400
        assert (await client.delete(link)).status_code >= 400
    assert fetch(*remote, url.path) == SEEDED[url.path]


async def test_where_there_are_no_links(storage: Storage, azurite: str, tmp_path: Path) -> None:
    linkless = msgspec.structs.replace(azure_settings(azurite), links=False)
    without = Storage(StorageSettings(accounts={"azure": linkless}), tmp_path)
    assert await without.link(BlobUrl("azure", "fields", "a"), 60) is None
    assert await storage.link(BlobUrl("azuresas", "fields", "a"), 60) is None
    assert await storage.link(BlobUrl("headland", "default", "a"), 60) is None


def test_a_controllers_thread_stages_without_an_event_loop(storage: Storage, remote, tmp_path: Path) -> None:
    url = BlobUrl(*remote, "jars/app one.jar")
    for _ in range(2):
        assert storage.stat_and_wait(url).size == 3000
        storage.download_and_wait(url, tmp_path / "copy")
        assert _content(tmp_path / "copy") == b"one" * 1000


async def test_what_is_uploaded_is_there_for_another_client(storage: Storage, remote, fetch) -> None:
    content = bytes(range(256)) * 4 * 1024 * 12  # 12 MiB: several parts
    url = BlobUrl(*remote, "new/größe 1%41.jar")
    info = await storage.upload(url, stream(content[:10], content[10:MEBIBYTE], content[MEBIBYTE:]), 1 << 30)
    assert info.size == len(content)
    assert info == await storage.stat(url)
    assert fetch(*remote, url.path) == content
    assert await read(storage, url) == content
    replaced = await storage.upload(url, stream(b"small"), 10)
    assert (replaced.size, fetch(*remote, url.path)) == (5, b"small")
    assert replaced.etag != info.etag
    assert (await storage.upload(url, stream(), 10)).size == 0
    assert fetch(*remote, url.path) == b""


async def test_what_is_deleted_is_gone_for_another_client(storage: Storage, remote, fetch) -> None:
    url = BlobUrl(*remote, "readme")
    await storage.delete(url)
    assert fetch(*remote, "readme") is None
    assert fetch(*remote, "jars/app one.jar") == b"one" * 1000
    with pytest.raises(BlobNotFoundError, match=str(url)):
        await storage.delete(url)


async def test_what_is_missing_is_named(storage: Storage, remote, tmp_path: Path) -> None:
    for path in ("missing", "jars", "jars/missing"):
        url = BlobUrl(*remote, path)
        for attempt in (
            storage.stat(url),
            storage.open(url),
            storage.delete(url),
            storage.download(url, tmp_path / "x"),
        ):
            with pytest.raises(BlobNotFoundError, match=f"There is no blob {url}"):
                await attempt


@pytest.mark.parametrize("size", [11, 8 * MEBIBYTE])
async def test_an_upload_above_the_limit_stores_nothing(storage: Storage, remote, fetch, size: int) -> None:
    for path, before in (("new", None), ("readme", b"three")):
        half = bytes(size // 2)
        with pytest.raises(BlobTooLargeError, match=path):
            await storage.upload(BlobUrl(*remote, path), stream(half, half, b"x"), size - 1)
        assert fetch(*remote, path) == before


async def test_a_body_that_fails_is_told_as_it_failed_and_stores_nothing(
    storage: Storage, remote, fetch
) -> None:
    async def broken() -> AsyncIterator[bytes]:
        for _ in range(7):
            yield bytes(MEBIBYTE)
        raise RuntimeError("the client hung up")

    with pytest.raises(RuntimeError, match="the client hung up"):
        await storage.upload(BlobUrl(*remote, "readme"), broken(), 1 << 30)
    assert fetch(*remote, "readme") == b"three"


async def test_a_cancelled_upload_stores_nothing(storage: Storage, remote, fetch) -> None:
    reached = asyncio.Event()

    async def stalled() -> AsyncIterator[bytes]:
        for _ in range(7):
            yield bytes(MEBIBYTE)
        reached.set()
        await asyncio.sleep(60)

    upload = asyncio.create_task(storage.upload(BlobUrl(*remote, "readme"), stalled(), 1 << 30))
    await reached.wait()
    upload.cancel()
    with pytest.raises(asyncio.CancelledError):
        await upload
    assert fetch(*remote, "readme") == b"three"


async def test_pages_together_are_everything_once_in_order(storage: Storage, remote) -> None:
    # s3rver orders by folder, not by path as S3 does; such a store is read to its end and sorted here.
    added = ["a", "a-b", "b/-", "b/c/d", "b/c-", "b/c.x", "b.x/y", "b-/z", "jars"]
    for path in added:
        await storage.upload(BlobUrl(*remote, path), stream(b"x"), 1)
    everything = sorted([*SEEDED, *added])
    for limit in (1, 2, 5, len(everything), 1000):
        found, marker = [], None
        while True:
            page = await storage.list_blobs(*remote, marker=marker, limit=limit)
            assert len(page.blobs) <= limit
            found += [info.path for info in page.blobs]
            marker = page.next_marker
            if marker is None:
                break
        assert found == everything


@pytest.mark.parametrize(
    "prefix", ["", "jars", "jars/", "jars/app", "jars/app one.jar", "j", "read", "x", "readme/"]
)
async def test_a_prefix_is_the_beginning_of_a_path(storage: Storage, remote, prefix: str) -> None:
    assert await paths(storage, remote, prefix=prefix) == sorted(p for p in SEEDED if p.startswith(prefix))


async def test_containers_are_kept_apart(storage: Storage, remote) -> None:
    account, container = remote
    other = container[:-1] + "z"
    with pytest.raises(BlobNotFoundError):
        await storage.stat(BlobUrl(account, other, "readme"))
    if account == "bucket":  # a container there is no more than a prefix
        assert await paths(storage, (account, other)) == []
        assert await paths(storage, (account, container[:-1] + "zz")) == []


def _content(file: Path) -> bytes:
    return file.read_bytes()
