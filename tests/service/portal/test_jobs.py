"""Batches in the portal: the list and its address, submission, the log, and what is not for everybody."""

import asyncio
import re
import time

import msgspec
import pytest
from tests.service.portal.conftest import SETTINGS

from headland.http.listener import Listener
from headland.jobs import identity
from headland.jobs.batches import store
from headland.jobs.batches.record import head
from headland.jobs.batches.report import Report
from headland.jobs.batches.tables import batch
from headland.portal.pages import job_events
from headland.settings import JobsSettings

pytestmark = pytest.mark.anyio

PATH = "/portal/jobs"
FORM = {"file": "wasbs:///app.jar", "class_name": "demo.App"}


async def submitted(browser, **form: str) -> str:
    page = await browser.send(f"{PATH}/new", **{**FORM, **form})
    assert page.status == 303, page.text
    return page.location


async def test_a_batch_is_submitted_with_all_that_the_form_says(portal):
    ada = await portal.person()
    path = await submitted(
        ada,
        name="nightly",
        args="--day\nThursday morning\n\n",
        conf="spark.sql.shuffle.partitions = 4\nspark.x=a=b",
        executor_cores="2",
        driver_memory="1g",
    )
    row = portal.database.read(lambda connection: store.find(connection, "nightly"))
    request = msgspec.json.decode(row.request)
    assert request["args"] == ["--day", "Thursday morning"]
    assert request["conf"] == {"spark.sql.shuffle.partitions": "4", "spark.x": "a=b"}
    assert (request["executor_cores"], request["driver_memory"]) == (2, "1g")
    # A person's job acts for the person.
    submitter = identity.decode(row.submitter)
    assert submitter is not None
    assert (submitter.object_id, submitter.issuer) == (row.owner, "")
    page = await ada.open(path)
    assert "nightly" in page.text
    assert "waits for its turn" in page.text


async def test_the_same_form_sent_twice_is_one_batch(portal):
    ada = await portal.person()
    page = await ada.open(f"{PATH}/new")
    key = page.value("key")
    first = await submitted(ada, key=key)
    assert await submitted(ada, key=key) == first


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ({"file": ""}, "file"),
        ({"class_name": ""}, "className"),
        ({"executor_cores": "many"}, "Executor cores"),
        ({"file": "/etc/passwd"}, "file"),
    ],
)
async def test_what_is_wrong_is_said_and_the_form_keeps_the_rest(portal, form, said):
    ada = await portal.person()
    page = await ada.send(f"{PATH}/new", **{**FORM, "name": "kept", **form})
    assert page.status == 400
    assert said in page.text
    assert page.value("name") == "kept"


async def test_the_list_is_filtered_sorted_and_paged_by_its_address(portal):
    ada = await portal.person()
    for number in range(3):
        await submitted(ada, name=f"run-{number}")
    newest = await ada.open(PATH)
    assert [*re.findall(r">(run-\d)<", newest.html)] == ["run-2", "run-1", "run-0"]
    oldest = await ada.open(f"{PATH}?order=asc&owner=me&state=starting")
    assert [*re.findall(r">(run-\d)<", oldest.html)] == ["run-0", "run-1", "run-2"]
    assert "order=desc" not in oldest.html
    assert "No batch is like that" in (await ada.open(f"{PATH}?state=dead")).text
    some = await ada.open(f"{PATH}?name=UN-1")
    assert [*re.findall(r">(run-\d)<", some.html)] == ["run-1"]
    assert 'value="UN-1"' in some.html
    part = await ada.open(f"{PATH}?name=run-1", headers={"hx-request": "true"})
    assert "<html" not in part.html
    assert (await ada.open(f"{PATH}?state=asleep")).status == 400


@pytest.fixture
def inner_requests(monkeypatch) -> list[str]:
    """Paths of what pages ask of the services."""
    asked: list[str] = []
    answer = Listener.answer_inside

    async def counted(self, scope, receive, send):
        asked.append(scope["path"])
        await answer(self, scope, receive, send)

    monkeypatch.setattr(Listener, "answer_inside", counted)
    return asked


async def test_a_page_of_fifty_asks_three_times(portal, inner_requests):
    ada = await portal.person()
    await submitted(ada)
    fill(portal, 50, state="running", claimed_by="node", started_at=1)
    inner_requests.clear()
    page = await ada.open(PATH)
    assert "1 to 50 of 50" in page.text
    assert page.html.count("<time ") == 50
    assert inner_requests == ["/livy/batches", "/identity/applications", "/identity/people"]


async def test_who_watches_a_batch_asks_for_it_alone(portal, inner_requests, monkeypatch):
    monkeypatch.setattr(job_events, "LOOK", 0.01)
    ada = await portal.person()
    await submitted(ada)
    inner_requests.clear()
    watching = asyncio.create_task(ada.open(f"{PATH}/0/events"))
    while inner_requests.count("/livy/batches/0") < 10:  # noqa: ASYNC110 - it is what the pages ask that is counted
        await asyncio.sleep(0.01)
    fill(portal, 1, state="killed", finished_at=2)
    seen = await watching
    assert "event: end\ndata: killed" in seen.html
    assert inner_requests.count("/identity/people") == 1
    others = [path for path in inner_requests if path != "/livy/batches/0"]
    assert others == ["/identity/applications", "/identity/people", "/livy/batches/0/progress"]


def fill(portal, number, **values) -> None:
    """Have so many batches, all like the first but for `values`."""

    def write(connection):
        record = head((0, None, None, None, values["state"], None, None))
        connection.execute(batch.update().values(**values, record=record))
        (first,) = connection.execute(batch.select())
        for id_ in range(1, number):
            record = head((id_, None, None, None, values["state"], None, None))
            connection.execute(
                batch.insert(), {**first._mapping, "id": id_, "run_key": f"{id_:032x}", "record": record}
            )

    portal.database.write_and_wait(write)


