"""Listings over HTTP: accounts, and blobs a page at a time."""

import httpx
import pytest

pytestmark = pytest.mark.anyio


async def test_accounts_are_listed_without_what_opens_them(client: httpx.AsyncClient) -> None:
    answer = await client.get("/storage/")
    assert answer.json() == {
        "accounts": [
            {"name": "headland", "kind": "folder", "default": True},
            {"name": "bucketfarm", "kind": "s3", "default": False},
        ],
        "defaultContainer": "default",
    }
    assert "SECRET" not in answer.text


async def test_a_fresh_default_container_is_empty(client: httpx.AsyncClient) -> None:
    answer = await client.get("/storage/-/-")
    assert (answer.status_code, answer.json()) == (200, {"blobs": [], "nextMarker": None})


async def test_pages_lead_through_everything_once(client: httpx.AsyncClient) -> None:
    paths = sorted(f"{folder}{n}" for folder in ("a", "a/", "a-", "b/c/") for n in range(5))
    for path in paths:
        await client.put(f"/storage/-/-/{path}", content=path.encode())
    found, marker = [], None
    while True:
        parameters = {"limit": 3, **({"marker": marker} if marker else {})}
        page = (await client.get("/storage/headland/default", params=parameters)).json()
        assert set(page) == {"blobs", "nextMarker"}
        assert len(page["blobs"]) <= 3
        found += page["blobs"]
        marker = page["nextMarker"]
        if marker is None:
            break
    assert [blob["path"] for blob in found] == paths
    assert [blob["size"] for blob in found] == [len(path) for path in paths]
    assert [blob["url"] for blob in found] == [f"wasbs://default@headland/{path}" for path in paths]
    assert all(set(blob) == {"path", "url", "size", "modified"} for blob in found)


async def test_a_prefix_narrows_a_listing(client: httpx.AsyncClient) -> None:
    for path in ("lib/a", "lib/b", "library", "other"):
        await client.put(f"/storage/-/-/{path}", content=b"x")
    for prefix, wanted in (("lib", ["lib/a", "lib/b", "library"]), ("lib/", ["lib/a", "lib/b"]), ("x", [])):
        page = (await client.get("/storage/-/-", params={"prefix": prefix})).json()
        assert [blob["path"] for blob in page["blobs"]] == wanted


async def test_a_page_is_a_hundred_blobs_unless_asked_otherwise(client: httpx.AsyncClient) -> None:
    for n in range(101):
        await client.put(f"/storage/-/-/{n:03}", content=b"")
    page = (await client.get("/storage/-/-")).json()
    assert (len(page["blobs"]), page["nextMarker"]) == (100, "099")


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("limit=0", "limit"),
        ("limit=1001", "limit"),
        ("limit=-1", "limit"),
        ("limit=ten", "limit"),
        ("limit=1.5", "limit"),
        ("limit=", "limit"),
        ("limit=%D9%A3", "limit"),
        (f"limit={'9' * 5000}", "limit"),
        ("prefix=../x", "prefix"),
        ("prefix=a//b", "prefix"),
        ("prefix=a%00", "prefix"),
        ("prefix=a%5Cb", "prefix"),
        ("marker=../x", "marker"),
        ("marker=a%0Ab", "marker"),
        ("prefix=a&prefix=b", "prefix"),
        ("Prefix=a", "Prefix"),
        ("sig=TOPSECRET", "sig"),
    ],
)
async def test_a_wrong_parameter_is_named(client: httpx.AsyncClient, query: str, named: str) -> None:
    answer = await client.get(f"/storage/-/-?{query}")
    assert answer.status_code == 400
    assert f"Parameter '{named}'" in answer.json()["msg"]
    assert "TOPSECRET" not in answer.text


@pytest.mark.parametrize("method", ["PUT", "GET", "HEAD", "DELETE"])
async def test_what_concerns_one_blob_takes_no_parameters(client: httpx.AsyncClient, method: str) -> None:
    await client.put("/storage/-/-/a", content=b"x")
    assert (await client.request(method, "/storage/-/-/a?comp=block")).status_code == 400
    assert (await client.get("/storage/-/-/a")).content == b"x"
