"""Kill the service at random moments of batches' lives: each runs exactly once, and none is lost.

The seed is printed; `FAULT_SEED` repeats a run, `FAULT_ROUNDS` makes it longer.
"""

import os
import random
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from tests.serving import FINAL, Served, eventually

pytestmark = [pytest.mark.spark, pytest.mark.timeout(1200)]

#: Seconds after a submission within which the blow falls: from its acknowledgement to its application's end.
SPAN = 5.0


def kill_one_process(served: Served, rng: random.Random) -> str:
    """A listener or the controller, as an out-of-memory killer would; the supervisor brings it back."""
    assert served.process is not None
    children = subprocess.run(
        ["pgrep", "-P", str(served.process.pid)], capture_output=True, text=True, check=True
    ).stdout.split()
    os.kill(int(rng.choice(children)), signal.SIGKILL)
    eventually(lambda: ready(served), "the supervisor has brought it back")
    return "one process"


def kill_all(served: Served, _rng: random.Random) -> str:
    served.kill()
    served.start()
    return "all processes"


def ready(served: Served) -> bool:
    try:
        return served.public.get("/health/ready").status_code == 200
    except httpx.TransportError:
        return False


def state_of(served: Served, batch: int) -> str | None:
    try:
        return served.state(batch)
    except httpx.TransportError:
        return None


def test_every_batch_runs_exactly_once_whatever_is_killed(
    make_served: Callable[..., Served], probe: Path, tmp_path: Path
) -> None:
    seed = int(os.environ.get("FAULT_SEED", time.time_ns() % 1_000_000))
    rounds = int(os.environ.get("FAULT_ROUNDS", "4"))
    print(f"seed {seed}, {rounds} rounds")
    rng = random.Random(seed)
    served = make_served(jobs_max_running="3")
    served.start()
    file = served.put(probe, "jars/probe.jar")
    marks: dict[int, Path] = {}
    for number in range(rounds):
        for batch in ("a", "b"):
            mark = tmp_path / f"mark-{number}-{batch}"
            body = {"file": file, "className": "headland.tests.Probe", "args": ["linger", str(mark), "1"]}
            marks[served.submit(**body).json()["id"]] = mark
        time.sleep(rng.uniform(0, SPAN))
        print(f"round {number}: killed {rng.choice([kill_all, kill_one_process])(served, rng)}")
    for batch in marks:
        eventually(lambda batch=batch: state_of(served, batch) in FINAL, f"batch {batch} has ended")
    listed = served.public.get("/livy/batches", params={"size": 1000}).json()
    assert [item["id"] for item in listed["sessions"]] == sorted(marks)
    assert {batch: served.state(batch) for batch in marks} == dict.fromkeys(marks, "success")
    assert {batch: mark.read_text().count("run") for batch, mark in marks.items()} == dict.fromkeys(marks, 1)
    for batch in marks:
        assert served.lines(batch).count("lingered") == 1
