"""A session from POST to `idle` and to its first result, beside `pyspark` started by hand."""

import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from benchmarks.harness import Aim, Benchmark, BenchmarkError, Row, Yardstick, quantile, row
from benchmarks.serving import Served, folder, headland
from benchmarks.shell import PySparkShell
from benchmarks.spark import MAKING, PATIENCE, await_, driver_ready, full_java
from headland.jobs.clusters.java import Toolchain
from headland.settings import JobsSettings

ROUNDS = 3
STATEMENTS = 200

COLD = Aim(most=0.7)
WARM = Aim(most=0.2)
STATEMENT = Aim(measured_most=20.0)

#: The first statement: a Spark job whose result is known.
FIRST = "spark.range(1000).selectExpr('sum(id) AS s').collect()"
RESULT = "[Row(s=499500)]"

#: Seconds between looks: what a notebook does at its fastest.
LOOK = 0.01


@dataclass(frozen=True, slots=True)
class Times:
    """Seconds from the start, and the median of many times 1+1."""

    ready: float
    result: float
    sum: float


def run_sessions() -> list[Row]:
    """Same Spark, Python, master and driver memory; all else is each one's default. Headland brings its own Java, and
    `pyspark` takes the one on PATH.
    """
    tools = Toolchain.of(JobsSettings(java_home=str(full_java())))
    with folder() as within:

        def by_hand() -> Times:
            return _by_hand(tools, within)

        with headland(within, jobs_startup_cache="true") as served:
            await_(lambda: any((served.home / "cache").glob("startup-*")), "startup cache", MAKING)
            cold = _in_turns(lambda: run_session(served), by_hand)
        with headland(within, jobs_startup_cache="true", jobs_warm_sessions="1") as served:
            warm = _in_turns(lambda: _warm_session(served), by_hand)
    java = f"pyspark, Java {tools.java_version()}"
    rows = []
    for kind, (ours, theirs), aim in (("cold", cold, COLD), ("warm", warm, WARM)):
        prompt, result = (
            Yardstick(f"{java}, to its prompt", theirs.ready),
            Yardstick(f"{java}, to the same result", theirs.result),
        )
        rows += [
            row(f"session, POST to idle, {kind}", "s", ours.ready, prompt, aim),
            row(f"session, POST to its first statement's result, {kind}", "s", ours.result, result, aim),
        ]
    ours, theirs = warm
    shown = Yardstick(f"{java}, enter to prompt", 1000 * theirs.sum)
    return [*rows, row("statement 1+1, POST to result, p50", "ms", 1000 * ours.sum, shown, STATEMENT)]


def _in_turns(*measures: Callable[[], Times]) -> tuple[Times, Times]:
    """As `interleaved`, each time for itself."""
    taken = [[measure() for measure in measures] for _ in range(ROUNDS)]
    ours, theirs = (
        Times(
            statistics.median(times.ready for times in column),
            statistics.median(times.result for times in column),
            statistics.median(times.sum for times in column),
        )
        for column in zip(*taken, strict=True)
    )
    return ours, theirs


def _by_hand(tools: Toolchain, within: Path) -> Times:
    began = time.perf_counter()
    with PySparkShell(tools, sys.executable, within) as shell:
        ready = time.perf_counter() - began
        if RESULT not in (shown := shell.run(FIRST)):
            raise BenchmarkError(f"pyspark shows something else: {shown}")
        result = time.perf_counter() - began
        return Times(ready, result, _p50(lambda: shell.run("1+1")))


def _warm_session(served: Served) -> Times:
    """A session for which a driver stands ready."""
    await_(lambda: driver_ready(served.home / "sessions"), "warm session", PATIENCE)
    return run_session(served)


def run_session(served: Served, **request: Any) -> Times:
    """Of a `pyspark` session with what else is asked for.

    Raises:
        BenchmarkError: it does not come up, or shows something else.
    """
    headers = {"Authorization": f"Bearer {served.token()}"}
    with httpx.Client(
        base_url=f"http://127.0.0.1:{served.private_port}", headers=headers, timeout=60
    ) as client:
        began = time.perf_counter()
        made = client.post("/sessions", json={"kind": "pyspark", **request}).raise_for_status().json()
        path = f"/sessions/{made['id']}"
        try:
            while (state := client.get(f"{path}/state").json()["state"]) != "idle":
                if state != "starting" or time.perf_counter() - began > PATIENCE:
                    raise BenchmarkError(f"the session is {state} after {time.perf_counter() - began:.0f} s")
                time.sleep(LOOK)
            ready = time.perf_counter() - began
            if (shown := _statement(client, path, FIRST)) != RESULT:
                raise BenchmarkError(f"the session shows something else: {shown}")
            result = time.perf_counter() - began
            return Times(ready, result, _p50(lambda: _statement(client, path, "1+1")))
        finally:
            # One that was given up would outlive the service.
            client.delete(path)


def _statement(client: httpx.Client, path: str, code: str) -> str:
    """What a statement shows, as soon as it is there."""
    answer = client.post(f"{path}/statements", json={"code": code}).raise_for_status().json()
    while answer["state"] != "available":
        answer = client.get(f"{path}/statements/{answer['id']}").json()
    return str(answer["output"]["data"]["text/plain"])


def _p50(once: Callable[[], object]) -> float:
    taken = []
    for _ in range(STATEMENTS):
        began = time.perf_counter()
        once()
        taken.append(time.perf_counter() - began)
    return quantile(taken, 0.5)


BENCHMARKS = (Benchmark("sessions", "start a session and run statements in it", run_sessions),)
