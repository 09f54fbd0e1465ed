"""Lists and their paging, by Livy's rules."""

import uuid

import pytest
from tests.databases import ON_BOTH

from headland.jobs.batches import store
from headland.jobs.batches.listing import Wanted
from headland.jobs.batches.record import head
from headland.jobs.batches.states import State
from headland.jobs.batches.tables import batch

pytestmark = pytest.mark.anyio

LARGEST = 2**31 - 1
#: The members of a batch, as strict clients of Livy know them.
LIVYS = ["id", "name", "owner", "proxyUser", "state", "appId", "appInfo", "log"]

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
    "limit=1&Order=desc&From=3": (0, VISIBLE),
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


#: Number → state, owner (`mine` or `theirs`), name. Number 5 is being deleted, which nobody sees.
MIXED = [
    ("success", "mine", "yield"),
    ("dead", "mine", "yield"),
    ("success", "theirs", None),
    ("killed", "mine", None),
    ("running", "theirs", "sowing"),
    ("running", "mine", None),
    ("starting", "mine", "yield"),
    ("starting", "theirs", "Größe_100%"),
]

#: Query → the ids on the page, and how many there are in all.
FILTERED = {
    "order=asc": ([0, 1, 2, 3, 4, 6, 7], 7),
    "order=desc": ([7, 6, 4, 3, 2, 1, 0], 7),
    "order=%20DESC%20": ([7, 6, 4, 3, 2, 1, 0], 7),
    "order=desc&size=2": ([7, 6], 7),
    "order=desc&from=5&size=100": ([1, 0], 7),
    "order=desc&from=7": ([], 7),
    "order=desc&from=-1&size=3": ([7, 6], 7),
    "order=desc&size=-1": ([], 7),
    "state=running": ([4], 1),
    "state=success": ([0, 2], 2),
    "state=starting,running": ([4, 6, 7], 3),
    "state=starting&state=%20dead": ([1, 6, 7], 3),
    "state=dead,dead": ([1], 1),
    "state=starting,running&order=desc&from=1&size=1": ([6], 3),
    "owner=mine": ([0, 1, 3, 6], 4),
    "owner=mine&order=desc&size=2": ([6, 3], 4),
    "owner=nobody": ([], 0),
    "owner=Mine": ([], 0),
    "name=yield": ([0, 1, 6], 3),
    "name=yield&order=desc&size=1": ([6], 3),
    "name=yield&state=dead,starting": ([1, 6], 2),
    "name=%25": ([], 0),
    "nameContains=IELD": ([0, 1, 6], 3),
    "nameContains=ield&state=dead&order=desc": ([1], 1),
    "nameContains=GR%C3%96%C3%9FE_": ([7], 1),
    "nameContains=%25": ([7], 1),
    "nameContains=y%25d": ([], 0),
    "nameContains=y_eld": ([], 0),
    "owner=theirs&state=starting": ([7], 1),
    "owner=theirs&name=sowing&state=running": ([4], 1),
    "owner=theirs&name=yield": ([], 0),
    "from=1&size=1&state=success,dead,killed": ([1], 4),
}


@pytest.fixture
async def mixed(service):
    def fill(connection) -> None:
        for number, (state, owner, name) in enumerate(MIXED):
            new = store.NewBatch(uuid.uuid4().hex, name, owner, None, b"{}", number)
            made = store.create(connection, new)
            ended = {"finished_at": 9, "log_tail": b"[]"} if State(state).final else {}
            store.change(connection, made.id, state=State(state), **ended)
        store.request_delete(connection, 5, 1)

    service.database.write_and_wait(fill)
    return service


@ON_BOTH
async def test_filters_and_order(mixed):
    for query, (ids, total) in FILTERED.items():
        answer = await mixed.get(f"/batches?{query}")
        assert answer.status_code == 200, answer.text
        assert [found["id"] for found in answer.json()["sessions"]] == ids, query
        assert answer.json()["total"] == total, query


