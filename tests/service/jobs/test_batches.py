"""A batch's record through its life, and the forms of Livy that the specification leaves open."""

import msgspec
import pytest

from headland.database import Database
from headland.jobs.batches import store
from headland.jobs.batches.submission import Submission, decode
from headland.jobs.batches.wire import AppInfo, Batch
from headland.jobs.wakeup import listen
from headland.settings import JobsSettings, ServerSettings

pytestmark = pytest.mark.anyio

EVERYTHING = {
    "file": "wasbs:///app.jar",
    "className": "demo.App",
    "args": [1, True, 2.5, "x", ""],
    "jars": ["wasbs:///lib/a.jar", "wasbs:///lib/b.jar"],
    "pyFiles": ["wasbs:///lib/c.py"],
    "files": ["wasbs:///lib/d.csv#fields"],
    "archives": ["wasbs:///lib/e.zip#env"],
    "driverMemory": "512m",
    "driverCores": "2",
    "executorMemory": 900,
    "executorCores": 3,
    "numExecutors": "4",
    "queue": "night",
    "name": "harvest",
    "proxyUser": "alice",
    "conf": {"spark.a": 1, "spark.b": True, "spark.c": None},
}


async def test_every_field_is_accepted_and_kept(service):
    for name in ("a.jar", "b.jar", "c.py", "d.csv", "e.zip"):
        service.put(f"lib/{name}")
    made = await service.submit(**EVERYTHING)
    assert (made["name"], made["proxyUser"]) == ("harvest", "alice")
    row = service.row(0)
    assert (row.name, row.proxy_user, row.created_at) == ("harvest", "alice", 1_800_000_000_000)
    assert decode(row.request) == Submission(
        file="wasbs:///app.jar",
        class_name="demo.App",
        args=("1", "true", "2.5", "x", ""),
        jars=("wasbs:///lib/a.jar", "wasbs:///lib/b.jar"),
        py_files=("wasbs:///lib/c.py",),
        files=("wasbs:///lib/d.csv#fields",),
        archives=("wasbs:///lib/e.zip#env",),
        driver_memory="512m",
        driver_cores=2,
        executor_memory="900",
        executor_cores=3,
        num_executors=4,
        queue="night",
        name="harvest",
        proxy_user="alice",
        conf={"spark.a": "1", "spark.b": "true"},
        master="local[*]",
    )


async def test_a_program_needs_no_entry_class(service):
    service.put("app.py", b"print(1)\n")
    answer = await service.post(json={"file": "wasbs:///app.py"})
    assert (answer.status_code, answer.json()["state"]) == (201, "starting")


async def test_fields_that_are_null_are_not_given(service):
    answer = await service.post(
        json={**dict.fromkeys(EVERYTHING), "file": "wasbs:///app.jar", "className": "demo.App"}
    )
    assert answer.status_code == 201
    assert decode(service.row(0).request) == Submission(
        file="wasbs:///app.jar", class_name="demo.App", master="local[*]"
    )


async def test_without_impersonation_the_proxy_user_is_ignored(make_service):
    service = await make_service(jobs=JobsSettings(impersonation=False))
    assert (await service.submit(proxyUser="alice"))["proxyUser"] is None
    assert decode(service.row(0).request).proxy_user is None


async def test_a_batch_is_on_disk_when_its_submission_is_answered(service):
    made = await service.submit(name="harvest")
    other = Database(service.database.url)
    try:
        assert other.read(lambda connection: store.find(connection, made["id"])).name == "harvest"
    finally:
        other.close()


async def test_the_controller_is_called(service):
    with listen(service.home.controller_socket) as calls:
        await service.submit()
        assert calls.recv(100) == b"\n"


async def test_the_owner_is_the_application_that_submitted(make_service):
    service = await make_service(server=ServerSettings(private_authentication="none"))
    assert (await service.submit())["owner"] == "99999999-8888-7777-6666-555555555555"
    nobody = await service.private.post(
        "/batches", json={"file": "wasbs:///app.jar", "className": "demo.App"}
    )
    assert nobody.json()["owner"] is None


async def test_a_running_batch_shows_where_it_is_and_its_last_ten_lines(service):
    await service.submit()
    service.run(0, b"".join(b"line %d\n" % number for number in range(20)) + b"not yet")
    info = AppInfo(driver_log_url="http://node/log", spark_ui_url="http://node:4040")
    service.change(0, app_id="local-1", app_info=msgspec.json.encode(info))
    found = (await service.get("/batches/0")).json()
    assert found == {
        "id": 0,
        "name": None,
        "owner": "99999999-8888-7777-6666-555555555555",
        "proxyUser": None,
        "state": "running",
        "appId": "local-1",
        "appInfo": {
            "driverLogUrl": "http://node/log",
            "sparkUiUrl": "http://node:4040",
            "executorLogUrls": None,
        },
        "log": [f"line {number}" for number in range(10, 20)],
    }
    assert (await service.get("/batches")).json()["sessions"] == [found]


ENDS = [
    ({"exit_code": 0}, "success", "SUCCEEDED", "N/A"),
    ({"exit_code": 1}, "dead", "FAILED", "The application ended with exit code 1 and did not say why."),
    ({"signal": 9}, "killed", "KILLED", "The application was stopped from outside by signal 9 (SIGKILL)."),
    (
        {"signal": 6},
        "dead",
        "FAILED",
        "The application crashed: it got signal 6 (SIGABRT) for a fault of its own.",
    ),
    ({"exit_code": 143, "killed": True}, "killed", "KILLED", "The batch was killed on request."),
    ({"problem": "/x can't be started"}, "dead", "FAILED", "/x can't be started"),
]


@pytest.mark.parametrize(("record", "state", "final_status", "diagnostics"), ENDS)
async def test_the_state_comes_from_what_happened(service, record, state, final_status, diagnostics):
    await service.submit()
    service.end(0, **record)
    found = (await service.get("/batches/0")).json()
    assert found["state"] == state
    assert f"\t final status: {final_status}" in found["log"]
    assert f"\t diagnostics: {diagnostics}" in found["log"]
    assert (await service.get("/batches/0/state")).text == f'{{"id":0,"state":"{state}"}}'
    assert (await service.get("/batches")).json()["sessions"] == [found]


async def test_a_failures_cause_is_in_its_log(service):
    await service.submit()
    service.end(0, b"Error: Failed to load class demo.App.\n", exit_code=101)
    log = (await service.get("/batches/0")).json()["log"]
    cause = "The entry class 'demo.App' is not in the application archive wasbs:///app.jar."
    assert f"\t diagnostics: {cause}" in log


async def test_output_that_is_one_huge_line_disturbs_nobody(service):
    """A line longer than what is read of a file's end left nothing to take the last lines from."""
    await service.submit()
    service.run(0, b"x" * 3_000_000)
    assert (await service.get("/batches/0")).json()["log"] == []
    service.end(0, exit_code=0)
    found = (await service.get("/batches/0")).json()
    assert (found["state"], found["log"][0]) == ("success", "\nstderr: ")
    whole = (await service.get("/batches/0/log?from=1&size=1")).json()
    assert whole["log"] == ["x" * 65_536 + " [2934464 bytes more]"]


def test_the_records_fields_are_livys():
    assert Batch.__struct_encode_fields__ == (
        "id",
        "name",
        "owner",
        "proxyUser",
        "state",
        "appId",
        "appInfo",
        "log",
    )
