"""What the service keeps in memory, beside a bare application, and a runner beside a bare Python."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from benchmarks.harness import Aim, Benchmark, Row, Yardstick, row
from benchmarks.loading import Target, ask
from benchmarks.processes import megabytes, resident_megabytes
from benchmarks.records import fill
from benchmarks.serving import folder, free_port, headland, start_bare, stop
from benchmarks.submitting import archive, await_running, idle_java
from headland.database import Database

BATCHES = 10_000
WAITING = 200
#: Requests of each kind, so that what is remembered between them counts.
REQUESTS = 50

YARDSTICK = "bare Starlette on granian, idle"

RUNNER_AIM = Aim(measured_most=12.0)
RUNNER_YARDSTICK = "Python that has imported nothing"


def weigh_service() -> list[Row]:
    """All processes of `serve`; runners and what they run are sessions of their own, and not among them. Then the
    runner of the batch that runs, without its program.
    """
    with folder() as within:
        bare = start_bare(within, free_port())
        beside = Yardstick(YARDSTICK, megabytes(bare.pid))
        stop(bare)
        weighed = {}
        with headland(within, jobs_java_home=str(idle_java(within)), jobs_max_running="1") as served:
            headers = {"Authorization": f"Bearer {served.token()}", "Content-Type": "application/json"}
            weighed["idle"] = megabytes(served.pid)
            database = Database.at(served.home / "headland.db")
            fill(database, BATCHES)
            database.close()
            for number in range(REQUESTS):
                page = f"/batches?from={100 * number}&size=100"
                ask(Target(served.private_port, "GET", page, headers))
            weighed["10,000 batches, after 50 lists of 100"] = megabytes(served.pid)
            asked = {"file": served.put(archive(), "jars/app.jar"), "className": "org.example.Main"}
            post = Target(
                served.private_port, "POST", "/batches", headers, json.dumps(asked).encode(), status=201
            )
            first = json.loads(ask(post))["id"]
            await_running(Target(served.private_port, "GET", f"/batches/{first}/state", headers))
            for _ in range(WAITING):
                ask(post)
            weighed["200 waiting besides"] = megabytes(served.pid)
            (record,) = (served.home / "batches").glob("*/runner.json")
            runner = resident_megabytes(json.loads(record.read_bytes())["pid"])
            with _idle_python() as idle:
                bare_python = Yardstick(RUNNER_YARDSTICK, resident_megabytes(idle))
        return [
            *(row(f"serve, memory: {when}", "MB", size, beside) for when, size in weighed.items()),
            row("a batch's runner, resident memory", "MB", runner, bare_python, RUNNER_AIM),
        ]


@contextmanager
def _idle_python() -> Iterator[int]:
    """The pid of a Python that waits."""
    program = "import sys; print(flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as python:
        assert python.stdout is not None
        python.stdout.readline()
        yield python.pid


BENCHMARKS = (Benchmark("memory", "weigh the service and a runner", weigh_service),)
