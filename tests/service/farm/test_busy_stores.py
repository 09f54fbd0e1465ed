"""A store is not closed as idle between a request's arrival and its end."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator

import pytest
from tests.databases import EITHER
from tests.service.farm.conftest import PUBLIC_URL, Caller, Directory

from headland.farm import Shelf, Stores

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("template", EITHER, indirect=True)]


@pytest.fixture
def stores(shelf: Shelf) -> Iterator[Stores]:
    """Room for one alone."""
    stores = Stores(shelf, most_open=1)
    yield stores
    stores.close()


@pytest.mark.parametrize(
    ("method", "path", "media_type"),
    [
        ("PATCH", "/parties/p1", "application/merge-patch+json"),
        ("POST", "/bulk/parties", "application/x-ndjson"),
    ],
)
async def test_another_instance_is_asked_while_a_body_comes(
    admin: Caller,
    caller: Callable[..., Caller],
    directory: Directory,
    method: str,
    path: str,
    media_type: str,
) -> None:
    directory.assign("admin", "admin", "orchard")
    other = caller(base=f"{PUBLIC_URL}/farm/orchard")
    # A writer that has never begun would begin late.
    await admin.make("/parties/p0")
    arrived, goes_on = asyncio.Event(), asyncio.Event()

    async def body() -> AsyncIterator[bytes]:
        yield b'{"id":'
        arrived.set()
        await goes_on.wait()
        yield b'"p1"}'

    headers = {"content-type": media_type}
    asking = asyncio.create_task(admin(method, path, content=body(), headers=headers))
    await arrived.wait()
    assert (await other("GET", "/parties")).status_code == 200
    goes_on.set()
    answer = await asking
    assert answer.status_code in {200, 201}, answer.text
    if method == "POST":
        assert json.loads(answer.text.splitlines()[-1])["created"] == 1
    assert await admin.ids("/parties") == ["p0", "p1"]
