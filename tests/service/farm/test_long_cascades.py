"""Cascades that take many transactions: what everybody sees and may do between them, and after a death in any."""

import asyncio
import contextlib
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from tests.databases import ON_SQLITE
from tests.service.farm.conftest import Caller
from tests.service.farm.test_attachments import send, stored
from tests.service.farm.test_boundary_search import every_page, square
from tests.service.farm.test_cascades import details, start
from tests.service.farm.test_refusals import check
from tests.service.farm.test_tiles import ids

from headland.farm import Files, Pending, Shelf, Stores, Worker
from headland.farm.documents import clearing, closure
from headland.farm.documents.hiding import cascades_table, going_table, under_way

pytestmark = pytest.mark.anyio

Between = Callable[[int], Awaitable[None]]
#: Do what is pending; between two transactions, and so often.
Work = Callable[[Between], Awaitable[None]]

#: Fields of the farm that goes.
FIELDS = 3

INSIGHTS = "/models/m-1/resource-types/Field/resources/field-0/insights"


class KilledError(BaseException):
    """Stands for the end of a process."""


@pytest.fixture
def work(shelf: Shelf, pending: Pending, files: Files, monkeypatch: pytest.MonkeyPatch) -> Work:
    """Each transaction has two documents, so that there are many."""
    for module, limit in ((closure, "MOST_NOTED"), (closure, "MOST_FOLLOWED"), (clearing, "MOST_REMOVED")):
        monkeypatch.setattr(module, limit, 2)

    async def work(between: Between) -> None:
        loop, turns = asyncio.get_running_loop(), 0

        def rest(_seconds: float) -> None:
            nonlocal turns
            turns += 1
            try:
                asyncio.run_coroutine_threadsafe(between(turns), loop).result()
            except (AssertionError, LookupError) as error:
                # Not to be taken for an error of the work.
                raise KilledError from error

        await asyncio.to_thread(Worker(pending, Stores(shelf), (files.sweep,), rest=rest).work)

    return work


async def nothing(_turn: int) -> None:
    """Nobody looks."""


async def make(admin: Caller, party: str) -> None:
    """A party with two farms. One of them has fields with boundaries, a file and an insight."""
    below = {"modelId": "m-1", "resourceType": "Field", "resourceId": "field-0"}
    records: list[tuple[str, dict[str, Any]]] = [
        ("parties", {"id": party}),
        *(("farms", {"id": farm}) for farm in ("farm-1", "farm-2")),
        ("fields", {"id": "other", "farmId": "farm-2"}),
        *(("fields", {"id": f"field-{n}", "farmId": "farm-1"}) for n in range(FIELDS)),
        *(("boundaries", boundary(n)) for n in range(FIELDS)),
        ("insights", {"id": "insight-1", **below}),
    ]
    own = {"partyId": party}
    lines = [
        json.dumps({"family": family, "document": document | ({} if family == "parties" else own)})
        for family, document in records
    ]
    headers = {"content-type": "application/x-ndjson"}
    answer = await admin("POST", "/bulk", content="\n".join(lines).encode(), headers=headers)
    assert json.loads(answer.text.splitlines()[-1])["created"] == len(lines), answer.text
    await attach(admin, party, b"old")


def boundary(number: int) -> dict[str, Any]:
    linked = {"parentId": f"field-{number}", "parentType": "Field"}
    return {"id": f"boundary-{number}", "geometry": square(10 + number, 10, 1), **linked}


async def attach(admin: Caller, party: str, data: bytes, field: str = "field-0") -> None:
    fields = {"resourceId": field, "resourceType": "Field"}
    sent = await send(admin, data, f"/parties/{party}/attachments/file-1", **fields)
    assert sent.status_code == 201, sent.text


