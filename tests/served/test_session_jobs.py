"""Jobs as Livy's Python client library sends them, by a client that speaks its wire form."""

import base64
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark import cloudpickle
from tests.served.notebooks import HEADERS, Notebook
from tests.served.test_session_files import send
from tests.serving import Served, eventually, running

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    served = Served(tmp_path_factory.mktemp("jobs") / "home", jobs_output_limit="100000")
    with running(served):
        yield served


@pytest.fixture(scope="module")
def notebook(served: Served) -> Notebook:
    # As the library does, which names no kind.
    return Notebook(served, kind=None, conf={"spark.app.name": "library"}).is_idle()


def pickled(function: Callable[..., Any]) -> str:
    return base64.b64encode(cloudpickle.dumps(function)).decode()


def submit(notebook: Notebook, function: Callable[..., Any], route: str = "submit-job") -> int:
    answer = notebook.post(f"/{route}", {"job": pickled(function), "jobType": "pyspark"}, 201)
    assert list(answer) == ["id", "state", "result", "error"]
    assert (answer["state"], answer["result"], answer["error"]) == ("SENT", None, None)
    return int(answer["id"])


def ended(notebook: Notebook, number: int) -> dict[str, Any]:
    def look() -> dict[str, Any] | None:
        job = notebook.get(f"/jobs/{number}")
        assert job["state"] != "SENT"
        return job if job["state"] in {"SUCCEEDED", "FAILED", "CANCELLED"} else None

    found: dict[str, Any] = eventually(look, f"job {number} has ended")
    assert list(found) == ["id", "state", "result", "error"]
    return found


def value(job: dict[str, Any]) -> Any:
    assert (job["state"], job["error"]) == ("SUCCEEDED", None)
    return cloudpickle.loads(base64.b64decode(base64.b64decode(job["result"])))


def result(notebook: Notebook, function: Callable[..., Any], route: str = "submit-job") -> Any:
    return value(ended(notebook, submit(notebook, function, route)))


def test_values_and_errors(notebook: Notebook) -> None:
    assert result(notebook, lambda context: context.sc.parallelize([10, 20, 30], 2).count()) == 3
    assert result(notebook, lambda _: {"crop": ("rye", 1.5)}, "run-job") == {"crop": ("rye", 1.5)}
    failed = ended(notebook, submit(notebook, lambda _: "hello" + 1))  # type: ignore[operator]
    assert (failed["state"], failed["result"]) == ("FAILED", None)
    assert failed["error"].startswith("Client job error:Traceback")
    assert "TypeError: " in failed["error"]
    long = ended(notebook, submit(notebook, lambda _: "a" * 200_000))
    assert "jobs.output_limit allows 100000" in long["error"]
    # Jobs are none of the statements, and the other way round.
    assert notebook.get("/statements")["total_statements"] == 0
    assert notebook.text("sc.parallelize([1]).count()", kind="pyspark") == "1"
    assert notebook.get("/statements/0")["id"] == 0


def test_the_context(notebook: Notebook) -> None:
    def look(context: Any) -> list[Any]:
        context.spark_session.range(3).createOrReplaceTempView("three")
        return [
            context.sql_ctx.sql("SELECT count(*) AS n FROM three").first().n,
            context.hive_ctx.sql("SELECT count(*) AS n FROM three").first().n,
            __import__("os").path.isdir(context.local_tmp_dir_path),
        ]

    assert result(notebook, look) == [3, 3, True]

    def stream(context: Any) -> list[str]:
        said = []
        try:
            context.streaming_ctx  # noqa: B018
        except ValueError as error:
            said.append(str(error))
        context.create_streaming_ctx(1)
        try:
            context.create_streaming_ctx(1)
        except ValueError as error:
            said.append(str(error))
        said.append(type(context.streaming_ctx).__name__)
        context.stop_streaming_ctx()
        try:
            context.stop_streaming_ctx()
        except ValueError as error:
            said.append(str(error))
        return said

    assert result(notebook, stream) == [
        "create_streaming_ctx function should be called first",
        "Streaming context already exists",
        "StreamingContext",
        "Cannot stop streaming context. Streaming context is None",
    ]
    assert result(notebook, lambda context: context.sc.parallelize([1]).count()) == 1


