"""Submitting a batch over HTTP, beside SQLite's own durable commit of an equal row."""

import io
import json
import time
import zipfile
from contextlib import closing
from pathlib import Path

from benchmarks.commits import COMMITS, commits, equal_database
from benchmarks.harness import Aim, Benchmark, BenchmarkError, Row, Yardstick, interleaved, quantile, row
from benchmarks.loading import Target, ask, latencies
from benchmarks.records import fill
from benchmarks.serving import Served, folder, headland
from headland.database import Database

BATCHES = 10_000
ROUNDS = 7
COUNT = 200

AIM = Aim(most=2.0)
YARDSTICK = COMMITS

#: A Java that only waits, until it is itself removed. The first batch holds the one place, and all the others
#: stay in the queue: it is the acknowledgement that is measured, and not what Spark does to the machine then.
JAVA = '#!/bin/sh\nwhile [ -e "$0" ]; do sleep 1; done\n'


def submit_batches() -> list[Row]:
    """From the request to the acknowledgement, one after the other."""
    with (
        folder() as within,
        headland(within, jobs_java_home=str(idle_java(within)), jobs_max_running="1") as served,
    ):
        return _measure(served, within)


def idle_java(within: Path) -> Path:
    """A Java home whose `java` only waits."""
    java = within / "java" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(JAVA)
    java.chmod(0o755)
    return within / "java"


def _measure(served: Served, within: Path) -> list[Row]:
    headers = {"Authorization": f"Bearer {served.token()}", "Content-Type": "application/json"}
    database = Database.at(served.home / "headland.db")
    fill(database, BATCHES)
    database.close()
    file = served.put(archive(), "jars/app.jar")
    body = json.dumps({"file": file, "className": "org.example.Main", "args": ["2024-06-01"]}).encode()
    post = Target(served.private_port, "POST", "/batches", headers, body, status=201)
    first = json.loads(ask(post))["id"]
    await_running(Target(served.private_port, "GET", f"/batches/{first}/state", headers))
    ask(post)
    with closing(equal_database(served.home / "headland.db", within / "bare.db", "batch")) as bare:
        samples: list[list[float]] = [[], []]

        def posts() -> float:
            samples[0] += (taken := latencies(post, COUNT))
            return quantile(taken, 0.5)

        def bare_commits() -> float:
            samples[1] += (taken := commits(bare, "batch", COUNT, "run_key"))
            return quantile(taken, 0.5)

        ours, theirs = interleaved(ROUNDS, posts, bare_commits)
    slow_ours, slow_theirs = (quantile(taken, 0.99) for taken in samples)
    return [
        row("POST /batches acknowledged, p50", "ms", 1000 * ours, Yardstick(YARDSTICK, 1000 * theirs), AIM),
        row(
            "POST /batches acknowledged, p99",
            "ms",
            1000 * slow_ours,
            Yardstick(YARDSTICK, 1000 * slow_theirs),
        ),
    ]


def archive() -> bytes:
    """An archive by its form: nobody runs it."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("org/example/Main.class", b"")
    return content.getvalue()


def await_running(state: Target) -> None:
    for _ in range(200):
        if json.loads(ask(state))["state"] == "running":
            return
        time.sleep(0.05)
    raise BenchmarkError("the batch that is to hold the queue does not run")


BENCHMARKS = (Benchmark("submitting", "submit batches over HTTP", submit_batches),)
