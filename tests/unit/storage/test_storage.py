"""All accounts behind one door: which there are, what they are called, and when a client is imported."""

import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from headland.settings import AccountSettings, SettingsError, StorageSettings
from headland.storage import BlobUrl, ParameterError, Storage, StorageUrlError, UnknownAccountError

REMOTE = {
    "azurefarm": AccountSettings("az://azurefarm", {"account_key": "c2VjcmV0"}),
    "bucketfarm": AccountSettings("s3://bucket/some/where/", {"secret_access_key": "topsecret"}),
    "googlefarm": AccountSettings("gs://bucket"),
}


async def one(data: bytes) -> AsyncIterator[bytes]:
    yield data


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def test_the_default_account_is_a_folder_in_the_home(tmp_path: Path) -> None:
    storage = Storage(StorageSettings(), tmp_path / "storage")
    assert storage.prepare() == 0
    assert (tmp_path / "storage/headland/default").is_dir()
    assert storage.parse("wasbs:///a") == BlobUrl("headland", "default", "a")


def test_the_settings_may_place_the_default_account(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    settings = StorageSettings("mine", "main", {"mine": AccountSettings(f"file://{tmp_path}/disk")})
    storage = Storage(settings, tmp_path / "storage")
    storage.prepare()
    assert not (tmp_path / "storage").exists()
    assert [place.location for place in storage.places] == [f"{tmp_path}/disk"]


@pytest.mark.anyio
async def test_accounts_are_kept_apart(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    settings = StorageSettings(accounts={"other": AccountSettings(f"file://{tmp_path}/disk")})
    storage = Storage(settings, tmp_path / "storage")
    await storage.upload(BlobUrl("other", "data", "a"), one(b"other's"), 10)
    await storage.upload(BlobUrl("headland", "data", "a"), one(b"mine"), 10)
    assert (tmp_path / "disk/data/a").read_bytes() == b"other's"
    assert (tmp_path / "storage/headland/data/a").read_bytes() == b"mine"
    await storage.delete(BlobUrl("other", "data", "a"))
    assert (await storage.stat(BlobUrl("headland", "data", "a"))).size == 4
    assert (await storage.list_blobs("other", "data")).blobs == ()


@pytest.mark.anyio
async def test_an_unknown_account_is_answered_with_those_known(tmp_path: Path) -> None:
    storage = Storage(StorageSettings(accounts=REMOTE), tmp_path)
    with pytest.raises(
        UnknownAccountError,
        match=r"no storage account 'nobody' here. Known are: headland, azurefarm, bucketfarm, googlefarm",
    ):
        await storage.stat(BlobUrl("nobody", "data", "a"))
    with pytest.raises(StorageUrlError, match="no account name"):
        await storage.list_blobs("../x", "data")


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("named", "wrong"),
    [
        ("'prefix'", {"prefix": "../x"}),
        ("'prefix'", {"prefix": "a//b"}),
        ("'prefix'", {"prefix": "/a"}),
        ("'prefix'", {"prefix": "a\x00"}),
        ("'prefix'", {"prefix": "a" * 1025}),
        ("'marker'", {"marker": "../x"}),
        ("'marker'", {"marker": "a/"}),
        ("'limit'", {"limit": 0}),
        ("'limit'", {"limit": 1001}),
    ],
)
async def test_a_listings_wrong_parameter_is_named(tmp_path: Path, named: str, wrong: dict) -> None:
    storage = Storage(StorageSettings(), tmp_path)
    with pytest.raises(ParameterError, match=named):
        await storage.list_blobs("headland", "default", **wrong)


@pytest.mark.anyio
@pytest.mark.parametrize("container", ["..", ".uploads", "", "x", "Data", "a/b"])
async def test_a_listings_container_is_held_to_the_rules(tmp_path: Path, container: str) -> None:
    with pytest.raises(StorageUrlError, match="no container name"):
        await Storage(StorageSettings(), tmp_path).list_blobs("headland", container)


@pytest.mark.parametrize(
    ("account", "problem"),
    [
        (AccountSettings("az://farm/container"), "has a path"),
        (AccountSettings("az:///"), "names no account or bucket"),
        (AccountSettings("s3:///prefix"), "names no account or bucket"),
        (AccountSettings("file:///srv", {"region": "x"}), "a folder takes none"),
    ],
)
def test_an_account_that_contradicts_itself_is_refused_by_name(
    tmp_path: Path, account: AccountSettings, problem: str
) -> None:
    with pytest.raises(SettingsError, match=rf"storage\.accounts\.wrong\..*{problem}"):
        Storage(StorageSettings(accounts={"wrong": account}), tmp_path)


def test_no_record_of_an_account_shows_what_opens_it(tmp_path: Path) -> None:
    storage = Storage(StorageSettings(accounts=REMOTE), tmp_path)
    assert "secret" not in repr(storage.places)
    assert [(p.name, p.kind, p.location, p.prefix) for p in storage.places[1:]] == [
        ("azurefarm", "azure", "azurefarm", ""),
        ("bucketfarm", "s3", "bucket", "some/where"),
        ("googlefarm", "gcs", "bucket", ""),
    ]


def test_threads_without_an_event_loop_are_served(tmp_path: Path) -> None:
    storage = Storage(StorageSettings(), tmp_path / "storage")
    storage.prepare()
    (tmp_path / "storage/headland/default/a").write_bytes(b"12345")
    url = storage.parse("wasbs:///a")
    assert storage.stat_and_wait(url).size == 5
    assert storage.download_and_wait(url, tmp_path / "copy") == storage.stat_and_wait(url)
    assert (tmp_path / "copy").read_bytes() == b"12345"


LAZY = """
import asyncio, sys, tempfile
from pathlib import Path
from headland.settings import AccountSettings, StorageSettings
from headland.storage import Storage
import headland.storage.routes
remote = AccountSettings("s3://bucket", {"access_key_id": "x", "secret_access_key": "y"})
settings = StorageSettings(accounts={"remote": remote})
with tempfile.TemporaryDirectory() as home:
    storage = Storage(settings, Path(home))
    storage.prepare()
    asyncio.run(storage.list_blobs("headland", "default"))
    assert "obstore" not in sys.modules
    storage.account("remote")
    assert "obstore" in sys.modules
print("lazy")
"""


def test_obstore_is_imported_with_the_first_use_of_a_remote_account() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", LAZY], capture_output=True, text=True, check=True
    )
    assert done.stdout == "lazy\n"
