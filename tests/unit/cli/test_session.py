import json

import httpx
import pytest

SESSION = {
    "id": 3,
    "name": "plough",
    "appId": "local-1",
    "owner": "client-1",
    "proxyUser": None,
    "state": "idle",
    "kind": "pyspark",
    "appInfo": {"driverLogUrl": "https://x/log", "sparkUiUrl": None, "executorLogUrls": None},
    "log": ["stdout: "],
}
PATH = "/livy/sessions"


@pytest.fixture
def answer(stand_in):
    """Have requests answered, each once and in turn."""

    def answer(method: str, path: str, *documents: object, status: int = 200) -> None:
        answers = [httpx.Response(status, json=document) for document in documents]
        stand_in.instead.setdefault((method, PATH + path), []).extend(answers)

    return answer


def statement(state: str, **output: object) -> dict[str, object]:
    shown = {"execution_count": 0, **output} if output else None
    return {
        "id": 0,
        "code": "1+1",
        "state": state,
        "output": shown,
        "progress": 0.0,
        "started": 0,
        "completed": 0,
    }


@pytest.fixture
def run(headland, answer):
    """`headland session run` of something that has this output."""

    def run(*arguments: str, state: str = "available", **output: object):
        answer("GET", "/plough/state", {"id": 3, "state": "starting"})
        answer("GET", "/3/state", {"id": 3, "state": "busy"})
        answer("POST", "/3/statements", statement("waiting"), status=201)
        answer("GET", "/3/statements/0", statement("running"), statement(state, **output))
        return headland("session", "run", "plough", *(arguments or ["1+1"]))

    return run


def test_a_session_is_asked_for_in_livys_words(headland, stand_in, answer):
    answer("POST", "", {**SESSION, "state": "starting"}, status=201)
    answer("GET", "/3/state", {"id": 3, "state": "starting"}, {"id": 3, "state": "idle"})
    answer("GET", "/3", SESSION)
    result = headland(
        *(
            "session",
            "create",
            "--kind",
            "sql",
            "--conf",
            "spark.a=b",
            "--driver-memory",
            "2g",
            "--ttl",
            "2h",
        ),
        *("--idle-timeout", "90s", "--heartbeat-timeout", "60", "--file", "wasbs:///a.csv", "--wait"),
    )
    assert (result.exit_code, result.stdout) == (0, "Session 3: starting.\nSession 3: idle.\n")
    (request,) = stand_in.sent("POST", PATH)
    assert request.headers["x-requested-by"] == "headland-cli"
    assert json.loads(request.content) == {
        "kind": "sql",
        "conf": {"spark.a": "b"},
        "files": ["wasbs:///a.csv"],
        "driverMemory": "2g",
        "ttl": "2h",
        "idleTimeout": "90s",
        "heartbeatTimeoutInSecond": 60,
    }


def test_a_session_that_does_not_come_up(headland, answer):
    answer("POST", "", {**SESSION, "state": "starting"}, status=201)
    answer("GET", "/3/state", {"id": 3, "state": "dead"})
    result = headland("session", "create", "--wait")
    assert result.exit_code == 1
    assert result.stderr == "headland: session 3 is dead; `headland session log 3` tells why\n"


def test_records(headland, answer):
    answer("GET", "", {"from": 0, "total": 1, "sessions": [SESSION]})
    lines = [line.split() for line in headland("session", "list").stdout.splitlines()]
    assert lines[1] == ["3", "plough", "pyspark", "idle", "client-1", "local-1"]
    answer("GET", "/3", SESSION, SESSION)
    assert "Kind           pyspark" in headland("session", "show", "3").stdout
    assert json.loads(headland("session", "show", "3", "--json").stdout) == SESSION
    answer("POST", "/3/stop", None)
    assert headland("session", "stop", "3").stdout == "Session 3: stopped.\n"
    answer("DELETE", "/3", {"msg": "deleted"})
    assert headland("session", "delete", "3", "--json").stdout == '{\n  "msg": "deleted"\n}\n'
    missing = headland("session", "show", "9")
    assert (missing.exit_code, missing.stderr) == (
        4,
        "headland: there is no session '9'; `headland session list` shows those there are\n",
    )


def test_code_is_run_once_the_session_is_up(run, stand_in):
    result = run("1+1", "--kind", "spark", status="ok", data={"text/plain": "2"})
    assert (result.exit_code, result.stdout, result.stderr) == (0, "2\n", "")
    (request,) = stand_in.sent("POST", f"{PATH}/3/statements")
    assert json.loads(request.content) == {"code": "1+1", "kind": "spark"}


