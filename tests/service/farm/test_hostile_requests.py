"""No one request holds up the others: what a caller with few rights may send, and what the event loop does meanwhile.

What takes long is either refused early, or done by a worker with limits of memory and time, which ends without anybody
else's noticing.
"""

import asyncio
import gzip
import json
import secrets
import sys
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from tests.loop_lag import MOST_LAG, MOST_MEMORY, PeakMemory, collecting_as_served, longest_lag
from tests.service.farm.conftest import AUDIENCE, PUBLIC_URL, Caller, Directory

from headland.farm import Addresses, Files, Pending, Stores, farm_app
from headland.farm.isolation.tasks import Overlay
from headland.farm.isolation.workers import Workers
from headland.http.application import Application
from headland.http.listener import Listener
from headland.security import Guard, Verifier

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(sys.platform != "linux", reason="memory is measured by /proc"),
]

BOUNDARY = "/parties/p1/boundaries/b1"
LINES = {"content-type": "application/x-ndjson"}
PATCH = {"content-type": "application/merge-patch+json"}


@pytest.fixture(autouse=True)
def collector() -> Iterator[None]:
    with collecting_as_served():
        yield


@pytest.fixture
def app(pending: Pending, files: Files, directory: Directory, verifier: Verifier, stores: Stores) -> Listener:
    """With the limits that a service has where nobody sets any."""
    farm = farm_app(
        guard=Guard(verifier, frozenset({AUDIENCE, PUBLIC_URL})),
        authorizer=directory,
        instances=directory,
        stores=stores,
        pending=pending,
        files=files,
        addresses=Addresses(PUBLIC_URL),
        max_body=1 << 20,
    )
    return Listener("public", {"/farm": farm}, [Application([], {})], tls=True)


def comb(teeth: int, *, turned: bool = False) -> list[list[float]]:
    ring = []
    for tooth in range(teeth):
        x, width = tooth / teeth, 0.5 / teeth
        ring += [[x, 1.0], [x + width, 1.0], [x + width, 0.01], [x + 2 * width, 0.01]]
    ring += [[1.0, 0.0], [0.0, 0.0], ring[0]]
    return [[y, x] for x, y in ring] if turned else ring


def polygon(*rings: object) -> dict[str, Any]:
    return {"type": "Polygon", "coordinates": list(rings)}


def parts(*polygons: object) -> dict[str, Any]:
    return {"type": "MultiPolygon", "coordinates": [[each] for each in polygons]}


SQUARE = [[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]]
COMBS = parts(comb(60), comb(60, turned=True))


def long_edge(count: int) -> list[list[float]]:
    """A ring of so many positions."""
    edge = [[number / count, 0.0 if number % 2 else 0.00001] for number in range(count)]
    return [*edge, [1.0, 1.0], [0.0, 1.0]]


MANY_HOLES = polygon(SQUARE, *[[[0.1, 0.1], [0.2, 0.1], [0.2, 0.2], [0.1, 0.1]]] * 10_000)


def write(geometry: Any) -> dict[str, Any]:
    return {
        "method": "PATCH",
        "path": BOUNDARY,
        "content": json.dumps({"geometry": geometry}),
        "headers": PATCH,
    }


def body(text: str | bytes, **headers: str) -> dict[str, Any]:
    return {"method": "PATCH", "path": BOUNDARY, "content": text, "headers": {**PATCH, **headers}}


def search(geometry: Any) -> dict[str, Any]:
    text = json.dumps({"intersectsWithGeometry": geometry})
    return {
        "method": "POST",
        "path": "/boundaries",
        "content": text,
        "headers": {"content-type": "application/json"},
    }


def listed(**params: Any) -> dict[str, Any]:
    return {"method": "GET", "path": "/boundaries", "params": params}


def lines(*geometries: Any) -> dict[str, Any]:
    documents = [{"partyId": "p1", "id": f"n{n}", "geometry": each} for n, each in enumerate(geometries)]
    text = "\n".join(map(json.dumps, documents))
    return {"method": "POST", "path": "/bulk/boundaries", "content": text, "headers": LINES}


