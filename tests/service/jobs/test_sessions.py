"""Sessions over HTTP, as far as no driver is needed: rows, rights, refusals, and journals that are left."""

import json
import os

import pytest
from tests.databases import ON_BOTH

from headland.jobs.sessions import store
from headland.jobs.sessions.host.journal import AVAILABLE, CANCELLED, Journal
from headland.jobs.sessions.run_folder import SessionFolder
from headland.jobs.sessions.states import State
from headland.settings import JobsSettings, ServerSettings

from .conftest import CLIENT, NODE, Service

pytestmark = [ON_BOTH, pytest.mark.anyio]

#: Livy's members, in Livy's order.
MEMBERS = [
    *("id", "name", "appId", "owner", "proxyUser", "state", "kind", "appInfo", "log", "ttl", "idleTimeout"),
    *("driverMemory", "driverCores", "executorMemory", "executorCores", "conf", "archives", "files"),
    *("heartbeatTimeoutInSecond", "jars", "numExecutors", "pyFiles", "queue"),
]


async def start(service: Service, **fields: object) -> int:
    answer = await service.post("/sessions", json={"kind": "pyspark", **fields})
    assert answer.status_code == 201, answer.text
    return answer.json()["id"]


def change(service: Service, session_id: int, **values: object) -> None:
    service.database.write_and_wait(lambda connection: store.change(connection, session_id, **values))


def folder(service: Service, session_id: int) -> SessionFolder:
    row = service.database.read(lambda connection: store.get(connection, session_id))
    return SessionFolder(service.home.sessions / row.run_key)


def end(service: Service, session_id: int) -> None:
    """Have a session be over that had run a statement, was at another, and had one more waiting."""
    left = folder(service, session_id)
    left.path.mkdir(parents=True)
    journal = Journal(left.journal)
    journal.open()
    ran, running, _ = (journal.accept("pyspark", code, 1) for code in (b'"1+1"', b'"endless"', b'"never"'))
    journal.start(ran, 2)
    journal.end(ran, AVAILABLE, {"status": "ok", "execution_count": 0, "data": {"text/plain": "2"}}, 3)
    journal.start(running, 4)
    change(service, session_id, claimed_by=NODE, state=State.DEAD, finished_at=5)


async def test_a_new_session(service):
    answer = await service.post("/sessions", json={"kind": "pyspark"})
    assert (answer.status_code, answer.headers["location"]) == (201, "/sessions/0")
    record = answer.json()
    assert list(record) == MEMBERS
    assert record == {
        **dict.fromkeys(MEMBERS),
        "id": 0,
        "owner": CLIENT,
        "state": "starting",
        "kind": "pyspark",
        "appInfo": {"driverLogUrl": None, "sparkUiUrl": None, "executorLogUrls": None},
        **{name: [] for name in ("log", "archives", "files", "jars", "pyFiles")},
        **dict.fromkeys(("driverCores", "executorCores", "numExecutors", "heartbeatTimeoutInSecond"), 0),
        "conf": {},
    }
    assert (await service.get("/sessions/0")).json() == record
    assert (await service.get("/sessions/0/state")).json() == {"id": 0, "state": "starting"}
    assert (await service.get("/sessions/0/log")).json() == {"id": 0, "from": 0, "total": 0, "log": []}
    assert (await service.get("/sessions/0/statements")).json() == {"total_statements": 0, "statements": []}


async def test_a_record_says_what_was_asked_for(service):
    asked = {
        "name": "plough",
        "jars": ["wasbs:///app.jar"],
        "conf": {"spark.a": "b"},
        "driverMemory": "512m",
        "driverCores": 2,
        "ttl": "2h",
        "idleTimeout": "30m",
        "heartbeatTimeoutInSecond": 600,
        "queue": "night",
    }
    session = await start(service, **asked)
    record = (await service.get("/sessions/plough")).json()
    assert {name: record[name] for name in asked} == asked
    assert record["id"] == session


