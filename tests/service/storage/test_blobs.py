"""Blobs over HTTP: in, out, replaced, asked about, gone."""

from collections.abc import AsyncIterator
from email.utils import parsedate_to_datetime
from pathlib import Path

import httpx
import pytest

pytestmark = pytest.mark.anyio


def names_in(folder: Path) -> list[str]:
    return [entry.name for entry in folder.iterdir()]


async def chunked(*chunks: bytes) -> AsyncIterator[bytes]:
    for chunk in chunks:
        yield chunk


async def test_a_blob_goes_in_and_comes_out(client: httpx.AsyncClient, container: Path) -> None:
    content = bytes(range(256)) * 5000
    stored = await client.put("/storage/-/-/jars/app%20one.jar", content=chunked(content[:7], content[7:]))
    assert stored.status_code == 201
    assert stored.headers["content-type"] == "application/json; charset=UTF-8"
    body = stored.json()
    assert body.pop("etag")
    assert body.pop("modified") == (container / "jars/app one.jar").stat().st_mtime_ns // 1_000_000
    assert body == {
        "path": "jars/app one.jar",
        "url": "wasbs://default@headland/jars/app one.jar",
        "size": len(content),
    }
    assert (container / "jars/app one.jar").read_bytes() == content
    fetched = await client.get("/storage/headland/default/jars/app%20one.jar")
    assert fetched.status_code == 200
    assert fetched.content == content


async def test_get_and_head_describe_a_blob_alike(client: httpx.AsyncClient) -> None:
    stored = (await client.put("/storage/-/-/a", content=b"12345")).json()
    fetched = await client.get("/storage/-/-/a")
    described = await client.head("/storage/-/-/a")
    for answer in (fetched, described):
        assert answer.status_code == 200
        assert answer.headers["content-length"] == "5"
        assert answer.headers["content-type"] == "application/octet-stream"
        assert answer.headers["etag"] == stored["etag"]
        modified = parsedate_to_datetime(answer.headers["last-modified"]).timestamp()
        assert modified == stored["modified"] // 1000
    assert (fetched.content, described.content) == (b"12345", b"")


async def test_a_blob_is_replaced_and_says_so(client: httpx.AsyncClient) -> None:
    first = await client.put("/storage/-/-/a", content=b"first")
    second = await client.put("/storage/-/-/a", content=b"second")
    assert (first.status_code, second.status_code) == (201, 200)
    assert first.json()["etag"] != second.json()["etag"]
    assert (await client.get("/storage/-/-/a")).content == b"second"


async def test_an_empty_blob_is_a_blob(client: httpx.AsyncClient) -> None:
    assert (await client.put("/storage/-/-/empty", content=b"")).json()["size"] == 0
    fetched = await client.get("/storage/-/-/empty")
    assert (fetched.content, fetched.headers["content-length"]) == (b"", "0")


async def test_a_deleted_blob_is_gone(client: httpx.AsyncClient, container: Path) -> None:
    await client.put("/storage/-/-/deep/er/a", content=b"x")
    deleted = await client.delete("/storage/-/-/deep/er/a")
    assert (deleted.status_code, deleted.content) == (204, b"")
    assert names_in(container) == []
    for method in ("GET", "HEAD", "DELETE"):
        assert (await client.request(method, "/storage/-/-/deep/er/a")).status_code == 404


async def test_another_container_comes_to_be_with_its_first_blob(client: httpx.AsyncClient) -> None:
    assert (await client.get("/storage/-/second")).status_code == 404
    assert (await client.put("/storage/-/second/a", content=b"x")).json()[
        "url"
    ] == "wasbs://second@headland/a"
    assert [b["path"] for b in (await client.get("/storage/-/second")).json()["blobs"]] == ["a"]


async def test_names_of_every_alphabet_survive_the_way_there_and_back(client: httpx.AsyncClient) -> None:
    path = "größe/日本/%41+&=;~@:.jar"
    quoted = "gr%C3%B6%C3%9Fe/%E6%97%A5%E6%9C%AC/%2541+&=;~@:.jar"
    assert (await client.put(f"/storage/-/-/{quoted}", content=b"x")).json()["path"] == path
    assert (await client.get(f"/storage/-/-/{quoted}")).content == b"x"
    (listed,) = (await client.get("/storage/-/-")).json()["blobs"]
    assert listed["path"] == path


async def test_a_part_of_a_blob(client: httpx.AsyncClient) -> None:
    await client.put("/storage/-/-/a", content=b"0123456789")
    whole = await client.get("/storage/-/-/a")
    assert whole.headers["accept-ranges"] == "bytes"
    for known in (whole.headers["etag"], whole.headers["last-modified"]):
        part = await client.get("/storage/-/-/a", headers={"range": "bytes=3-", "if-range": known})
        assert (part.status_code, part.content) == (206, b"3456789")
        assert part.headers["content-range"] == "bytes 3-9/10"
        assert part.headers["etag"] == whole.headers["etag"]
    again = await client.get("/storage/-/-/a", headers={"range": "bytes=3-", "if-range": '"other"'})
    assert (again.status_code, again.content) == (200, b"0123456789")
    refused = await client.get("/storage/-/-/a", headers={"range": "bytes=10-"})
    assert (refused.status_code, refused.headers["content-range"]) == (416, "bytes */10")
    assert "10 bytes" in refused.json()["msg"]
