"""A real standalone cluster: batches in client and in cluster mode, whatever is killed when."""

import re
import signal
import sqlite3
import time
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.clusters.environments import tell
from tests.clusters.standalone.cluster import StandaloneCluster
from tests.serving import PATIENCE, Served, eventually

from headland.jobs.runner.processes import ProcessIdentity
from headland.jobs.runner.run_directory import RunDirectory

pytestmark = [pytest.mark.spark, pytest.mark.timeout(600)]

PROBE = "headland.tests.Probe"


def submit(served: Served, probe: Path, *args: str, **more: Any) -> int:
    jar = served.put(probe, "jars/probe.jar")
    answer = served.submit(file=jar, className=PROBE, args=list(args), **more)
    assert answer.status_code == 201, answer.text
    return int(answer.json()["id"])


def record(served: Served, batch: int) -> dict[str, Any]:
    return dict(served.public.get(f"/livy/batches/{batch}").json())


def handle(served: Served, batch: int) -> str | None:
    """The driver that a batch is on record with."""
    connection = sqlite3.connect(served.home / "headland.db")
    try:
        (found,) = connection.execute("SELECT handle FROM batch WHERE id = ?", (batch,)).fetchone()
    finally:
        connection.close()
    return found


def driver_of(served: Served, batch: int) -> str:
    return str(eventually(lambda: handle(served, batch), f"batch {batch} has a driver"))


def lingering(served: Served, probe: Path, mark: Path, seconds: int = 600, **more: Any) -> int:
    """A batch whose driver is at work on the cluster."""
    batch = submit(served, probe, "linger", str(mark), str(seconds), **more)
    served.wait(batch, "running", "dead")
    eventually(mark.exists, "the application runs")
    assert served.state(batch) == "running"
    return batch


def text(served: Served, batch: int) -> str:
    return "\n".join(served.lines(batch))


@pytest.fixture(scope="module")
def batches(detached: Served, probe: Path) -> dict[str, int]:
    """Batches in cluster mode that end by themselves, submitted at once."""
    return {
        "tell": submit(detached, probe, "tell", "a b", "ü€", name="nightly harvest"),
        "fail": submit(detached, probe, "fail"),
        "refused": submit(detached, probe, "tell", conf={"spark.driver.cores": "many"}),
    }


class TestClientMode:
    def test_driver_here_executors_there(
        self, attached: Served, cluster: StandaloneCluster, probe: Path, mark: Path
    ) -> None:
        holding = submit(attached, probe, "hold", str(mark), conf={"spark.ui.enabled": "true"})
        batch = submit(attached, probe, "tell", "hello")
        info = eventually(
            lambda: i if (i := record(attached, holding)["appInfo"])["sparkUiUrl"] else None, "a UI"
        )
        own_log = f"{attached.url}/livy/batches/{holding}/log"
        assert info["sparkUiUrl"].startswith("http://127.0.0.1:")
        assert info["driverLogUrl"] == own_log
        ask = {"trust_env": False, "follow_redirects": True, "timeout": PATIENCE}
        # Spark listens before it has its pages.
        eventually(lambda: httpx.get(info["sparkUiUrl"], **ask).status_code == 200, "the UI shows itself")
        mark.touch()
        assert [attached.wait(each) for each in (holding, batch)] == ["success"] * 2, text(attached, batch)
        lines = attached.lines(batch)
        assert {"argument 0=<hello>", "sum=5050", f"conf spark.master={cluster.url}"} <= set(lines)
        assert record(attached, batch)["appId"] in {app["id"] for app in cluster.state()["completedapps"]}
        assert record(attached, holding)["appInfo"] == {**info, "sparkUiUrl": None}

    @pytest.mark.long
    def test_an_environment_reaches_the_executors(self, attached: Served, tmp_path: Path) -> None:
        environment, lines = tell(attached, tmp_path)
        here = f"{attached.home}/environments/{environment['digest']}/"
        (driver,) = [line for line in lines if line.startswith("driver 6.5 ")]
        (executor,) = [line for line in lines if line.startswith("executor ")]
        assert driver.startswith(f"driver 6.5 {here}")
        assert executor.endswith("/environment/packages/soil.py")
        assert here not in executor