async def seen(admin: Caller, party: str) -> dict[str, Any]:
    """What one sees of what goes, by every way on which one may come across it."""
    of_party = f"/parties/{party}"
    overlap = {"otherPartyId": party, "otherBoundaryId": "boundary-2"}
    asked: list[tuple[str, dict[str, str]]] = [
        ("/farms/farm-1", {}),
        ("/fields/field-0", {}),
        ("/attachments/file-1/file", {}),
        (f"{INSIGHTS}/insight-1", {}),
        ("/boundaries/boundary-1/overlap", overlap),
    ]
    lines = (await admin("GET", "/bulk")).text.splitlines()
    area = square(0, 0, 60)
    return {
        "one by one": [
            (await admin("GET", of_party + path, params=params)).status_code for path, params in asked
        ],
        "of the party": [each for each in await admin.ids(f"{of_party}/fields") if each != "other"],
        "of all parties": len(await admin.ids("/boundaries")),
        "filtered": await admin.ids(f"{of_party}/fields", farmIds="farm-1"),
        "by place": await every_page(admin, intersectsWithGeometry=area),
        "around": (await admin("GET", "/tiles/boundaries")).json()["bounds"],
        "drawn": len(ids(await admin("GET", "/tiles/boundaries/0/0/0"))),
        "exported": sum(b'"boundary-' in line for line in map(str.encode, lines)),
    }


#: Where only the bystander's are left.
AFTER = {
    "one by one": [404] * 5,
    "of the party": [],
    "of all parties": FIELDS,
    "filtered": [],
    "by place": [f"boundary-{n}" for n in range(FIELDS)],
    "around": [10.0, 10.0, 10.0 + FIELDS, 11.0],
    "drawn": FIELDS,
    "exported": FIELDS,
}


def left_behind(stores: Stores) -> list[int]:
    """Rows of cascades, and of what they take away."""
    tables = (cascades_table, going_table)
    counts = [sa.select(sa.func.count()).select_from(table) for table in tables]
    return stores.open("store-meadow").read(lambda c: [c.execute(each).scalar_one() for each in counts])


async def started(admin: Caller, segment: str, party: str) -> None:
    names = {} if segment == "parties" else {"farmId": "farm-1"}
    assert (await start(admin, segment, party, partyId=party, **names)).status_code == 202


@pytest.mark.parametrize("segment", ["parties", "farms"])
async def test_everybody_sees_all_or_nothing(
    admin: Caller, work: Work, stores: Stores, tmp_path: Path, segment: str
) -> None:
    await make(admin, "bystander")
    await make(admin, "p1")
    before = await seen(admin, "p1")
    await started(admin, segment, "p1")
    states = []

    async def look(_turn: int) -> None:
        states.append((await details(admin, segment, "p1"))["status"])
        assert await seen(admin, "p1") == (before if states[-1] == "Running" else AFTER)

    await work(look)
    # There is much to be done before it is hidden, unless all that a party has goes; and afterwards.
    assert states.count("Running") >= (2 if segment == "parties" else 6)
    assert states.count("Succeeded") >= 6
    assert sorted(states) == states
    assert await seen(admin, "p1") == AFTER
    assert (await seen(admin, "bystander"))["one by one"] == [200] * 5
    assert left_behind(stores) == [0, 0]
    assert stored(tmp_path) == [b"old"]


@ON_SQLITE
@pytest.mark.parametrize("segment", ["parties", "farms"])
async def test_a_death_between_any_two_transactions(
    admin: Caller, work: Work, stores: Stores, segment: str
) -> None:
    await make(admin, "bystander")
    deaths, died = 0, True
    while died:
        deaths, died = deaths + 1, False
        party = f"party-{deaths}"
        await make(admin, party)
        await started(admin, segment, party)

        async def die(turn: int, last: int = deaths) -> None:
            nonlocal died
            if turn == last:
                died = True
                raise KilledError

        with contextlib.suppress(KilledError):
            await work(die)
        await work(nothing)
        assert (await details(admin, segment, party))["status"] == "Succeeded"
        assert await seen(admin, party) == AFTER
        assert left_behind(stores) == [0, 0]
    assert deaths > 10


