"""Listings: the order of whole paths, pages that fit together, and only what a URL can name."""

import os
from pathlib import Path

import pytest

from headland.storage.local.account import LocalAccount
from headland.storage.names import MOST_SEGMENTS
from headland.storage.urls import BlobUrl

pytestmark = pytest.mark.anyio

#: Names of which an order by folder differs from the order of whole paths.
PATHS = sorted(
    [
        "a",
        "a-b",
        "a.txt",
        "a0",
        "b/-",
        "b/c/d",
        "b/c/e",
        "b/c-",
        "b/c.x",
        "b/c0",
        "b.x/y",
        "b-/z",
        "é/x",
        "z",
        "A/b",
    ]
)


async def pages(account: LocalAccount, limit: int, prefix: str = "") -> list[list[str]]:
    found, marker = [], None
    while True:
        page = await account.list_blobs("data", prefix, marker, limit)
        found.append([info.path for info in page.blobs])
        marker = page.next_marker
        if marker is None:
            return found
        assert marker == page.blobs[-1].path


@pytest.mark.parametrize("limit", [1, 2, 3, 5, len(PATHS) - 1, len(PATHS), len(PATHS) + 1])
async def test_pages_together_are_everything_once_in_order(account: LocalAccount, put, limit: int) -> None:
    for path in reversed(PATHS):
        await put(path, path.encode())
    found = await pages(account, limit)
    assert [path for page in found for path in page] == PATHS
    assert all(len(page) == limit for page in found[:-1])
    assert 0 < len(found[-1]) <= limit


@pytest.mark.parametrize(
    "prefix",
    ["", "a", "a-", "b", "b/", "b/c", "b/c/", "b/c/d", "b/c/d/", "b.", "b.x/y", "é", "zz", "b/c/dd", "A/b/c"],
)
async def test_a_prefix_is_the_beginning_of_a_path_not_a_folder(
    account: LocalAccount, put, prefix: str
) -> None:
    for path in PATHS:
        await put(path, b"x")
    wanted = [path for path in PATHS if path.startswith(prefix)]
    assert [path for page in await pages(account, 2, prefix) for path in page] == wanted


async def test_pages_fit_together_while_blobs_come_and_go(account: LocalAccount, put) -> None:
    for path in PATHS:
        await put(path, b"x")
    first = await account.list_blobs("data", "", None, 5)
    await account.delete(BlobUrl("farm", "data", first.blobs[-1].path))  # the marker itself
    await put("0-before", b"x")
    await put("zz-after", b"x")
    rest = await account.list_blobs("data", "", first.next_marker, 100)
    assert [info.path for info in rest.blobs] == sorted([*PATHS[5:], "zz-after"])


def make_unnameable(container: bytes) -> None:
    for name in (b"back\\slash", b"new\nline", b"not-utf8-\xff", b"ques?tion", b"ha#sh"):
        Path(os.fsdecode(container + b"/" + name)).write_bytes(b"x")
        folder = Path(os.fsdecode(container + b"/folder-" + name))
        folder.mkdir()
        (folder / "blob").write_bytes(b"x")


async def test_what_no_url_can_name_is_not_shown(account: LocalAccount, put, folder: Path) -> None:
    await put("good", b"x")
    make_unnameable(os.fsencode(folder / "data"))
    assert await pages(account, 10) == [["good"]]


async def test_uploads_under_way_and_empty_folders_are_not_shown(
    account: LocalAccount, put, folder: Path
) -> None:
    await put("good", b"x")
    (folder / ".uploads/other.part").write_bytes(b"x")
    (folder / "data/empty/er").mkdir(parents=True)
    assert await pages(account, 10) == [["good"]]


async def test_what_is_shown_is_what_a_stat_says(account: LocalAccount, put) -> None:
    await put("a/b", b"12345")
    (info,) = (await account.list_blobs("data", "", None, 10)).blobs
    assert info == await account.stat(BlobUrl("farm", "data", "a/b"))


async def test_the_deepest_path_allowed_is_listed_and_deleted_like_any_other(
    account: LocalAccount, put, files
) -> None:
    deepest = "/".join("x" * MOST_SEGMENTS)
    await put(deepest, b"x")
    assert await pages(account, 10) == [[deepest]]
    await account.delete(BlobUrl("farm", "data", deepest))
    assert files() == {}


async def test_a_link_in_circles_does_not_keep_a_listing_busy(
    account: LocalAccount, put, folder: Path
) -> None:
    await put("a/b", b"x")
    for n in range(8):
        (folder / f"data/a/link{n}").symlink_to("..")
    assert await pages(account, 10) == [["a/b"]]