REQUESTS: dict[str, tuple[dict[str, Any], set[int]]] = {
    "a filter of spaces": (listed(propertyFilters=" " * 2_400), {400}),
    "a filter of equals": (listed(propertyFilters=" eq" * 20_000), {200, 400, 414}),
    "many filters": (listed(propertyFilters=["a eq b"] * 990), {200}),
    "too many parameters": (listed(ids=["a"] * 3_000), {400}),
    "a thousand ids": (listed(ids=[f"id-{n}" for n in range(1_000)]), {200}),
    "a token of nothing": (listed(skipToken="A" * 60_000), {400}),
    "a number of digits": (listed(maxPageSize="9" * 50_000), {400}),
    "one polygon 2,000 times": (write(parts(*[SQUARE] * 2_000)), {400}),
    "two combs across each other": (write(COMBS), {400}),
    "holes upon holes": (write(MANY_HOLES), {400}),
    "35,000 positions": (write(polygon(long_edge(35_000))), {200, 201, 400}),
    "170,000 positions": (
        body('{"geometry":{"type":"Polygon","coordinates":[[' + "[0,0]," * 170_000 + "[0,0]]]}}"),
        {400},
    ),
    "rings of nothing": (
        body('{"geometry":{"type":"Polygon","coordinates":[' + "[]," * 340_000 + "[]]}}"),
        {400},
    ),
    "properties up to the limit": (
        body(json.dumps({"properties": {f"key-that-is-long-{n}": "v" * 20 for n in range(20_000)}})),
        {200, 201, 400},
    ),
    "lists that nobody knows": (body('{"x":[' + "[]," * 340_000 + "[]]}"), {400}),
    "lists in lists": (body("[" * 1_000_000), {400}),
    "objects in objects": (body('{"a":' * 200_000), {400}),
    "members in members": (body('{"properties":' * 60_000 + "1" + "}" * 60_000), {400}),
    "properties without end": (
        body(json.dumps({"properties": {f"k{n}": n for n in range(60_000)}})),
        {200, 201, 400},
    ),
    "unknown members without end": (body(json.dumps({f"k{n}": n for n in range(60_000)})), {200, 201, 400}),
    "a bomb of zeros": (body(gzip.compress(b"0" * 500_000_000, 9), **{"content-encoding": "gzip"}), {413}),
    "a search by two combs": (search(COMBS), {200, 400}),
    "a search by parts": (search(parts(*[SQUARE] * 490)), {400}),
    "a line of two combs": (lines(COMBS), {200}),
    "lines of parts": (lines(*[parts(*[SQUARE] * 300)] * 20), {200}),
    "a line of 35,000 positions": (lines(polygon(long_edge(35_000))), {200}),
}


@pytest.mark.parametrize("name", REQUESTS)
async def test_loop_goes_on_and_memory_stays(caller: Callable[..., Caller], admin: Caller, name: str) -> None:
    request, statuses = REQUESTS[name]
    await admin.make("/parties/p1")
    # What is imported once is there for good, and what is imported first is slower.
    send = caller("contributor")
    answers = [await send(**request)]
    memory = PeakMemory()
    lag = await longest_lag(lambda: _sent(send, request, answers))
    assert {answer.status_code for answer in answers} <= statuses, answers[0].text[:300]
    assert memory.more() < MOST_MEMORY
    assert lag < MOST_LAG


async def _sent(send: Caller, request: dict[str, Any], answers: list[httpx.Response]) -> None:
    answers.append(await send(**request))


@pytest.fixture
async def combs(admin: Caller) -> Caller:
    """Two boundaries across each other, as a contributor may make them."""
    await admin.make("/parties/p1")
    for name, turned in (("b1", False), ("b2", True)):
        await admin.make(f"/parties/p1/boundaries/{name}", geometry=polygon(comb(250, turned=turned)))
    return admin