def test_files_and_modules(served: Served, notebook: Notebook, tmp_path: Path) -> None:
    notes, module = tmp_path / "notes.txt", tmp_path / "hedge.py"
    notes.write_text("hello from addfile")
    module.write_text("def height(): return 3\n")
    notebook.post("/add-file", {"uri": served.put(notes, "notes.txt")})
    notebook.post("/add-pyfile", {"uri": served.put(module, "hedge.py")})
    send(notebook, "file", "sent.txt", b"hello from uploadfile")
    send(notebook, "pyfile", "ditch.py", b"def depth(): return 2\n")

    def look(context: Any) -> list[Any]:
        from pyspark import SparkFiles

        read = [open(SparkFiles.get(name)).readline() for name in ("notes.txt", "sent.txt")]  # noqa: PTH123, SIM115
        deep = context.sc.parallelize([0]).map(lambda _: __import__("ditch").depth()).first()
        return [*read, __import__("hedge").height(), deep]

    assert result(notebook, look) == ["hello from addfile", "hello from uploadfile", 3, 2]


def test_one_that_runs_and_one_that_waits_are_cancelled(notebook: Notebook) -> None:
    def wait(context: Any) -> int:
        return int(context.sc.parallelize([0], 1).map(lambda _: time.sleep(600)).count())

    running, waiting = submit(notebook, wait), submit(notebook, wait)
    eventually(lambda: notebook.get(f"/jobs/{running}")["state"] == "STARTED", "it runs")
    assert notebook.get(f"/jobs/{waiting}")["state"] == "QUEUED"
    for number in (waiting, running, running, 1000):
        assert notebook.post(f"/jobs/{number}/cancel") is None
    for number in (running, waiting):
        assert ended(notebook, number)["state"] == "CANCELLED"
    assert result(notebook, lambda _: 1) == 1


def test_what_is_no_job(notebook: Notebook) -> None:
    def refused(body: object, status: int) -> str:
        return str(notebook.post("/submit-job", body, status)["msg"])

    assert refused({"job": "", "jobType": "pyspark"}, 400) == "requirement failed: no job provided."
    assert refused({"job": None, "jobType": "pyspark"}, 400) == "requirement failed: no job provided."
    assert refused({"job": "%%%", "jobType": "pyspark"}, 400) == "requirement failed: job is not base64."
    assert refused({"job": 1, "jobType": "pyspark"}, 400).startswith("job: ")
    for java in ({"job": "AAAA", "jobType": "spark"}, {"job": "AAAA"}):
        assert "POST /sessions/{id}/statements" in refused(java, 501)
    failed = notebook.post("/submit-job", {"job": "AAAA", "jobType": "pyspark"}, 201)
    assert "UnpicklingError" in ended(notebook, failed["id"])["error"]
    assert notebook.client.get(f"{notebook.path}/jobs/1000").status_code == 404


def test_a_job_goes_on_when_the_service_is_killed(served: Served, notebook: Notebook, tmp_path: Path) -> None:
    mark, runs = tmp_path / "mark", tmp_path / "runs"

    def wait(_: Any) -> str:
        with runs.open("a") as written:
            written.write("run\n")
        while not mark.exists():
            time.sleep(0.05)
        return "through"

    number = submit(notebook, wait)
    following = submit(notebook, lambda _: 4)
    eventually(runs.exists, "it runs")
    served.kill()
    mark.touch()
    served.start()
    assert value(ended(notebook, number)) == "through"
    assert value(ended(notebook, following)) == 4
    assert runs.read_text() == "run\n"


def test_a_job_of_a_session_that_ends_has_failed_and_others_can_be_read(notebook: Notebook) -> None:
    done, number = submit(notebook, lambda _: 5), submit(notebook, lambda _: time.sleep(600))
    waiting = submit(notebook, lambda _: 6)
    eventually(lambda: notebook.get(f"/jobs/{number}")["state"] == "STARTED", "it runs")
    notebook.post("/stop", status=204)
    assert value(notebook.get(f"/jobs/{done}")) == 5
    assert notebook.get(f"/jobs/{number}")["state"] in {"FAILED", "CANCELLED"}
    assert notebook.get(f"/jobs/{waiting}")["state"] == "CANCELLED"
    answer = notebook.client.post(
        f"{notebook.path}/submit-job", json={"job": "AAAA", "jobType": "pyspark"}, headers=HEADERS
    )
    assert answer.status_code == 500