async def test_a_filtered_list_has_the_same_records(mixed):
    whole = (await mixed.get("/batches")).json()["sessions"]
    assert (await mixed.get("/batches?order=desc")).json()["sessions"] == whole[::-1]
    assert (await mixed.get("/batches?state=dead")).json()["sessions"] == [whole[1]]


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("order=newest", "order 'newest' is neither 'asc' nor 'desc'."),
        ("order=", "order '' is neither"),
        ("order=" + "d" * 1000, "order 'ddd"),
        ("state=idle", "state 'idle' is none; batches are starting, running, success, dead, killed."),
        ("state=", "state '' is none"),
        ("state=running,", "state '' is none"),
        ("state=Running", "state 'Running' is none"),
        ("owner=", "owner is empty."),
        ("name=", "name is empty."),
        ("nameContains=", "nameContains is empty."),
    ],
)
async def test_what_cannot_be_listed(mixed, check_error, query, text):
    check_error(await mixed.get(f"/batches?{query}"), 400, text)


async def test_filters_are_answered_from_indexes(mixed):
    """Without, each page of a filtered list would read every row that there is."""
    asked: list[str] = []

    def plans(connection) -> list[str]:
        raw = connection.connection.driver_connection
        raw.set_trace_callback(asked.append)
        try:
            for wanted in (
                Wanted(states=(State.DEAD,)),
                Wanted(states=(State.STARTING, State.RUNNING), newest_first=True),
                Wanted(owner="mine"),
                Wanted(owner="mine", states=(State.DEAD,)),
                Wanted(name="yield"),
                Wanted(name_part="ield"),
            ):
                store.wanted_total(connection, wanted)
                store.wanted_page(connection, wanted, 1, 2)
            store.find(connection, "yield")
        finally:
            raw.set_trace_callback(None)
        return [
            row[3] for statement in asked for row in raw.execute(f"EXPLAIN QUERY PLAN {statement}").fetchall()
        ]

    found = mixed.database.read(plans)
    assert len(asked) == 13
    scans = [step for step in found if step.startswith("SCAN batch")]
    # A part of a name can be anywhere: names are read, all of them, but no row is.
    assert [step for step in scans if "COVERING INDEX ix_batch_name" not in step] == []


async def test_records_say_more_for_who_asks_and_livys_members_alone_to_all_others(service):
    for _ in range(2):
        await service.submit()
    for path in ("/batches", "/batches?order=desc", "/batches?from=0&size=5"):
        for record in (await service.get(path)).json()["sessions"]:
            assert list(record) == LIVYS
    assert list((await service.get("/batches/0")).json()) == LIVYS
    for query, members in (
        ("times", ["times"]),
        ("progress", ["progress"]),
        ("times,progress", ["times", "progress"]),
    ):
        found = (await service.get(f"/batches?include={query}&order=desc")).json()
        assert (found["from"], found["total"]) == (0, 2)
        assert [list(record) for record in found["sessions"]] == [[*LIVYS, *members]] * 2
        assert [record["id"] for record in found["sessions"]] == [1, 0]
        assert list((await service.get(f"/batches/1?include={query}")).json()) == [*LIVYS, *members]
    (record, _) = (await service.get("/batches?include=times&include=progress")).json()["sessions"]
    assert record["times"] == (await service.get("/batches/0/times")).json()
    assert record["progress"] is None


async def test_more_records_than_a_statement_has_parameters_say_more(service):
    await service.submit()

    def fill(connection) -> None:
        (first,) = connection.execute(batch.select())
        rows = [
            {
                **first._mapping,
                "id": id_,
                "run_key": f"{id_:032x}",
                "record": head((id_, None, None, None, "dead", None, None)),
            }
            for id_ in range(1, 40_000)
        ]
        connection.execute(batch.insert(), rows)

    service.database.write_and_wait(fill)
    found = (await service.get("/batches?include=times&size=40000")).json()["sessions"]
    assert len(found) == 40_000
    assert all(record["times"]["id"] == record["id"] for record in found)


async def test_progress_is_of_what_runs_and_for_who_may_see_it(service):
    await service.submit()

    def run(connection):
        connection.execute(batch.update().values(state=State.RUNNING, claimed_by="node", started_at=1))

    service.database.write_and_wait(run)
    (record,) = (await service.get("/batches?include=progress")).json()["sessions"]
    assert record["progress"] == (await service.get("/batches/0/progress")).json()
    assert record["progress"]["tasks"] == 0


@pytest.mark.parametrize("include", ["all", "times,", "Times", "times;progress", ""])
@pytest.mark.parametrize("path", ["/batches", "/batches/0"])
async def test_what_can_not_be_included_is_named(service, check_error, path, include):
    await service.submit()
    answer = await service.get(path, params={"include": include})
    check_error(answer, 400, "include '")
    assert "there are times, progress" in answer.json()["msg"]