async def test_overlap_of_two_combs_is_refused_in_time(combs: Caller, caller: Callable[..., Caller]) -> None:
    reader, answers = caller("reader"), list[httpx.Response]()
    params = {"otherPartyId": "p1", "otherBoundaryId": "b2"}
    request = {"method": "GET", "path": f"{BOUNDARY}/overlap", "params": params}
    memory = PeakMemory()
    assert await longest_lag(lambda: _sent(reader, request, answers)) < MOST_LAG
    assert memory.more() < MOST_MEMORY
    error = answers[0].json()["error"]
    assert (answers[0].status_code, error["code"]) == (400, "GeometryTooComplex")
    assert "otherBoundaryId" in answers[0].text


async def test_tiles_of_combs(combs: Caller, caller: Callable[..., Caller]) -> None:
    reader, answers = caller("reader"), list[httpx.Response]()
    for zoom, row in ((0, 0), (6, 31), (9, 255)):
        request = {"method": "GET", "path": f"/tiles/boundaries/{zoom}/{2**zoom // 2}/{row}"}
        assert await longest_lag(lambda request=request: _sent(reader, request, answers)) < MOST_LAG  # type: ignore[misc]
    assert {answer.status_code for answer in answers} <= {200, 400}


async def test_searches_of_combs(combs: Caller, caller: Callable[..., Caller]) -> None:
    reader, answers = caller("reader"), list[httpx.Response]()
    sought = search(polygon(comb(600)))
    assert await longest_lag(lambda: _sent(reader, sought, answers)) < MOST_LAG
    assert answers[0].status_code == 200
    assert [each["id"] for each in answers[0].json()["value"]] == ["b1", "b2"]


async def test_another_callers_geometry_is_looked_at_meanwhile(
    admin: Caller, caller: Callable[..., Caller]
) -> None:
    await admin.make("/parties/p1")
    hostile, large = caller("contributor"), polygon(long_edge(2_000))
    attacks = [asyncio.create_task(hostile(**write(COMBS))) for _ in range(6)]
    await asyncio.sleep(0)
    answer = await asyncio.wait_for(
        admin("PATCH", "/parties/p1/boundaries/mine", json={"geometry": large}), 60
    )
    assert answer.status_code == 201, answer.text
    assert not all(attack.done() for attack in attacks)
    for attack in attacks:
        attack.cancel()
    await asyncio.gather(*attacks, return_exceptions=True)


async def test_what_waits_has_an_end(admin: Caller) -> None:
    await admin.make("/parties/p1")
    answers = await asyncio.gather(*(admin(**write(parts(*[SQUARE] * 50))) for _ in range(60)))
    assert {answer.status_code for answer in answers} == {400, 429}
    refused = next(answer for answer in answers if answer.status_code == 429)
    assert int(refused.headers["retry-after"]) > 0


async def test_worker_that_was_killed_is_replaced(admin: Caller) -> None:
    workers = Workers(1)
    with pytest.raises(Exception, match="takes more memory or time"):
        await workers.ask("me", _combs_of(400), "geometry")
    found = await workers.ask("me", _combs_of(2), "geometry")
    assert found.common > 0
    workers.close()


def _combs_of(teeth: int) -> Overlay:
    import shapely

    one, other = shapely.Polygon(comb(teeth)), shapely.Polygon(comb(teeth, turned=True))
    return Overlay(one.wkb, other.wkb)


async def test_many_values_of_filters_find_what_few_do(admin: Caller) -> None:
    await admin.make("/parties/p1")
    for number in range(3):
        await admin.make(
            f"/parties/p1/boundaries/b{number}", name=f"n{number}", properties={"k": f"v{number}"}
        )
    others = [f"x{number}" for number in range(900)]
    assert await admin.ids("/boundaries", ids=[*others, "b1"]) == ["b1"]
    assert await admin.ids("/boundaries", names=["n2", *others]) == ["b2"]
    pairs = [f"k eq {other}" for other in others]
    assert await admin.ids("/boundaries", propertyFilters=[*pairs, "k eq v0", "k eq v2"]) == ["b0", "b2"]
    assert await admin.ids("/boundaries", propertyFilters=pairs) == []