class TestClusterMode:
    def test_success(self, detached: Served, cluster: StandaloneCluster, batches: dict[str, int]) -> None:
        batch = batches["tell"]
        assert detached.wait(batch) == "success", text(detached, batch)
        lines = detached.lines(batch)
        found = record(detached, batch)
        told = {"argument 0=<a b>", "argument 1=<ü€>", "sum=5050", "conf spark.submit.deployMode=cluster"}
        assert told <= set(lines)
        assert lines.count("sum=5050") == 1
        assert any("Launch Command" in line for line in lines), "the driver's errors are there, too"
        assert found["appId"] in {app["id"] for app in cluster.state()["completedapps"]}
        assert found["appInfo"]["driverLogUrl"] == f"{detached.url}/livy/batches/{batch}/log"
        foot = lines[lines.index("\nstderr: ") :]
        assert "\t diagnostics: N/A" in foot
        assert "\t final status: SUCCEEDED" in foot
        assert "\t ApplicationMaster host: 127.0.0.1" in foot
        assert (driver_of(detached, batch), "FINISHED") in cluster.drivers()
        assert not (detached.run_directory(batch) / "staged").exists()
        progress = detached.public.get(f"/livy/batches/{batch}/progress").json()
        assert progress["tasks"] == progress["completed"] > 0

    def test_nothing_of_this_nodes_environment_reaches_the_driver(
        self, detached: Served, batches: dict[str, int]
    ) -> None:
        detached.wait(batches["tell"])
        lines = detached.lines(batches["tell"])
        names = next(line for line in lines if line.startswith("environment="))
        assert "HEADLAND" not in names
        assert "SPARK_LOCAL_DIRS" not in names

    def test_failure(self, detached: Served, batches: dict[str, int]) -> None:
        assert detached.wait(batches["fail"]) == "dead"
        assert (
            "\t diagnostics: The application threw java.lang.IllegalStateException: the drill is out of seed"
            in detached.lines(batches["fail"])
        )

    def test_a_submission_that_is_refused(self, detached: Served, batches: dict[str, int]) -> None:
        """What the submitter says is the reason."""
        assert detached.wait(batches["refused"]) == "dead"
        reason = text(detached, batches["refused"]).split("\t diagnostics: ")[1].split("\n")[0]
        assert "driver cores" in reason.lower() or "many" in reason

    def test_kill(self, detached: Served, cluster: StandaloneCluster, probe: Path, mark: Path) -> None:
        batch = lingering(detached, probe, mark)
        found = record(detached, batch)["appInfo"]
        assert "/logPage/?driverId=driver-" in found["driverLogUrl"]
        answer = detached.public.post(f"/livy/batches/{batch}/kill", headers={"X-Requested-By": "tests"})
        assert answer.status_code == 200, answer.text
        assert detached.state(batch) == "killed"
        assert (driver_of(detached, batch), "KILLED") in cluster.drivers()
        assert "lingering" in detached.lines(batch)

    def test_delete(self, detached: Served, cluster: StandaloneCluster, probe: Path, mark: Path) -> None:
        batch = lingering(detached, probe, mark)
        driver, directory = driver_of(detached, batch), detached.run_directory(batch)
        assert detached.public.delete(f"/livy/batches/{batch}").json() == {"msg": "deleted"}
        assert (driver, "KILLED") in cluster.drivers()
        assert not directory.exists()
        assert detached.public.get(f"/livy/batches/{batch}").status_code == 404

    def test_delete_while_it_is_being_submitted(
        self, detached: Served, cluster: StandaloneCluster, probe: Path, mark: Path
    ) -> None:
        before = {driver for driver, _ in cluster.drivers()}
        batch = submit(detached, probe, "linger", str(mark), "600")
        directory = RunDirectory(eventually(lambda: detached.run_directory(batch), "a run directory"))
        eventually(directory.application.exists, "the submitter has been started")
        eventually(lambda: {d for d, _ in cluster.drivers()} - before, "the driver is there")
        assert detached.public.delete(f"/livy/batches/{batch}").json() == {"msg": "deleted"}
        eventually(lambda: not directory.path.exists(), "the batch is forgotten")
        assert {state for driver, state in cluster.drivers() if driver not in before} == {"KILLED"}

    def test_service_killed_while_they_run(
        self, detached: Served, cluster: StandaloneCluster, probe: Path, tmp_path: Path
    ) -> None:
        """More of them than this node has places: on a cluster they take none."""
        marks = [tmp_path / str(number) for number in range(2)]
        batches = [submit(detached, probe, "await", str(mark)) for mark in marks]
        for batch in batches:
            detached.wait(batch, "running")
        detached.kill()
        for mark in marks:
            mark.touch()
        ended = {(driver_of(detached, batch), "FINISHED") for batch in batches}
        eventually(lambda: ended <= set(cluster.drivers()), "the drivers have ended")
        detached.start()
        assert [detached.wait(batch) for batch in batches] == ["success"] * 2
        assert [detached.lines(batch).count("awaited") for batch in batches] == [1] * 2

    def test_submitter_killed(
        self, detached: Served, cluster: StandaloneCluster, probe: Path, mark: Path
    ) -> None:
        """Runner and submitter die before either has said that there is a driver: it is found by its tag."""
        before = {driver for driver, _ in cluster.drivers()}
        batch = submit(detached, probe, "await", str(mark))
        directory = RunDirectory(eventually(lambda: detached.run_directory(batch), "a run directory"))
        submitter = eventually(
            lambda: directory.read(directory.application), "the submitter has been started"
        )
        runner = directory.read(directory.runner)
        # Held up, so that it can't put the submitter's end on record.
        ProcessIdentity.from_record(runner).send(signal.SIGSTOP)
        submitted = eventually(lambda: {d for d, _ in cluster.drivers()} - before, "the driver is there")
        ProcessIdentity.from_record(submitter).send(signal.SIGKILL)
        directory.output.write_bytes(b"")
        assert handle(detached, batch) is None
        ProcessIdentity.from_record(runner).send(signal.SIGKILL)
        detached.wait(batch, "running")
        mark.touch()
        assert detached.wait(batch) == "success", text(detached, batch)
        assert {driver_of(detached, batch)} == submitted == {d for d, _ in cluster.drivers()} - before

    @pytest.mark.long
    def test_master_killed(
        self, detached: Served, cluster: StandaloneCluster, probe: Path, mark: Path
    ) -> None:
        """Last: it leaves the cluster with another master."""
        batch = submit(detached, probe, "hold", str(mark))
        detached.wait(batch, "running")
        cluster.kill_master()
        eventually(lambda: "manager.lost" in detached.log.read_text(), "the loss is noticed")
        asked = time.monotonic()
        assert detached.state(batch) == "running"
        cluster.start_master()
        eventually(lambda: "manager.answers_again" in detached.log.read_text(), "the master is back")
        assert detached.state(batch) == "running", f"after {time.monotonic() - asked:.0f} s"
        eventually(lambda: (driver_of(detached, batch), "RUNNING") in cluster.drivers(), "its driver too")
        mark.touch()
        assert detached.wait(batch) == "success", text(detached, batch)
        told = re.findall(r"manager\.(lost|answers_again)", detached.log.read_text())
        assert told == ["lost", "answers_again"] * (len(told) // 2), "a loss is told of once"
