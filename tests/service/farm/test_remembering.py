"""What was read is remembered, and never older than what anybody has written since."""

from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx
import pytest

from headland.farm import Shelf, Stores
from headland.http.listener import Listener

pytestmark = pytest.mark.anyio

PUBLIC_URL = "https://headland.example:8443"
FIELD = "/parties/p1/fields/f1"


@pytest.fixture
async def elsewhere(
    shelf: Shelf, served_from: Callable[[Stores], Listener], token: Callable[..., str]
) -> AsyncIterator[Callable[..., Any]]:
    """The administrator, asking another worker process."""
    stores = Stores(shelf)
    headers = {"authorization": f"Bearer {token()}", "content-type": "application/merge-patch+json"}
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(served_from(stores)),
        base_url=f"{PUBLIC_URL}/farm/meadow",
        headers=headers,
        params={"api-version": "2022-11-01-preview"},
    ) as client:
        yield client.request
    stores.close()


@pytest.fixture
async def field(admin: Any) -> dict[str, Any]:
    await admin.make("/parties/p1", name="Estate")
    made: dict[str, Any] = await admin.make(FIELD, name="North")
    return made


@pytest.fixture
def statements(stores: Stores) -> list[str]:
    """What the store's database is asked, as it is asked."""
    asked: list[str] = []
    store = stores.open("store-meadow")
    real = store._database.read_snapshot
    store._database.read_snapshot = lambda query: (asked.append("read"), real(query))[1]  # type: ignore[method-assign]
    return asked


async def test_a_document_is_read_once_between_two_writes(
    admin: Any, field: dict[str, Any], statements: list[str]
) -> None:
    for _ in range(3):
        assert (await admin("GET", FIELD)).json() == field
    assert len(statements) == 1
    await admin("PATCH", FIELD, json={"name": "South"})
    for _ in range(3):
        assert (await admin("GET", FIELD)).json()["name"] == "South"
    assert len(statements) == 2


async def test_what_another_process_writes_is_seen_with_the_next_read(
    admin: Any, field: dict[str, Any], elsewhere: Callable[..., Any]
) -> None:
    for name in ("South", "West", "East"):
        written = await elsewhere("PATCH", FIELD, json={"name": name})
        assert written.status_code == 200, written.text
        seen = await admin("GET", FIELD)
        assert (seen.json()["name"], seen.headers["etag"]) == (name, written.headers["etag"])
        (listed,) = (await admin("GET", "/parties/p1/fields")).json()["value"]
        assert listed["name"] == name
    assert (await elsewhere("DELETE", FIELD)).status_code == 204
    assert (await admin("GET", FIELD)).status_code == 404
    made = await elsewhere("PATCH", FIELD, json={"name": "Again"})
    assert made.status_code == 201
    assert (await admin("GET", FIELD)).json()["name"] == "Again"


async def test_each_instance_has_its_own(
    caller: Callable[..., Any], admin: Any, field: dict[str, Any], directory: Any
) -> None:
    directory.assign("admin", "admin", "orchard")
    orchard = caller(base=f"{PUBLIC_URL}/farm/orchard")
    await orchard.make("/parties/p1", name="Estate")
    await orchard.make(FIELD, name="Trees")
    for _ in range(2):
        assert (await admin("GET", FIELD)).json()["name"] == "North"
        assert (await orchard("GET", FIELD)).json()["name"] == "Trees"


async def test_conditions_count_for_what_is_remembered(admin: Any, field: dict[str, Any]) -> None:
    etag = field["eTag"]
    for _ in range(2):
        assert (await admin("GET", FIELD)).headers["etag"] == etag
        assert (await admin("GET", FIELD, headers={"if-none-match": etag})).status_code == 304
        assert (await admin("GET", FIELD, headers={"if-match": "other"})).status_code == 412
