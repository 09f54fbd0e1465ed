"""Limits of queues, and what is left of ended batches: real processes, and a short program in the place of Java."""

import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.serving import Served, eventually

#: Goes on for as long as the gate is closed.
JAVA = """#!/bin/sh
while [ -e {gate} ]; do sleep 0.1; done
"""


@pytest.fixture
def gate(tmp_path: Path) -> Path:
    return tmp_path / "gate"


@pytest.fixture
def make(make_served: Callable[..., Served], tmp_path: Path, gate: Path) -> Callable[..., Served]:
    """Make a Headland with that program, and start it."""
    java = tmp_path / "java" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(JAVA.format(gate=gate))
    java.chmod(0o755)
    archive = tmp_path / "app.jar"
    with zipfile.ZipFile(archive, "w") as opened:
        opened.writestr("org/example/Main.class", b"")

    def make(**settings: str) -> Served:
        served = make_served(jobs_java_home=str(java.parent.parent), **settings)
        served.start()
        served.put(archive, "app.jar")
        return served

    return make


def submit(served: Served, queue: str | None = None) -> int:
    body = {"file": "wasbs:///app.jar", "className": "org.example.Main"}
    return int(served.submit(**body, **({"queue": queue} if queue else {})).json()["id"])


def test_a_queue_at_its_limit_waits_and_holds_up_nobody(make: Callable[..., Served], gate: Path) -> None:
    gate.touch()
    served = make(jobs_max_running="3", jobs_queues='{"nightly": {"max_running": 1}}')
    nightly = [submit(served, "nightly") for _ in range(3)]
    others = [submit(served) for _ in range(3)]
    running = [nightly[0], *others[:2]]
    for batch in running:
        served.wait(batch, "running")
    waiting = [*nightly[1:], others[2]]
    assert [served.state(batch) for batch in waiting] == ["starting"] * 3
    assert served.public.delete(f"/livy/batches/{nightly[1]}").status_code == 200
    # Neither the end of the service nor of its controller moves anybody up or down.
    served.kill()
    served.start()
    assert [served.state(batch) for batch in (nightly[2], others[2])] == ["starting"] * 2
    assert [served.state(batch) for batch in running] == ["running"] * 3
    gate.unlink()
    for batch in (nightly[0], nightly[2], *others):
        assert served.wait(batch) == "success"


def test_ended_batches_are_kept_by_number(make: Callable[..., Served]) -> None:
    served = make(jobs_keep_ended="2")
    batches = [submit(served) for _ in range(5)]
    for batch in batches:
        assert served.wait(batch) == "success"
    directories = {batch: served.run_directory(batch) for batch in batches}
    # The first sweep follows the start; another comes a minute later.
    served.stop()
    served.start()
    eventually(
        lambda: served.public.get("/livy/batches").json()["total"] == 2, "the three that ended first are gone"
    )
    kept = [batch["id"] for batch in served.public.get("/livy/batches").json()["sessions"]]
    assert len(kept) == 2
    eventually(
        lambda: [batch for batch in batches if directories[batch].exists()] == kept, "their files are gone"
    )