async def test_ten_thousand_batches_are_a_page_at_a_time(portal):
    ada = await portal.person()
    await submitted(ada)

    def many(connection):
        (first,) = connection.execute(batch.select())
        rows = [
            {**first._mapping, "id": number, "run_key": f"{number:032x}", "name": None}
            for number in range(1, 10_000)
        ]
        connection.execute(batch.insert(), rows)

    portal.database.write_and_wait(many)
    await ada.open(PATH)
    began = time.perf_counter()
    page = await ada.open(f"{PATH}?from=5000")
    took = time.perf_counter() - began
    assert "5001 to 5050 of 10000" in page.text
    assert 'from=9950"' in page.html
    assert len(page.html) < 60_000
    assert took < 1.0


async def test_whose_batch_it_is_not_sees_neither_its_log_nor_stops_it(make_portal):
    settings = msgspec.structs.replace(SETTINGS, jobs=JobsSettings(access_control=True))
    portal = make_portal(settings)
    ben, eve = (
        await portal.person("ben", administrator=False),
        await portal.person("eve", administrator=False),
    )
    path = await submitted(ben)
    page = await eve.open(path)
    assert (page.status, "The log is not for you" in page.text) == (200, True)
    for what in ("log.txt", "log/events"):
        assert (await eve.open(f"{path}/{what}")).status == 403
    assert (await eve.send(f"{path}/kill", on=path)).status == 403
    assert (await eve.send(f"{path}/delete", on=path)).status == 403
    assert "The log is not for you" not in (await ben.open(path)).text


def ended(portal, **values: object) -> None:
    """Have batch 0 come to an end."""
    report = Report("Out of fields.", "N/A", "default", 1, "FAILED", "N/A", "ada", ())
    tail = msgspec.json.encode(["stderr: ", *report.lines()])
    values = {"state": "dead", "finished_at": portal.now, "log_tail": tail, **values}
    portal.database.write_and_wait(lambda connection: store.change(connection, 0, **values))


async def test_what_can_be_done_with_a_batch_follows_from_its_state(portal):
    ada = await portal.person()
    path = await submitted(ada)
    page = await ada.open(path)
    assert ("Stop this batch" in page.text, "It is stopped, and its record" in page.text) == (True, True)
    ended(portal)
    page = await ada.open(path)
    assert ("Stop this batch" in page.text, "Its record and log" in page.text) == (False, True)
    assert "Out of fields." in page.text
    # Somebody's page is older than the batch's end.
    late = await ada.follow(await ada.send(f"{path}/kill", on=path))
    assert "Batch 0 has ended already: it is 'dead'." in late.text


async def test_who_watches_a_batch_is_told_of_its_end_and_what_can_be_done_then(portal, monkeypatch):
    monkeypatch.setattr("headland.portal.pages.job_events.LOOK", 0.01)
    ada = await portal.person()
    path = await submitted(ada)
    watching = asyncio.create_task(ada.open(f"{path}/events"))
    await asyncio.sleep(0.1)
    ended(portal)
    state, *_, acts, end = (await watching).html.strip().split("\n\n")
    assert "starting" in state
    assert acts.startswith("event: acts\n")
    assert ("Stop this batch" in acts, "Delete this batch" in acts) == (False, True)
    assert end == "event: end\ndata: dead"


async def test_who_watches_a_batch_is_told_of_its_deletion(portal, monkeypatch):
    monkeypatch.setattr("headland.portal.pages.job_events.LOOK", 0.01)
    ada = await portal.person()
    path = await submitted(ada)
    watching = asyncio.create_task(ada.open(f"{path}/events"))
    await asyncio.sleep(0.1)
    portal.database.write_and_wait(lambda connection: store.remove(connection, 0))
    *_, state, acts, end = (await watching).html.strip().split("\n\n")
    assert "deleted while you looked at it" in state
    assert (acts, end) == ("event: acts\ndata: ", "event: end\ndata: deleted")


async def test_sparks_pages_are_told_to_be_missing(portal):
    ada = await portal.person()
    path = await submitted(ada)
    assert "as Spark shows them" not in (await ada.open(path)).text
    page = await ada.open(f"{path}/spark")
    assert (page.status, "has written no event log for batch 0" in page.text) == (404, True)
    part = await ada.open(f"{path}/spark", headers={"hx-request": "true"})
    assert part.response.headers["hx-redirect"] == f"{path}/spark"
    assert (await portal.browser().open(f"{path}/spark/static/webui.js")).status == 401


async def test_a_batch_that_there_is_not_is_told_so(portal):
    ada = await portal.person()
    for path in ("77", "no-such", "77/log.txt", "77/events"):
        page = await ada.open(f"{PATH}/{path}")
        assert page.status == 404, path


async def test_the_log_is_downloaded_whole(portal):
    ada = await portal.person()
    path = await submitted(ada)
    row = portal.database.read(lambda connection: store.find(connection, 0))
    folder = portal.assembly.deployment.home.batches / row.run_key
    folder.mkdir(parents=True)
    lines = [f"line {number} <b>&amp;" for number in range(2500)]
    (folder / "output.log").write_text("\n".join(lines) + "\n")
    page = await ada.open(f"{path}/log.txt")
    assert page.response.headers["content-disposition"] == 'attachment; filename="batch-0.log"'
    assert [line for line in page.html.splitlines() if line.startswith("line ")] == lines
    shown = await ada.open(path)
    assert "<b>" not in shown.html
    assert "line 2499" in shown.text