async def test_a_schema_that_unfolds_without_end(admin: Caller, caller: Callable[..., Caller]) -> None:
    """Each part has the next one twice; the last says no."""
    latest, answers = caller(version="2023-11-01-preview"), list[httpx.Response]()
    named = {f"a{n}": {"allOf": [{"$ref": f"#/$defs/a{n + 1}"}] * 2} for n in range(40)}
    schema = {"$defs": {**named, "a40": {"required": ["x"]}}, "properties": {"n": {"$ref": "#/$defs/a0"}}}
    await latest.make("/datasets/d1", type="ChemicalProduct", recordsSchema=schema)
    await latest.make(
        "/datasets/d2",
        type="ChemicalProduct",
        recordsSchema={"properties": {"n": {"$ref": "#/$defs/s"}}, "$defs": {"s": {"type": "string"}}},
    )
    request = {"method": "PATCH", "path": "/datasets/d1/records/r1", "json": {"record": {"n": {}}}}
    memory = PeakMemory()
    assert await longest_lag(lambda: _sent(latest, request, answers)) < MOST_LAG
    assert memory.more() < MOST_MEMORY
    assert answers[0].status_code == 400, answers[0].text
    assert "takes more memory or time to be held to its JSON Schema" in answers[0].text
    assert (await latest("PATCH", "/datasets/d2/records/r1", json={"record": {"n": 1}})).status_code == 400
    await latest.make("/datasets/d2/records/r1", record={"n": "one"})


async def test_other_writes_go_on_while_a_schema_is_looked_at(
    admin: Caller, caller: Callable[..., Caller]
) -> None:
    """The look counts for what is written when it is done."""
    latest = caller(version="2023-11-01-preview")
    named = {f"b{n}": {"allOf": [{"$ref": f"#/$defs/b{n + 1}"}] * 2} for n in range(40)}
    # What took too long once is not looked at again.
    named["b40"] = {"required": [secrets.token_hex()]}
    schema = {"$defs": named, "properties": {"n": {"$ref": "#/$defs/b0"}}}
    await latest.make("/datasets/d1", type="ChemicalProduct", recordsSchema=schema)
    record = asyncio.create_task(latest("PATCH", "/datasets/d1/records/r1", json={"record": {"n": {}}}))
    # A worker looks at it for half a second, and has to start before.
    await asyncio.sleep(0.05)
    other = {"$defs": None, "properties": None, "required": ["y"]}
    replaced = await latest("PATCH", "/datasets/d1", json={"recordsSchema": other})
    assert replaced.status_code == 200, replaced.text
    assert not record.done()
    answer = await record
    assert answer.status_code == 400
    # Had the look been in the transaction, the other schema would have come behind it.
    assert "is not what the dataset's schema demands" in answer.text


async def test_lines_are_held_to_a_schema_that_takes_long_to_look_at(caller: Callable[..., Caller]) -> None:
    latest = caller(version="2023-11-01-preview")
    member = secrets.token_hex()
    schema = {"$defs": {"n": {"type": "number"}}, "properties": {member: {"$ref": "#/$defs/n"}}}
    await latest.make("/datasets/d1", type="ChemicalProduct", recordsSchema=schema)
    records = [{"datasetId": "d1", "id": f"r{n}", "record": {member: n if n % 2 else "n"}} for n in range(6)]
    content = "\n".join(map(json.dumps, records))
    answer = await latest("POST", "/bulk/records", content=content, headers=LINES)
    told = [json.loads(line) for line in answer.text.splitlines()]
    assert [each["line"] for each in told if each.get("event") == "refused"] == [1, 3, 5], told
    assert await latest.ids("/datasets/d1/records") == ["r1", "r3", "r5"]
