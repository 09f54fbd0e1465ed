"""Lists and their paging, by Livy's rules."""

import uuid

import pytest

from headland.jobs.batches import store

pytestmark = pytest.mark.anyio

LARGEST = 2**31 - 1

#: Query → the `from` that is echoed, and the ids on the page, of twelve batches of which number 5 is being deleted.
VISIBLE = [0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11]
PAGES = {
    "": (0, VISIBLE),
    "from=0": (0, VISIBLE),
    "from=3": (3, VISIBLE[3:]),
    "size=2": (0, [0, 1]),
    "from=4&size=3": (4, [4, 6, 7]),
    "from=10&size=100": (10, [11]),
    "from=11": (11, []),
    "from=500&size=10": (500, []),
    "size=0": (0, []),
    "size=-1": (0, []),
    "from=3&size=-5": (3, []),
    "from=-1&size=2": (-1, [0]),
    "from=-2&size=2": (-2, []),
    "from=-5&size=2": (-5, []),
    "from=%2B1&size=1": (1, [1]),
    "from=0000000000000000000001&size=1": (1, [1]),
    f"from={LARGEST}&size={LARGEST}": (LARGEST, []),
    "from=-2147483648": (-2147483648, []),
    "limit=1&order=desc&From=3": (0, VISIBLE),
}


@pytest.fixture
async def twelve(service):
    for _ in range(12):
        await service.submit()
    service.database.write_and_wait(lambda connection: store.request_delete(connection, 5, 1))
    return service


async def test_pages(twelve):
    for query, (start, ids) in PAGES.items():
        answer = await twelve.get(f"/batches?{query}")
        assert answer.status_code == 200, query
        assert list(answer.json()) == ["from", "total", "sessions"]
        assert answer.json()["from"] == start, query
        assert answer.json()["total"] == len(VISIBLE)
        assert [found["id"] for found in answer.json()["sessions"]] == ids, query


async def test_a_page_has_a_hundred_unless_asked_otherwise(service):
    def fill(connection) -> None:
        for number in range(105):
            store.create(connection, store.NewBatch(uuid.uuid4().hex, None, None, None, b"{}", number))

    service.database.write_and_wait(fill)
    found = (await service.get("/batches")).json()
    assert (found["total"], [one["id"] for one in found["sessions"]]) == (105, list(range(100)))
    found = (await service.get("/batches?from=100")).json()
    assert (found["from"], [one["id"] for one in found["sessions"]]) == (100, list(range(100, 105)))
    found = (await service.get("/batches?size=1000")).json()
    assert len(found["sessions"]) == 105


async def test_a_list_has_whole_records_oldest_first(service):
    made = [await service.submit(name=name) for name in ("c", "a", "b")]
    assert (await service.get("/batches")).json()["sessions"] == made


BAD_NUMBERS = {
    "abc": "abc",
    "": "",
    "1.5": "1.5",
    "1e3": "1e3",
    "0x10": "0x10",
    "%20" + "1": " 1",
    "1_000": "1_000",
    "--1": "--1",
    "+1": " 1",  # in a query, a plus is a space
    "-": "-",
    "2147483648": "2147483648",
    "-2147483649": "-2147483649",
    "99999999999": "99999999999",
    "1" * 5000: "1" * 80,
    "%D9%A1": "\u0661",
    "%00": "\0",
    "null": "null",
}


@pytest.mark.parametrize("path", ["/batches", "/batches/0/log"])
@pytest.mark.parametrize("name", ["from", "size"])
async def test_numbers_that_are_none(service, check_error, path, name):
    await service.submit()
    for value, shown in BAD_NUMBERS.items():
        answer = await service.get(f"{path}?{name}={value}")
        check_error(answer, 400, f'For input string: "{shown}"')
