"""Cluster storage as a file system over HTTP: what Spark asks for where it does not reach the files."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from headland.storage import Storage

pytestmark = pytest.mark.anyio

ENTRIES, CHILDREN = "/storage/file-system/entries/-/-", "/storage/file-system/children/-/-"
PARTS = f"/storage/file-system/parts/{'ab' * 16}/-/-"


@pytest.fixture(autouse=True)
def blobs(storage: Storage, container: Path) -> None:
    (container / "a").mkdir()
    (container / "a" / "größe 100%").write_bytes(b"0123456789")
    (container / "empty").mkdir()


def left(folder: Path) -> list[Path]:
    """What uploads have left behind."""
    return list((folder / ".uploads").iterdir())


def lines(answer: httpx.Response) -> list[dict[str, Any]]:
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("application/x-ndjson")
    return [json.loads(line) for line in answer.text.splitlines()]


async def test_blobs_and_folders_are_described(client: httpx.AsyncClient) -> None:
    blob = (await client.get(f"{ENTRIES}/a/größe 100%25")).json()
    assert (blob["path"], blob["folder"], blob["size"]) == ("a/größe 100%", False, 10)
    assert blob["etag"] == (await client.head("/storage/-/-/a/größe 100%25")).headers["etag"]
    for path in ("a", "empty", ""):
        folder = (await client.get(f"{ENTRIES}/{path}")).json()
        assert (folder["path"], folder["folder"], folder["size"], folder["etag"]) == (path, True, 0, None)
    missing = await client.get(f"{ENTRIES}/a/b")
    assert (missing.status_code, missing.json()["msg"]) == (
        404,
        "There is no blob wasbs://default@headland/a/b.",
    )


async def test_children_are_listed_in_order_and_nothing_else(
    client: httpx.AsyncClient, container: Path
) -> None:
    (container / "link out").symlink_to("/etc/passwd")
    (container / "link to a folder").symlink_to("a")
    (container / "what?").touch()
    for name in ("b", "a-b"):
        (container / name).touch()
    assert [entry["path"] for entry in lines(await client.get(f"{CHILDREN}/"))] == ["a", "a-b", "b", "empty"]
    assert [entry["path"] for entry in lines(await client.get(f"{CHILDREN}/a"))] == ["a/größe 100%"]
    assert lines(await client.get(f"{CHILDREN}/empty")) == []
    assert (await client.get(f"{CHILDREN}/nowhere")).status_code == 404
    assert (await client.get(f"{CHILDREN}/link out")).status_code == 409


async def test_folders_are_made_and_stay_when_they_are_empty(
    client: httpx.AsyncClient, container: Path
) -> None:
    for _ in range(2):
        assert (await client.put(f"{ENTRIES}/x/y/z")).status_code == 204
    assert (container / "x" / "y" / "z").is_dir()
    assert (await client.put(f"{ENTRIES}/a/größe 100%25/below")).status_code == 409
    assert (await client.delete(f"{ENTRIES}/a/größe 100%25")).status_code == 204
    assert lines(await client.get(f"{CHILDREN}/a")) == []


async def test_a_path_is_given_to_another(client: httpx.AsyncClient, container: Path) -> None:
    moved = await client.post(f"{ENTRIES}/b", json={"source": "a/größe 100%"})
    assert moved.status_code == 204, moved.text
    assert (container / "b").read_bytes() == b"0123456789"
    assert (await client.post(f"{ENTRIES}/c/d", json={"source": "b"})).status_code == 404, "no folder for it"
    (container / "c").touch()
    taken = await client.post(f"{ENTRIES}/c", json={"source": "b"})
    assert (taken.status_code, taken.json()["msg"]) == (412, "wasbs://default@headland/c is there already.")
    assert (container / "b").exists()
    assert (await client.post(f"{ENTRIES}/c", json={"source": "b", "replace": True})).status_code == 204
    assert (container / "c").read_bytes() == b"0123456789"
    assert (await client.post(f"{ENTRIES}/e", json={"source": "empty"})).status_code == 204
    assert (container / "e").is_dir()
    assert not (container / "empty").exists()


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        (b"{}", 400, "missing required field `source`"),
        (b"nonsense", 400, "The body is malformed"),
        (b'{"source": "a", "overwrite": true}', 400, "unknown field `overwrite`"),
        (b'{"source": "../a"}', 400, "segment '..'"),
        (b'{"source": ""}', 400, "a container can't be renamed"),
        (b'{"source": "nowhere"}', 404, "There is no blob"),
        (b'{"source": "' + b"a" * 70_000 + b'"}', 400, "longer than 65536 bytes"),
    ],
)
async def test_bad_renames_are_refused(
    client: httpx.AsyncClient, body: bytes, status: int, said: str
) -> None:
    answer = await client.post(f"{ENTRIES}/b", content=body)
    assert answer.status_code == status
    assert said in answer.json()["msg"]


async def test_folders_are_deleted_with_what_they_have_if_that_is_said(
    client: httpx.AsyncClient, container: Path
) -> None:
    refused = await client.delete(f"{ENTRIES}/a")
    assert (refused.status_code, refused.json()["msg"]) == (
        409,
        "wasbs://default@headland/a is a folder that is not empty.",
    )
    assert (await client.delete(f"{ENTRIES}/a?recursive=yes")).status_code == 400
    assert (await client.delete(f"{ENTRIES}/a?recursive=true")).status_code == 204
    assert (await client.delete(f"{ENTRIES}/empty")).status_code == 204
    assert (await client.delete(f"{ENTRIES}/?recursive=true")).status_code == 400
    assert lines(await client.get(f"{CHILDREN}/")) == []


@pytest.mark.parametrize(
    ("wanted", "status", "body"),
    [
        ("bytes=2-4", 206, b"234"),
        ("bytes=7-", 206, b"789"),
        ("bytes=-3", 206, b"789"),
        ("bytes=-30", 206, b"0123456789"),
        ("bytes=8-100", 206, b"89"),
        ("bytes=10-", 416, None),
        ("bytes=10-20", 416, None),
        ("bytes=-0", 416, None),
        ("bytes=9999999999999999999-", 416, None),
        ("bytes=-", 200, b"0123456789"),
        ("bytes=0-1,3-4", 200, b"0123456789"),
        ("lines=1-2", 200, b"0123456789"),
    ],
)
@pytest.mark.parametrize("known", [False, True], ids=["of any", "of the one that is known"])
async def test_some_of_a_blobs_bytes(
    client: httpx.AsyncClient, wanted: str, status: int, body: bytes | None, known: bool
) -> None:
    path = "/storage/-/-/a/größe 100%25"
    tag = {"if-match": (await client.head(path)).headers["etag"]} if known else {}
    answer = await client.get(path, headers={"range": wanted, **tag})
    assert answer.status_code == status
    if body is not None:
        assert answer.content == body
        assert answer.headers["content-length"] == str(len(body))
    if status == 206:
        first = b"0123456789".index(body or b"")
        assert answer.headers["content-range"] == f"bytes {first}-{first + len(body or b'') - 1}/10"


async def test_bytes_of_a_blob_that_has_changed_are_not_given(
    client: httpx.AsyncClient, container: Path
) -> None:
    path = "/storage/-/-/a/größe 100%25"
    headers = {"range": "bytes=2-4", "if-match": (await client.head(path)).headers["etag"]}
    assert (await client.get(path, headers=headers)).content == b"234"
    await client.put(path, content=b"9876543210")
    assert (await client.get(path, headers=headers)).status_code == 412


async def test_a_blob_is_stored_only_where_none_is(client: httpx.AsyncClient, container: Path) -> None:
    once = {"if-none-match": "*"}
    assert (await client.put("/storage/-/-/x/new", content=b"first", headers=once)).status_code == 201
    assert (await client.put("/storage/-/-/x/new", content=b"second", headers=once)).status_code == 412
    assert (container / "x" / "new").read_bytes() == b"first"
    assert left(container.parent) == []


async def test_an_upload_in_parts(client: httpx.AsyncClient, container: Path) -> None:
    for offset, part in ((6, b"world"), (0, b"wrong "), (0, b"hello ")):
        assert (await client.put(f"{PARTS}/x/big?offset={offset}", content=part)).status_code == 204
    assert not (container / "x").exists(), "nothing is to be seen of it"
    early = await client.post(f"{PARTS}/x/big?size=12")
    assert (early.status_code, early.json()["msg"]) == (
        409,
        "wasbs://default@headland/x/big: 11 of the 12 bytes of the upload have arrived.",
    )
    stored = await client.post(f"{PARTS}/x/big?size=11")
    assert (stored.status_code, stored.json()["size"]) == (201, 11)
    assert (container / "x" / "big").read_bytes() == b"hello world"
    assert (await client.post(f"{PARTS}/x/big?size=11")).status_code == 409, "it is stored once"
    await client.put(f"{PARTS}/x/big?offset=0", content=b"other")
    assert (await client.post(f"{PARTS}/x/big?size=5&replace=false")).status_code == 412
    assert (await client.delete(f"{PARTS}/x/big")).status_code == 204
    assert left(container.parents[1]) == []


async def test_an_upload_is_its_callers_own(client: httpx.AsyncClient, token: Any, container: Path) -> None:
    await client.put(f"{PARTS}/big?offset=0", content=b"hello")
    other = {"authorization": f"Bearer {token(oid='other', sub='other')}"}
    assert (await client.post(f"{PARTS}/big?size=5", headers=other)).status_code == 409
    assert (await client.delete(f"{PARTS}/big", headers=other)).status_code == 204
    assert (await client.post(f"{PARTS}/big?size=5")).status_code == 201


@pytest.mark.parametrize(
    ("path", "status"),
    [
        (f"{PARTS}/x", 400),
        (f"{PARTS}/x?offset=-1", 400),
        (f"{PARTS}/x?offset=1&offset=2", 400),
        (f"{PARTS}/x?offset=1999999", 413),
        (f"{PARTS}/?offset=0", 400),
        (f"{PARTS}/x%2F..%2Fy?offset=0", 400),
        ("/storage/file-system/parts/short/-/-/x?offset=0", 400),
    ],
)
async def test_bad_parts_are_refused(client: httpx.AsyncClient, path: str, status: int) -> None:
    assert (await client.put(path, content=b"part")).status_code == status
