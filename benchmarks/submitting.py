"""Submitting a batch over HTTP, beside SQLite's own durable commit of an equal row."""

import io
import json
import sqlite3
import time
import zipfile
from contextlib import closing
from pathlib import Path

from benchmarks.harness import Aim, Benchmark, BenchmarkError, Row, Yardstick, interleaved, quantile, row
from benchmarks.loading import Target, ask, latencies
from benchmarks.records import fill
from benchmarks.serving import Served, folder, headland
from headland.database import Database

BATCHES = 10_000
ROUNDS = 7
COUNT = 200

AIM = Aim(most=2.0)
YARDSTICK = "SQLite commit of an equal row (WAL, synchronous=FULL)"

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
    with closing(_equal_database(served.home / "headland.db", within / "bare.db")) as bare:
        samples: list[list[float]] = [[], []]

        def posts() -> float:
            samples[0] += (taken := latencies(post, COUNT))
            return quantile(taken, 0.5)

        def commits() -> float:
            samples[1] += (taken := _commits(bare, COUNT))
            return quantile(taken, 0.5)

        ours, theirs = interleaved(ROUNDS, posts, commits)
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


def _equal_database(headland: Path, file: Path) -> sqlite3.Connection:
    """A database with the same table, indexes, durability and rows."""
    connection = sqlite3.connect(file, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    with closing(sqlite3.connect(headland)) as source:
        for (statement,) in source.execute(
            "SELECT sql FROM sqlite_master WHERE tbl_name = 'batch' AND sql IS NOT NULL ORDER BY type DESC"
        ):
            connection.execute(statement)
        rows = source.execute("SELECT * FROM batch").fetchall()
    connection.execute("BEGIN")
    connection.executemany(_insert(len(rows[0])), rows)
    connection.execute("COMMIT")
    return connection


def _commits(connection: sqlite3.Connection, count: int) -> list[float]:
    """Seconds for each commit of a row like the last one."""
    last = connection.execute("SELECT * FROM batch ORDER BY id DESC LIMIT 1").fetchone()
    statement, taken = _insert(len(last)), []
    for number in range(last[0] + 1, last[0] + 1 + count):
        values = (number, f"{number:032x}", *last[2:])
        began = time.perf_counter()
        connection.execute("BEGIN IMMEDIATE")
        connection.execute(statement, values)
        connection.execute("COMMIT")
        taken.append(time.perf_counter() - began)
    return taken


def _insert(columns: int) -> str:
    return f"INSERT INTO batch VALUES ({', '.join('?' * columns)})"  # noqa: S608 - question marks and no more


BENCHMARKS = (Benchmark("submitting", "submit batches over HTTP", submit_batches),)
