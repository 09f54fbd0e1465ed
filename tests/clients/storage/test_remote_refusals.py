"""Stores that are down, that deny, or that the settings describe wrongly: said as such, quickly, without secrets."""

import time
from collections.abc import AsyncIterator

import pytest

from headland.storage import (
    BlobNotFoundError,
    BlobUrl,
    Storage,
    StorageDeniedError,
    StorageError,
    StorageUnavailableError,
)

pytestmark = pytest.mark.anyio


async def stream(data: bytes) -> AsyncIterator[bytes]:
    yield data


async def refusals(storage: Storage, account: str, container: str = "data") -> list[StorageError]:
    url = BlobUrl(account, container, "a")
    found = []
    for attempt in (
        storage.stat(url),
        storage.open(url),
        storage.upload(url, stream(b"x"), 10),
        storage.upload(url, stream(bytes(8 << 20)), 10 << 20),
        storage.list_blobs(account, container),
        storage.delete(url),
    ):
        with pytest.raises(StorageError) as caught:
            await attempt
        found.append(caught.value)
    for error in found:
        message = str(error)
        assert "TOPSECRET" not in message
        assert "\n" not in message
        assert len(message) < 400
    return found


@pytest.mark.parametrize("account", ["azuredown", "bucketdown", "azuresas"])
async def test_a_store_that_is_down_is_said_to_be_within_seconds(storage: Storage, account: str) -> None:
    started = time.monotonic()
    for error in await refusals(storage, account):
        assert type(error) is StorageUnavailableError
        assert error.status == 503
        assert f"'{account}' is not available" in str(error)
        assert "(Connect)" in str(error)
    assert time.monotonic() - started < 60


@pytest.mark.parametrize("account", ["azuredenied", "bucketdenied"])
async def test_a_store_that_denies_is_no_missing_blob(storage: Storage, account: str) -> None:
    for error in await refusals(storage, account):
        assert type(error) is StorageDeniedError
        assert error.status == 502
        assert f"'{account}' is not available: its store answered 403" in str(error)


@pytest.mark.parametrize(
    ("account", "hint"),
    [("azureplain", "needs the option allow_http"), ("azuretypo", "'acount_key' is not valid")],
)
async def test_settings_that_cannot_work_are_said_to_be(storage: Storage, account: str, hint: str) -> None:
    for error in await refusals(storage, account):
        assert type(error) is StorageUnavailableError
        assert hint in str(error)


async def test_a_missing_container_or_bucket_is_named(storage: Storage) -> None:
    listing = "no container 'missing' in account 'azure'"
    errors = await refusals(storage, "azure", "missing")
    assert all(type(error) is BlobNotFoundError for error in errors)
    assert (
        sum(listing in str(error) for error in errors) >= 3
    )  # a HEAD is answered without saying what is missing
    with pytest.raises(StorageUnavailableError, match="it has no bucket 'nowhere'"):
        await storage.list_blobs("bucketmissing", "data")
