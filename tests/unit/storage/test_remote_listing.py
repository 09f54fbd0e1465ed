"""Listings of remote accounts: how far a store is read, by whether it keeps its listings in order."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest

from headland.storage.accounts import AccountPlace
from headland.storage.remote import account as account_module
from headland.storage.remote.account import RemoteAccount

pytestmark = pytest.mark.anyio

PATHS = [f"{n:04}" for n in range(5000)]


class Store:
    """Lists `paths` as a store would, a thousand at a time, and counts how often it was asked for more."""

    def __init__(self, paths: list[str]) -> None:
        self.paths = paths
        self.asked = 0

    def __call__(
        self, _store: object, _prefix: str | None, *, offset: str | None, chunk_size: int
    ) -> AsyncIterator:
        return self._chunks([path for path in self.paths if path > (offset or "")], chunk_size)

    async def _chunks(self, paths: list[str], size: int) -> AsyncIterator[list[dict]]:
        for start in range(0, len(paths), size):
            self.asked += 1
            yield [
                {"path": path, "size": 1, "last_modified": datetime(2026, 1, 1, tzinfo=UTC), "e_tag": None}
                for path in paths[start : start + size]
            ]


async def read(store: Store, monkeypatch: pytest.MonkeyPatch, limit: int) -> list[str]:
    monkeypatch.setattr(account_module.obstore, "list", store)
    account = RemoteAccount(
        AccountPlace("farm", "s3", "bucket", options={"access_key_id": "x", "secret_access_key": "y"})
    )
    found, marker = [], None
    while True:
        page = await account.list_blobs("data", "", marker, limit)
        found += [info.path for info in page.blobs]
        marker = page.next_marker
        if marker is None:
            return found


async def test_an_ordered_store_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(PATHS)
    assert await read(store, monkeypatch, 999) == PATHS
    assert store.asked == 6  # five full pages of 999 in a chunk each, and five blobs


async def test_a_store_without_order_is_read_to_its_end_for_each_page(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    store = Store([*PATHS[1::2], *PATHS[::2]][::-1])
    assert await read(store, monkeypatch, 999) == PATHS
    assert store.asked == 5 + 5 + 4 + 3 + 2 + 1


async def test_what_no_url_can_name_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(["a//b", "a?b", "b\\c", "good", "x\ny"])
    assert await read(store, monkeypatch, 2) == ["good"]