async def test_what_may_be_written_before_it_is_hidden(admin: Caller, work: Work) -> None:
    await make(admin, "p1")
    await make(admin, "bystander")
    await started(admin, "farms", "p1")
    refused = []

    async def write(turn: int) -> None:
        if (await details(admin, "farms", "p1"))["status"] != "Running":
            return
        # Whoever has nothing to do with it is not hindered.
        assert (
            await admin("PATCH", "/parties/bystander/farms/farm-1", json={"name": "x"})
        ).status_code == 200
        assert (
            await admin("PATCH", "/parties/p1/fields/other", json={"farmId": "farm-2"})
        ).status_code == 200
        moved = await admin("PATCH", f"/parties/p1/fields/new-{turn}", json={"farmId": "farm-1"})
        if moved.status_code == 201:
            # Nothing is noted yet.
            return
        message = check(moved, 409, "ResourceBeingDeleted", "farmId")
        assert message == "Resource 'Farm' with id 'farm-1' is being deleted with all that is linked to it."
        changed = await admin("PATCH", "/parties/p1/farms/farm-1", json={"name": "x"})
        check(changed, 409, "ResourceBeingDeleted")
        line = b'{"id":"new-2","partyId":"p1","farmId":"farm-1"}'
        headers = {"content-type": "application/x-ndjson"}
        told = (await admin("POST", "/bulk/fields", content=line, headers=headers)).text.splitlines()
        assert json.loads(told[0])["code"] == "ResourceBeingDeleted", told
        refused.append(await admin("DELETE", "/parties/p1/boundaries/boundary-1"))

    await work(write)
    assert refused
    assert {each.status_code for each in refused} == {204}
    assert await admin.ids("/parties/p1/fields") == ["other"]
    assert await admin.ids("/parties/p1/boundaries") == []


@pytest.mark.parametrize("segment", ["parties", "farms"])
async def test_what_is_hidden_is_made_anew(
    admin: Caller, work: Work, stores: Stores, tmp_path: Path, segment: str
) -> None:
    await make(admin, "p1")
    await started(admin, segment, "p1")
    made = False

    async def write(_turn: int) -> None:
        nonlocal made
        cascade = stores.open("store-meadow").read(under_way)
        if made or cascade is None or not cascade.effective:
            return
        made = True
        if segment == "parties":
            check(await admin("PATCH", "/parties/p1/fields/field-1", json={}), 404, "ResourceNotFound")
            await admin.make("/parties/p1")
        # What was made last goes first, so that SQLite gives its number again.
        again = await admin.make(f"/parties/p1/fields/field-{FIELDS - 1}", name="new")
        assert "farmId" not in again
        await attach(admin, "p1", b"new", f"field-{FIELDS - 1}")
        for mode, number in (("create", FIELDS - 1), ("merge", 0)):
            linked = boundary(number) | {"parentId": f"field-{FIELDS - 1}"}
            line = json.dumps({"partyId": "p1", **linked}).encode()
            headers = {"content-type": "application/x-ndjson"}
            answer = await admin(
                "POST", "/bulk/boundaries", content=line, headers=headers, params={"mode": mode}
            )
            assert json.loads(answer.text.splitlines()[-1])["created"] == 1, answer.text

    await work(write)
    assert made
    other = [] if segment == "parties" else ["other"]
    assert await admin.ids("/parties/p1/fields") == [*other, f"field-{FIELDS - 1}"]
    assert await admin.ids("/parties/p1/boundaries") == [f"boundary-{FIELDS - 1}", "boundary-0"]
    assert (await admin("GET", "/parties/p1/attachments/file-1/file")).content == b"new"
    assert stored(tmp_path) == [b"new"]
    assert left_behind(stores) == [0, 0]


async def test_a_job_that_fails_leaves_all_as_it_was(admin: Caller, work: Work, stores: Stores) -> None:
    await make(admin, "p1")
    before = await seen(admin, "p1")
    await started(admin, "farms", "p1")

    async def fail(turn: int) -> None:
        if turn == 5 and (await details(admin, "farms", "p1"))["status"] == "Running":
            check(await admin("PATCH", "/parties/p1/farms/farm-1", json={}), 409, "ResourceBeingDeleted")
            raise ZeroDivisionError

    await work(fail)
    assert (await details(admin, "farms", "p1"))["status"] == "Failed"
    assert await seen(admin, "p1") == before
    assert (await admin("PATCH", "/parties/p1/farms/farm-1", json={})).status_code == 200
    assert left_behind(stores) == [0, 0]
