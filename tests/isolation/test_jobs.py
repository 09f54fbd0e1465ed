"""The same attempts, made by real Spark applications: batches cold and warm, and a notebook's cell."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.isolation import attempts
from tests.isolation.attempts import LANDLOCK, NAMESPACES
from tests.isolation.others import others
from tests.served.notebooks import Notebook
from tests.serving import Served, eventually

from headland.jobs.isolation.isolation import trial

pytestmark = pytest.mark.spark

PROGRAM = Path(attempts.__file__)


@pytest.fixture(scope="module", params=[pytest.param("none", marks=pytest.mark.long), "sandbox"])
def walled(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    if request.param == "sandbox":
        for wall in (NAMESPACES, LANDLOCK):
            if problem := trial(wall):
                pytest.skip(f"this machine gives no {wall}: {problem}")
    served = Served(
        tmp_path_factory.mktemp("isolation") / "home",
        jobs_isolation=request.param,
        jobs_warm_drivers="1",
        jobs_writable_folders="",
    )
    served.start()
    yield served
    served.close()


@pytest.fixture(scope="module")
def targets(walled: Served) -> Iterator[dict[str, Any]]:
    with others(walled.home) as found:
        yield found


def walls_of(served: Served) -> frozenset[str]:
    sandbox = served.environment["HEADLAND_JOBS_ISOLATION"] == "sandbox"
    return frozenset({NAMESPACES, LANDLOCK} if sandbox else ())


def check(served: Served, said: str) -> None:
    outcomes = json.loads(said)
    assert len(outcomes) > 25
    differing = attempts.expected(walls_of(served), outcomes)
    assert not differing, "\n".join(differing)


def run_batch(served: Served, targets: dict[str, Any]) -> int:
    body = {"file": served.put(PROGRAM, "attempts.py"), "args": [json.dumps(targets)]}
    batch = int(served.submit(**body).json()["id"])
    assert served.wait(batch) == "success", served.lines(batch)
    (said,) = [line for line in served.lines(batch) if line.startswith("ATTEMPTS ")]
    check(served, said.removeprefix("ATTEMPTS "))
    return batch


def test_a_batch_that_starts_cold(walled, targets):
    run_batch(walled, targets)


def test_a_batch_in_a_driver_that_stood_ready(walled, targets):
    eventually(lambda: '"driver.warm"' in walled.log.read_text(), "a driver stands ready")
    run_batch(walled, targets)
    launched = [line for line in walled.log.read_text().splitlines() if '"batch.launched"' in line]
    assert json.loads(launched[-1])["warm"] is True


def test_a_cell_of_a_notebook(walled, targets):
    notebook = Notebook(walled).is_idle()
    code = f"{PROGRAM.read_text()}\nprint('ATTEMPTS ' + json.dumps(run(json.loads({json.dumps(targets)!r}))))"
    output = notebook.ended(notebook.begin(code))["output"]
    assert output["status"] == "ok", output
    (said,) = [line for line in output["data"]["text/plain"].splitlines() if line.startswith("ATTEMPTS ")]
    check(walled, said.removeprefix("ATTEMPTS "))
    counted = notebook.ended(notebook.begin("spark.range(7).count()", kind="spark"))["output"]
    assert counted["status"] == "ok", counted
    # By the account's folder, or by the service where that folder is not to be seen.
    walled.put(PROGRAM, "read.py")
    read = notebook.ended(notebook.begin("spark.read.text('wasbs:///read.py').count() > 100"))["output"]
    assert read["data"] == {"text/plain": "True"}, read


def test_the_service_says_which_walls_stand(walled):
    said = walled.public.get("/health/ready").json()["isolation"]
    assert said == (
        "sandbox: namespaces, landlock"
        if walls_of(walled)
        else "none: jobs can read and change all that Headland can"
    )