async def test_pages(service, check_error):
    for name in ("Ernte", "Pflügen", "plough"):
        await start(service, name=name)
    page = (await service.get("/sessions?from=1&size=1")).json()
    assert (page["from"], page["total"], [each["id"] for each in page["sessions"]]) == (1, 3, [1])
    assert [each["id"] for each in (await service.get("/sessions/")).json()["sessions"]] == [0, 1, 2]
    for query, ids in (
        ("order=desc", [2, 1, 0]),
        ("order=desc&from=1&size=1", [1]),
        ("nameContains=P", [1, 2]),
        ("nameContains=FL%C3%9C", [1]),
        ("nameContains=%25", []),
    ):
        page = (await service.get(f"/sessions?{query}")).json()
        assert [each["id"] for each in page["sessions"]] == ids, query
        assert page["total"] == (3 if query.startswith("order") else len(ids))
    check_error(await service.get("/sessions?nameContains="), 400, "nameContains is empty.")


async def test_a_statement_for_a_session_that_is_not_up_is_500(service, check_error):
    # Livy's clients repeat what gets a 500, and give up at a 400.
    session = await start(service)
    answer = await service.post(f"/sessions/{session}/statements", json={"code": "1+1"})
    check_error(answer, 500, "java.lang.IllegalStateException: Session is in state starting")
    end(service, session)
    answer = await service.post(f"/sessions/{session}/statements", json={"code": "1+1"})
    check_error(answer, 500, "Session is in state dead")


async def test_the_journal_of_a_session_that_is_over(service, check_error):
    session = await start(service)
    end(service, session)
    page = (await service.get(f"/sessions/{session}/statements")).json()
    assert [each["state"] for each in page["statements"]] == [AVAILABLE, AVAILABLE, CANCELLED]
    ran, ended, never = page["statements"]
    assert ran == {
        "id": 0,
        "code": "1+1",
        "state": "available",
        "output": {"status": "ok", "execution_count": 0, "data": {"text/plain": "2"}},
        "progress": 1.0,
        "started": 2,
        "completed": 3,
    }
    assert (ended["output"]["status"], ended["output"]["ename"]) == ("error", "SessionEnded")
    assert never["output"] is None
    newest = (await service.get(f"/sessions/{session}/statements?order=DESC&from=0&size=2")).json()
    assert (newest["total_statements"], [each["id"] for each in newest["statements"]]) == (3, [2, 1])
    assert (await service.get(f"/sessions/{session}/statements/0")).json() == ran
    check_error(await service.get(f"/sessions/{session}/statements/3"), 404, "Statement not found")
    check_error(await service.get(f"/sessions/{session}/statements/x"), 400, 'For input string: "x"')


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "statements/0/cancel", {}),
        ("POST", "jobs/0/cancel", {}),
        ("POST", "completion", {"code": "sp", "cursor": 2, "kind": "pyspark"}),
        ("POST", "add-file", {"uri": "wasbs:///app.jar"}),
    ],
)
async def test_what_only_a_session_that_is_up_can_do(service, check_error, method, path, body):
    session = await start(service)
    end(service, session)
    answer = await service.public.request(
        method, f"/sessions/{session}/{path}", json=body, headers=service.headers()
    )
    check_error(answer, 400, "requirement failed: Session isn't active.")


async def test_there_is_nothing_to_interrupt_in_a_session_that_is_not_up(service):
    session = await start(service)
    for _ in range(2):
        answer = await service.post(f"/sessions/{session}/interrupt")
        assert (answer.status_code, answer.json()) == (200, {"msg": "interrupted"})
        if not folder(service, session).path.exists():
            end(service, session)


@pytest.mark.parametrize(
    ("path", "body", "status", "text"),
    [
        ("/sessions", {"kind": "foo"}, 400, "Invalid kind: foo"),
        ("/sessions", {"kind": "sparkr"}, 400, "it is not served here"),
        ("/sessions", {"file": "x"}, 400, "file: unknown field"),
        ("/sessions", {"kind": "pyspark", "name": "0"}, 400, "Invalid session name: 0"),
        ("/sessions/0/statements", {}, 400, "code: is required"),
        ("/sessions/0/statements", {"code": "1", "kin": "sql"}, 400, "kin: unknown field"),
        ("/sessions/0/statements", {"code": "1", "kind": "cobol"}, 400, "Invalid kind: cobol"),
        ("/sessions/0/completion", {"code": "1", "cursor": -1}, 400, "cursor: "),
        ("/sessions/0/add-jar", {"uri": "/etc/passwd"}, 400, "requirement failed: Local path /etc/passwd"),
        ("/sessions/9/statements", {"code": "1"}, 404, "Session '9' not found."),
    ],
)
async def test_refusals(service, check_error, path, body, status, text):
    await start(service)
    check_error(await service.post(path, json=body), status, text)


