"""Batches on a real YARN, in cluster and in client mode, through a served Headland."""

from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.clusters.environments import tell
from tests.clusters.yarn.conftest import MiniYarn, report
from tests.serving import PATIENCE, Served, eventually

pytestmark = [pytest.mark.spark, pytest.mark.timeout(600)]


def submit(served: Served, probe: Path, *args: str, **more: Any) -> int:
    jar = served.put(probe, "jars/probe.jar")
    answer = served.submit(file=jar, className="headland.tests.Probe", args=list(args), **more)
    assert answer.status_code == 201, answer.text
    return int(answer.json()["id"])


def record(served: Served, batch: int) -> dict[str, Any]:
    return dict(served.public.get(f"/livy/batches/{batch}").json())


@pytest.fixture(scope="module")
def batches(on_yarn: Served, probe: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, int]:
    """Batches in both modes, submitted at once."""
    client = {"spark.submit.deployMode": "client"}
    mark = tmp_path_factory.mktemp("batches") / "never"
    return {
        "good": submit(on_yarn, probe, "tell", "a b", "ü€", name="nightly harvest"),
        "bad": submit(on_yarn, probe, "fail"),
        "good, driver here": submit(on_yarn, probe, "tell", "here", conf=client),
        "bad, driver here": submit(on_yarn, probe, "fail", conf=client),
        "stays, driver here": submit(on_yarn, probe, "hold", str(mark), conf=client),
    }


def test_success_in_cluster_mode(on_yarn: Served, mini_yarn: MiniYarn, batches: dict[str, int]):
    good = batches["good"]
    assert on_yarn.wait(good) == "success", on_yarn.lines(good)
    lines = on_yarn.lines(good)
    assert {"argument 0=<a b>", "argument 1=<ü€>", "sum=5050", "\t final status: SUCCEEDED"} <= set(lines)
    assert lines.count("sum=5050") == 1
    said = report(mini_yarn, record(on_yarn, good)["appId"])
    assert (said["name"], said["finalStatus"]) == ("nightly harvest", "SUCCEEDED")


def test_failure_in_cluster_mode(on_yarn: Served, mini_yarn: MiniYarn, batches: dict[str, int]):
    bad = batches["bad"]
    assert on_yarn.wait(bad) == "dead"
    text = "\n".join(on_yarn.lines(bad))
    assert "the drill is out of seed" in text.split("\t diagnostics: ")[1]
    # YARN would try again, and the application would have run twice.
    app_id = record(on_yarn, bad)["appId"]
    url = f"{mini_yarn.web}/ws/v1/cluster/apps/{app_id}/appattempts"
    attempts = httpx.get(url, timeout=PATIENCE).json()
    assert len(attempts["appAttempts"]["appAttempt"]) == 1


def test_client_mode_has_its_driver_here(on_yarn: Served, mini_yarn: MiniYarn, batches: dict[str, int]):
    good, bad = batches["good, driver here"], batches["bad, driver here"]
    assert on_yarn.wait(good) == "success", on_yarn.lines(good)
    assert {"argument 0=<here>", "sum=5050", "conf spark.master=yarn"} <= set(on_yarn.lines(good))
    assert report(mini_yarn, record(on_yarn, good)["appId"])["finalStatus"] == "SUCCEEDED"
    progress = on_yarn.public.get(f"/livy/batches/{good}/progress").json()
    assert progress["tasks"] == progress["completed"] > 0
    assert on_yarn.wait(bad) == "dead"
    assert "the drill is out of seed" in "\n".join(on_yarn.lines(bad)).split("\t diagnostics: ")[1]


@pytest.mark.long
@pytest.mark.parametrize("mode", ["client", "cluster"])
def test_an_environment_reaches_the_containers(on_yarn: Served, tmp_path: Path, mode: str):
    _, lines = tell(on_yarn, tmp_path, **{"spark.submit.deployMode": mode})
    text = "\n".join(lines)
    assert "driver 6.5 " in text
    (executor,) = [line for line in lines if line.startswith("executor ")]
    assert executor.endswith("/environment/packages/soil.py")


def test_what_is_killed_in_client_mode_leaves_nothing_on_yarn(
    on_yarn: Served, mini_yarn: MiniYarn, batches: dict[str, int]
):
    batch = batches["stays, driver here"]
    app_id = eventually(lambda: record(on_yarn, batch)["appId"], "it has an application on YARN")
    answer = on_yarn.public.post(f"/livy/batches/{batch}/kill", headers={"X-Requested-By": "tests"})
    assert answer.status_code == 200, answer.text
    assert on_yarn.state(batch) == "killed"
    ended = {"FINISHED", "FAILED", "KILLED"}
    eventually(lambda: report(mini_yarn, app_id)["state"] in ended, "the application has ended on YARN")


def test_whatever_is_lost_while_it_runs_it_ends_as_it_should(
    on_yarn: Served, mini_yarn: MiniYarn, probe: Path, tmp_path: Path
):
    mark = tmp_path / "mark"
    kept, killed = submit(on_yarn, probe, "hold", str(mark)), submit(on_yarn, probe, "hold", str(mark) + "-")
    on_yarn.wait(kept, "running")
    on_yarn.wait(killed, "running")
    app_id = record(on_yarn, kept)["appId"]
    assert f"/proxy/{app_id}" in record(on_yarn, kept)["appInfo"]["sparkUiUrl"]

    on_yarn.kill()
    mini_yarn.tell("stop")
    try:
        on_yarn.start()
        eventually(lambda: "manager.lost" in on_yarn.log.read_text(), "the loss is noticed")
        assert on_yarn.state(kept) == "running"
    finally:
        mini_yarn.tell("start")
    eventually(lambda: "manager.answers_again" in on_yarn.log.read_text(), "it is back")
    assert on_yarn.state(kept) == "running"

    answer = on_yarn.public.post(f"/livy/batches/{killed}/kill", headers={"X-Requested-By": "tests"})
    assert answer.status_code == 200, answer.text
    assert on_yarn.wait(killed) == "killed"
    assert report(mini_yarn, record(on_yarn, killed)["appId"])["state"] == "KILLED"

    mark.touch()
    assert on_yarn.wait(kept) == "success", on_yarn.lines(kept)
    assert on_yarn.lines(kept).count("awaited") == 1
    assert record(on_yarn, kept)["appId"] == app_id
