"""Symbolic links: those inside the account are followed, none leads out of it, however it is named or timed."""

import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from headland.storage.errors import (
    BlobConflictError,
    BlobNotFoundError,
    BlobOutsideAccountError,
    StorageError,
)
from headland.storage.local import account as account_module
from headland.storage.local import listing as listing_module
from headland.storage.local import uploads as uploads_module
from headland.storage.local.account import LocalAccount
from headland.storage.urls import BlobUrl

pytestmark = pytest.mark.anyio


def at(path: str, container: str = "data") -> BlobUrl:
    return BlobUrl("farm", container, path)


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder beside the account, whose name begins with the account's own."""
    outside = tmp_path / "account-of-somebody-else"
    (outside / "deep").mkdir(parents=True)
    (outside / "secret").write_bytes(b"secret")
    (outside / "deep/secret").write_bytes(b"secret")
    return outside


async def one(data: bytes) -> AsyncIterator[bytes]:
    yield data


async def paths(account: LocalAccount, prefix: str = "", container: str = "data") -> list[str]:
    return [info.path for info in (await account.list_blobs(container, prefix, None, 100)).blobs]


@pytest.mark.parametrize(
    ("link", "leads_to", "path"),
    [
        ("link", "{outside}/secret", "link"),
        ("link", "../../account-of-somebody-else/secret", "link"),
        ("link", "{outside}", "link/secret"),
        ("link", "../../account-of-somebody-else", "link/deep/secret"),
        ("a/link", "{outside}/deep", "a/link/secret"),
        ("a/link", "../../../account-of-somebody-else/deep", "a/link/secret"),
        ("link", "{outside}/missing", "link"),
        ("link", "{outside}", "link/missing/deeper"),
        ("link", "../..", "link/account-of-somebody-else/secret"),
        ("link", "/", "link/etc/passwd"),
    ],
)
async def test_a_link_that_leads_out_is_followed_by_nothing(
    account: LocalAccount, outside: Path, link: str, leads_to: str, path: str
) -> None:
    folder = outside.parent / "account"
    place = folder / "data" / link
    place.parent.mkdir(exist_ok=True)
    place.symlink_to(leads_to.format(outside=outside))
    before = _content(outside)
    for attempt in (
        account.stat(at(path)),
        account.open(at(path)),
        account.delete(at(path)),
        account.upload(at(path), one(b"evil"), 10),
        account.upload(at(path + "/new"), one(b"evil"), 10),
    ):
        with pytest.raises(BlobOutsideAccountError, match=f"wasbs://data@farm/{path}"):
            await attempt
    assert _content(outside) == before
    assert place.is_symlink()
    assert await paths(account) == []
    assert list((folder / ".uploads").glob("*")) == []


async def test_no_prefix_lists_what_is_outside(account: LocalAccount, folder: Path, outside: Path) -> None:
    (folder / "data/link").symlink_to(outside)
    for prefix in ("link/", "link/s", "link/deep/", "link/deep/secret"):
        with pytest.raises(BlobOutsideAccountError):
            await paths(account, prefix)
    assert await paths(account, "link") == []


async def test_a_container_that_is_a_link_outwards_is_no_container(
    account: LocalAccount, folder: Path, outside: Path
) -> None:
    (folder / "linked").symlink_to(outside)
    with pytest.raises(BlobOutsideAccountError):
        await account.stat(at("secret", "linked"))
    with pytest.raises(BlobOutsideAccountError):
        await account.list_blobs("linked", "", None, 10)
    with pytest.raises(BlobOutsideAccountError):
        await account.upload(at("new", "linked"), one(b"evil"), 10)
    assert sorted(_content(outside)) == ["deep/secret", "secret"]


async def test_a_link_to_the_hidden_uploads_is_not_followed(account: LocalAccount, folder: Path) -> None:
    (folder / ".uploads").mkdir(exist_ok=True)
    (folder / ".uploads/half.part").write_bytes(b"half")
    (folder / "data/up").symlink_to("../.uploads")
    (folder / "data/half").symlink_to("../.uploads/half.part")
    for path in ("up/half.part", "half"):
        with pytest.raises(BlobOutsideAccountError):
            await account.stat(at(path))
    assert await paths(account) == []


async def test_a_link_that_stays_inside_is_as_good_as_its_target(
    account: LocalAccount, put, folder: Path
) -> None:
    await put("v1/app.jar", b"one")
    await put("shared.jar", b"two", container="other")
    (folder / "data/current").symlink_to("v1")
    (folder / "data/app.jar").symlink_to(folder / "data/v1/app.jar")
    (folder / "data/shared.jar").symlink_to("../other/shared.jar")
    assert (await account.stat(at("current/app.jar"))).path == "current/app.jar"
    for path, content in (("current/app.jar", b"one"), ("app.jar", b"one"), ("shared.jar", b"two")):
        reader = await account.open(at(path))
        assert [chunk async for chunk in reader] == [content]
        await reader.close()
    assert await paths(account) == ["app.jar", "shared.jar", "v1/app.jar"]
    assert await paths(account, "current/") == ["current/app.jar"]
    assert (await account.upload(at("current/new.jar"), one(b"new"), 10)).size == 3
    assert (folder / "data/v1/new.jar").read_bytes() == b"new"