async def test_jobs_of_the_java_library_are_refused(service, check_error):
    await start(service)
    for path in ("submit-job", "run-job"):
        for body in ({"job": "AAAA", "jobType": "spark"}, {"job": "AAAA"}):
            answer = await service.post(f"/sessions/0/{path}", json=body)
            check_error(answer, 501, "jobType: objects of Livy's Java client library are not served here")
            assert "POST /sessions/{id}/statements" in answer.json()["msg"]
        answer = await service.post(f"/sessions/0/{path}", json={"job": "AAAA", "jobType": "pyspark"})
        check_error(answer, 500, "Session is in state starting")
        check_error(await service.post(f"/sessions/9/{path}", json={}), 404, "Session '9' not found.")
    check_error(await service.get("/sessions/9/jobs/1"), 404, "Session '9' not found.")
    check_error(await service.get("/sessions/0/jobs/1"), 404, "Job 1 not found")
    check_error(await service.get("/sessions/0/jobs/x"), 400, 'For input string: "x"')


async def test_rules_that_hold_for_every_route(service, check_error):
    """Numbers, names, versions and methods, by section 0 of `livy.md`."""
    await start(service, name="plough")
    for path in ("", "/state", "/log", "/statements"):
        for reference in ("0", "00", "plough"):
            got = await service.get(f"/sessions/{reference}{path}")
            assert (got.status_code, got.headers["content-type"]) == (200, "application/json; charset=UTF-8")
        head = await service.public.head(f"/sessions/0{path}", headers=service.headers())
        assert (head.status_code, head.content) == (200, b"")
        check_error(await service.get(f"/sessions/1{path}"), 404, "Session '1' not found.")
        check_error(await service.get(f"/sessions/none{path}"), 404, "Session 'none' not found.")
        big = await service.get(f"/sessions/99999999999{path}")
        check_error(big, 400, 'For input string: "99999999999"')
        newer = await service.public.get(
            f"/sessions/0{path}", headers={**service.bearer(), "accept": "application/vnd.livy.v9.9"}
        )
        check_error(newer, 406, "No value found for '9.9'")
    for path in ("", "/0/log", "/0/statements"):
        check_error(await service.get(f"/sessions{path}?size=x"), 400, 'For input string: "x"')
    for path in ("/0/stop", "/0/connect", "/0/interrupt", "/0/add-jar", "/0/statements/0/cancel"):
        refused = await service.get(f"/sessions{path}")
        assert (refused.status_code, refused.headers["allow"]) == (405, "POST")


async def test_names_of_kinds_and_what_a_session_may_be_called(service, check_error):
    for given, kind in (("scala", "spark"), ("python", "pyspark"), ("sql", "sql"), (None, "shared")):
        session = await start(service, kind=given)
        assert (await service.get(f"/sessions/{session}")).json()["kind"] == kind
    for field, value, text in (
        ("name", "", "Rejected, Reason: Invalid session name: "),
        ("name", "12", "Rejected, Reason: Invalid session name: 12"),
        ("ttl", "abc", "Rejected, Reason: Invalid time string: abc"),
        ("ttl", "5x", 'Rejected, Reason: Invalid suffix: "x"'),
        ("idleTimeout", "-5", "Rejected, Reason: Invalid value: -5"),
        ("heartbeatTimeoutInSecond", "abc", "heartbeatTimeoutInSecond"),
        ("heartbeatTimeoutInSecond", -1, "heartbeatTimeoutInSecond"),
        ("kind", 7, "kind"),
        ("driverCores", "two", "driverCores"),
        ("jars", "a.jar", "jars"),
        ("jars", ["relative.jar"], "Path 'relative.jar' is not absolute."),
        ("conf", {"spark.submit.deployMode": "cluster"}, "spark.submit.deployMode"),
    ):
        check_error(await service.post("/sessions", json={"kind": "sql", field: value}), 400, text)
    assert (await service.get("/sessions")).json()["total"] == 4, "what is refused leaves nothing"


async def test_pages_of_statements(service):
    session = await start(service)
    end(service, session)
    path = f"/sessions/{session}/statements"
    for query, ids in (
        ("", [0, 1, 2]),
        ("?from=1", [1, 2]),
        ("?size=2", [0, 1]),
        ("?from=1&size=1", [1]),
        ("?size=0", []),
        ("?from=9", []),
        ("?from=-1&size=2", [0]),
        ("?order=%20Desc%20&size=1", [2]),
        ("?order=asc", [0, 1, 2]),
    ):
        page = (await service.get(path + query)).json()
        assert (page["total_statements"], [each["id"] for each in page["statements"]]) == (3, ids), query


