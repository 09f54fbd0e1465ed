"""Sessions in the portal: what can be done with one follows from where in its life it is."""

import pytest
from msgspec import json

from headland.jobs.batches.report import Report
from headland.jobs.sessions import store
from headland.jobs.sessions.tables import session

pytestmark = pytest.mark.anyio

PATH = "/portal/sessions/0"


@pytest.fixture
async def ada(portal):
    """Somebody with a session that is yet to start."""
    browser = await portal.person()
    new = store.NewSession(
        run_key="0" * 32,
        name="harvest-notes",
        owner=None,
        proxy_user=None,
        kind="shared",
        request=json.encode({"submission": {"file": "shell"}, "kind": "shared"}),
        created_at=portal.now,
    )
    portal.database.write_and_wait(lambda connection: store.create(connection, new))
    return browser


def change(portal, **values: object) -> None:
    portal.database.write_and_wait(lambda connection: connection.execute(session.update().values(**values)))


async def test_the_list_is_narrowed_by_a_part_of_the_name(ada):
    assert "harvest-notes" in (await ada.open("/portal/sessions?name=Notes")).text
    other = await ada.open("/portal/sessions?name=seeding")
    assert "harvest-notes" not in other.text
    assert "No session is like that" in other.text


async def test_one_that_starts_takes_no_code_yet(ada):
    page = await ada.open(PATH)
    assert "as soon as the session has started" in page.text
    assert "<textarea" not in page.html
    assert "Stop this session" in page.text
    assert f'hx-get="{PATH}?seen=coming"' in page.html
    assert "harvest-notes" in (await ada.open("/portal/sessions")).text


async def test_the_whole_page_comes_anew_when_something_else_can_be_done(ada, portal):
    change(portal, claimed_by="node", state="idle", started_at=portal.now)
    part = await ada.open(f"{PATH}?seen=coming", headers={"hx-request": "true"})
    assert (part.status, part.response.headers["hx-refresh"]) == (204, "true")
    page = await ada.open(PATH)
    assert "<textarea" in page.html
    assert [kind for kind in ("pyspark", "spark", "sql") if f"<option>{kind}</option>" in page.html] == [
        "pyspark",
        "spark",
        "sql",
    ]
    # No interpreter of it answers: what is wrong is said, and what was typed is kept.
    page = await ada.send(f"{PATH}/statements", on=PATH, code="1 + 1", kind="sql")
    assert page.status == 500
    assert "Session is in state" in page.text
    assert ">1 + 1</textarea>" in page.html
    assert "<option selected>sql</option>" in page.html


async def test_one_that_has_ended_can_be_read_and_deleted(ada, portal):
    report = Report("The session was stopped on request.", "N/A", "default", 1, "KILLED", "N/A", "ada", ())
    tail = json.encode(["\nstderr: ", *report.lines()])
    change(portal, claimed_by="node", state="dead", finished_at=portal.now, log_tail=tail)
    page = await ada.open(PATH)
    assert "The session was stopped on request." in page.text
    assert "nothing can be run in it any more" in page.text
    assert ("Stop this session" in page.text, "Delete this session" in page.text) == (False, True)
    assert "hx-get" not in page.html


async def test_who_watches_one_is_told_of_its_deletion(ada, portal):
    portal.database.write_and_wait(lambda connection: connection.execute(session.delete()))
    part = await ada.open(f"{PATH}?seen=up", headers={"hx-request": "true"})
    assert (part.status, "deleted while you looked at it" in part.text) == (200, True)
    assert (await ada.open(PATH)).status == 404


async def test_a_session_is_started_by_a_form(portal):
    ada = await portal.person()
    assert "Start a session" in (await ada.open("/portal/sessions")).text
    page = await ada.send(
        "/portal/sessions/new",
        kind="shared",
        name="seed-notes",
        driver_memory="2g",
        num_executors="2",
        ttl="2h",
        conf="spark.ui.enabled=false\nspark.app.name = notes=1",
        archives="wasbs:///maps.zip#maps",
    )
    assert (page.status, page.location) == (303, PATH)
    assert "seed-notes" in (await ada.open(PATH)).text
    made = (await ada.open("/portal/data/livy/sessions/0")).response.json()
    assert (made["kind"], made["driverMemory"], made["numExecutors"], made["ttl"]) == (
        "shared",
        "2g",
        2,
        "2h",
    )
    assert made["conf"] == {"spark.ui.enabled": "false", "spark.app.name": "notes=1"}
    assert made["archives"] == ["wasbs:///maps.zip#maps"]


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("name", "123", "Invalid session name: 123"),
        ("name", "harvest-notes", "Duplicate session name"),
        ("kind", "sparkr", "Invalid kind: sparkr"),
        ("driver_memory", "much", "driverMemory"),
        ("num_executors", "many", "numExecutors"),
        ("ttl", "soon", "Invalid time string: soon"),
        ("idle_timeout", "9 days", "Invalid"),
        ("conf", "spark.submit.deployMode=cluster", "spark.submit.deployMode"),
        ("jars", "/etc/passwd", "Local path /etc/passwd cannot be added"),
        ("files", "ftp://host/file", "jobs.url_schemes"),
    ],
)
async def test_what_is_wrong_is_said_at_its_field_and_the_rest_is_kept(ada, field, value, said):
    page = await ada.send(
        "/portal/sessions/new", **{"kind": "pyspark", "executor_memory": "3g", field: value}
    )
    assert page.status == 400
    assert said in page.text
    assert page.value("executor_memory") == "3g"
    tag = page.html[page.html.index(f'id="{field}"') :].partition(">")[0]
    assert 'aria-invalid="true"' in tag
    assert '<details class="more" open>' in page.html


async def test_one_that_died_says_why_and_shows_its_log(ada, portal):
    report = Report(
        "The session's JVM has ended with exit code 3.", "N/A", "default", 1, "FAILED", "N/A", "a", ()
    )
    tail = json.encode(["stdout: ", "out of fields", "\nstderr: ", *report.lines()][-10:])
    row = {"claimed_by": "node", "state": "dead", "finished_at": portal.now, "log_tail": tail}
    change(portal, **row, report=json.encode(report))
    folder = portal.assembly.deployment.home.sessions / ("0" * 32)
    folder.mkdir(parents=True)
    (folder / "output.log").write_text("".join(f"line {number}\n" for number in range(30)))
    page = await ada.open(PATH)
    assert '<p class="notice bad">The session&#39;s JVM has ended with exit code 3.</p>' in page.html
    assert "line 5" in page.text
    assert '<details class="more" open>' in page.html