async def test_writing_and_deleting_concern_the_link_and_not_its_target(
    account: LocalAccount, put, folder: Path
) -> None:
    await put("target", b"kept")
    (folder / "data/replaced").symlink_to("target")
    (folder / "data/deleted").symlink_to("target")
    await put("replaced", b"new")
    await account.delete(at("deleted"))
    assert (folder / "data/target").read_bytes() == b"kept"
    assert not (folder / "data/replaced").is_symlink()
    assert await paths(account) == ["replaced", "target"]


async def test_links_in_circles_and_into_nowhere_are_missing_blobs(
    account: LocalAccount, folder: Path
) -> None:
    (folder / "data/me").symlink_to("me")
    (folder / "data/ping").symlink_to("pong")
    (folder / "data/pong").symlink_to("ping")
    (folder / "data/nowhere").symlink_to("missing")
    (folder / "data/up").symlink_to(".")
    for path in ("me", "ping", "nowhere", "me/x", "ping/x", "up/up/up/x"):
        with pytest.raises(BlobNotFoundError):
            await account.stat(at(path))
    assert await paths(account) == []
    with pytest.raises(BlobConflictError):
        await account.upload(at("me/x"), one(b"x"), 10)


async def test_an_account_may_itself_be_reached_by_a_link(tmp_path: Path) -> None:
    (tmp_path / "disk/data").mkdir(parents=True)
    (tmp_path / "account").symlink_to("disk")
    account = LocalAccount("farm", tmp_path / "account", make=False)
    await account.upload(at("a/b"), one(b"x"), 10)
    assert (await account.stat(at("a/b"))).size == 1
    assert await paths(account) == ["a/b"]


@pytest.fixture
def stale(monkeypatch: pytest.MonkeyPatch) -> None:
    """Paths are resolved as they were before somebody swapped a part of them for a link."""

    def locate(_root: str, container: str, path: str, _shown: object) -> tuple[str, ...]:
        return (container, *filter(None, path.split("/")))

    for module in (account_module, listing_module):
        monkeypatch.setattr(module, "locate", locate)


@pytest.mark.usefixtures("stale")
async def test_a_folder_swapped_for_a_link_after_the_check_is_not_entered(
    account: LocalAccount, folder: Path, outside: Path
) -> None:
    (folder / "data/deep").symlink_to(outside / "deep")
    for attempt in (
        account.stat(at("deep/secret")),
        account.open(at("deep/secret")),
        account.delete(at("deep/secret")),
        account.upload(at("deep/secret"), one(b"evil"), 10),
        account.upload(at("deep/new/er"), one(b"evil"), 10),
    ):
        with pytest.raises(StorageError):
            await attempt
    assert await paths(account, "deep/") == []
    assert _content(outside) == {"secret": b"secret", "deep/secret": b"secret"}


@pytest.mark.usefixtures("stale")
async def test_a_blob_swapped_for_a_link_after_the_check_is_not_read(
    account: LocalAccount, folder: Path, outside: Path
) -> None:
    (folder / "data/blob").symlink_to(outside / "secret")
    for method in (account.stat, account.open, account.delete):
        with pytest.raises(BlobNotFoundError):
            await method(at("blob"))
    assert await paths(account) == []
    await account.upload(at("blob"), one(b"mine"), 10)  # takes the link's place
    assert await paths(account) == ["blob"]
    assert _content(outside) == {"secret": b"secret", "deep/secret": b"secret"}


async def test_a_hidden_folder_that_is_a_link_takes_no_upload(
    account: LocalAccount, folder: Path, outside: Path
) -> None:
    (folder / ".uploads").symlink_to(outside)
    with pytest.raises(StorageError):
        await account.upload(at("a"), one(b"x"), 10)
    (outside / "old.part").write_bytes(b"not ours")
    assert uploads_module.remove_abandoned(str(folder), now=1e12) == 0
    assert sorted(_content(outside)) == ["deep/secret", "old.part", "secret"]


def _content(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_a_link_that_comes_in_the_place_of_uploads_later_leads_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A job may put it there, and folders and links among them, whenever it likes."""
    account, outside = tmp_path / "account", tmp_path / "outside"
    uploads = account / ".uploads"
    for folder in (uploads / "folder.part", outside):
        folder.mkdir(parents=True)
    for file in (uploads / "old.part", outside / "old.part"):
        file.touch()
    (uploads / "link.part").symlink_to(outside / "old.part")
    look = os.listdir

    def look_late(folder: int) -> list[str]:
        found = look(folder)
        uploads.rename(account / "moved")
        uploads.symlink_to(outside)
        return found

    monkeypatch.setattr("os.listdir", look_late)
    assert uploads_module.remove_abandoned(str(account), now=1e12) == 2
    monkeypatch.undo()
    assert [entry.name for entry in (account / "moved").iterdir()] == ["folder.part"]
    assert [entry.name for entry in outside.iterdir()] == ["old.part"]