@pytest.mark.parametrize(
    ("what", "options", "status", "text"),
    [
        ("file", {"json": {}}, 415, "Content-Type must be multipart/form-data"),
        ("file", {"files": {"other": ("a.txt", b"x")}}, 400, "No file sent!"),
        ("jar", {"files": {"file": ("a.jar", b"x")}}, 400, "No jar sent!"),
        (
            "pyfile",
            {"files": {"file": ("a.py", b"x" * 101)}},
            413,
            "larger than the 100 bytes that jobs.max_upload allows",
        ),
        ("file", {"files": {"file": ("a.txt", b"x")}}, 400, "Session isn't active."),
    ],
)
async def test_uploads_that_are_refused(make_service, check_error, what, options, status, text):
    service = await make_service(jobs=JobsSettings(max_upload=100))
    session = await start(service)
    folder(service, session).path.mkdir(parents=True)
    answer = await service.post(f"/sessions/{session}/upload-{what}", **options)
    check_error(answer, status, text)
    uploads = folder(service, session).uploads
    assert not uploads.exists() or list(uploads.iterdir()) == []


async def test_names_are_unique_among_the_living(service, check_error):
    session = await start(service, name="plough")
    answer = await service.post("/sessions", json={"kind": "pyspark", "name": "plough"})
    check_error(answer, 400, "Rejected, Reason: Duplicate session name: Some(plough) for session 0")
    end(service, session)
    assert await start(service, name="plough") == 1


async def test_numbers_as_text_and_jupyters_message_type(service):
    session = await start(service, numExecutors="2")
    assert (await service.get(f"/sessions/{session}")).json()["numExecutors"] == 2
    answer = await service.post(
        f"/sessions/{session}/statements", json={"code": 1, "msg_type": "execute_request"}
    )
    assert answer.status_code == 500


async def test_requests_are_a_heartbeat_and_lists_are_none(service):
    session = await start(service)
    heart = folder(service, session)
    heart.path.mkdir(parents=True)
    heart.heartbeat.touch()

    os.utime(heart.heartbeat, (1, 1))
    await service.get("/sessions")
    assert heart.last_beat() == 1
    await service.get(f"/sessions/{session}/state")
    assert heart.last_beat() > 1


async def test_rights(make_service, check_error):
    service = await make_service(
        jobs=JobsSettings(access_control=True, view_users=("viewer",), modify_users=("modifier",)),
        server=ServerSettings(private_authentication="none"),
    )
    session = await start(service, conf={"spark.secret": "seed"})
    end(service, session)

    async def ask(caller: str, method: str, path: str):
        headers = {"authorization": f"Bearer {service.token(azp=caller)}", "x-requested-by": "test"}
        body = {"code": "1"} if method == "POST" else None
        return await service.public.request(method, f"/sessions/{session}{path}", json=body, headers=headers)

    for caller, views, modifies in (
        (CLIENT, True, True),
        ("viewer", True, False),
        ("modifier", True, True),
        ("stranger", False, False),
    ):
        record = (await ask(caller, "GET", "")).json()
        assert record["conf"] == ({"spark.secret": "seed"} if views else {})
        for path in ("/log", "/statements", "/statements/0"):
            answer = await ask(caller, "GET", path)
            if views:
                assert answer.status_code == 200
            else:
                check_error(answer, 403, f"User '{caller}' is not allowed to view session {session}.")
        for path in ("/statements", "/statements/0/cancel", "/interrupt", "/stop", "/connect"):
            answer = await ask(caller, "POST", path)
            if modifies:
                assert answer.status_code != 403
            else:
                check_error(answer, 403, f"User '{caller}' is not allowed to modify session {session}.")
    check_error(await ask("viewer", "DELETE", ""), 403, "is not allowed to modify")


async def test_x_requested_by_is_demanded(service, check_error):
    answer = await service.public.post("/sessions", json={"kind": "pyspark"}, headers=service.bearer())
    check_error(answer, 400, "X-Requested-By")
    assert json.loads((await service.get("/sessions")).text)["total"] == 0