def test_code_from_standard_input(headland, stand_in, answer):
    answer("GET", "/3/state", {"id": 3, "state": "idle"})
    answer("POST", "/3/statements", statement("waiting"), status=201)
    result = headland("session", "run", "3", "-", "--detach", stdin="x = 1\nx\n")
    assert (result.exit_code, result.stdout) == (0, "0\n")
    (request,) = stand_in.sent("POST", f"{PATH}/3/statements")
    assert json.loads(request.content) == {"code": "x = 1\nx\n"}


ROWS = {
    "schema": {"type": "struct", "fields": [{"name": "n"}, {"name": "crop"}]},
    "data": [[1, "rye"]],
    "notice": "There are more rows.",
}
TABLE = {"headers": [{"name": "0", "type": "INT_TYPE"}], "data": [[7]]}


@pytest.mark.parametrize(
    ("data", "printed"),
    [
        ({"application/json": ROWS}, "n  crop\n1  rye \n"),
        ({"application/json": {"a": 1}}, '{\n  "a": 1\n}\n'),
        ({"application/vnd.livy.table.v1+json": TABLE}, "0\n7\n"),
        ({"image/png": "abcd", "text/plain": ""}, "[image/png, 4 characters: --json shows them]\n"),
    ],
)
def test_what_is_shown(run, data, printed):
    assert run(status="ok", data=data).stdout == printed


def test_code_that_fails(run):
    told = {
        "ename": "ValueError",
        "evalue": "no seed",
        "traceback": ["Traceback:\n", "ValueError: no seed\n"],
    }
    result = run(status="error", data={"text/plain": "before"}, **told)
    assert (result.exit_code, result.stdout) == (1, "before\n")
    assert result.stderr == (
        "Traceback:\nValueError: no seed\nheadland: statement 0 of session 3 failed (ValueError: no seed)\n"
    )


def test_an_error_of_java_is_shown_once_and_its_cause_is_told(run):
    said = "java.io.IOException: no seed\nAn error occurred while calling o4.sow."
    told = {"ename": "Py4JJavaError", "evalue": said}
    frames = "\tat farm.Barn\n" * 900
    shown = ["Traceback:\n", f"Py4JJavaError: An error\n: Outer\n{frames}Caused by: no seed\n"]
    result = run(status="error", **told, traceback=shown)
    last = "headland: statement 0 of session 3 failed (Py4JJavaError: java.io.IOException: no seed)"
    assert result.stderr.splitlines() == [*said.splitlines(), *"".join(shown).splitlines(), last]


def test_frames_of_java_are_a_line_each_and_a_plan_is_shown_once(run):
    told = {
        "ename": "Error",
        "evalue": "[NOT_FOUND] no seed;\n'Project [*]\n",
        "traceback": ["a.B.c(D:1)", "e.F.g(H:2)"],
    }
    result = run(status="error", **told)
    assert result.stderr.splitlines() == [
        "[NOT_FOUND] no seed;",
        "'Project [*]",
        "a.B.c(D:1)",
        "e.F.g(H:2)",
        "headland: statement 0 of session 3 failed (Error: [NOT_FOUND] no seed;)",
    ]


def test_code_that_is_cancelled(run):
    result = run(state="cancelled")
    assert (result.exit_code, result.stderr) == (3, "headland: statement 0 of session 3 was cancelled\n")


def test_statements(headland, stand_in, answer):
    ended = {**statement("available", status="ok", data={"text/plain": "2"}), "code": "1\n+1", "started": 1}
    answer("GET", "/3/statements", {"total_statements": 1, "statements": [ended]})
    result = headland("session", "statements", "3", "--newest-first", "--size", "5")
    assert result.stdout.splitlines()[1].split() == ["0", "available", "1970-01-01", "00:00:00", "1", "…"]
    (request,) = [each for each in stand_in.requests if each.url.path == f"{PATH}/3/statements"]
    assert dict(request.url.params) == {"from": "0", "size": "5", "order": "desc"}
    answer("GET", "/3/statements/0", ended)
    assert headland("session", "statements", "3", "0").stdout == "2\n"
    answer("POST", "/3/statements/0/cancel", {"msg": "canceled"})
    assert headland("session", "cancel", "3", "0").stdout == "Statement 0 of session 3: being stopped.\n"
    assert headland("session", "statements", "3", "8").exit_code == 4


def test_the_log(headland, answer):
    answer("GET", "/3/log", {"id": 3, "from": 0, "total": 2, "log": []})
    answer("GET", "/3/log", {"id": 3, "from": 1, "total": 2, "log": ["ready"]})
    assert headland("session", "log", "3", "--tail", "1").stdout == "ready\n"
