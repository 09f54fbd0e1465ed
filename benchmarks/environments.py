"""Jobs in a named Python environment beside the same without one, and what the environment takes to build and keep."""

import csv
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import httpx
from uv import find_uv_bin

from benchmarks.harness import Aim, Benchmark, BenchmarkError, Row, SkippedError, Yardstick, interleaved, row
from benchmarks.serving import Served, folder, headland
from benchmarks.sessions import run_session
from benchmarks.spark import MAKING, await_, run_batch
from headland.jobs.environments.content import Content

ROUNDS = 3
PATIENCE = 600.0

REQUIREMENTS = ("pandas<3", "pyarrow")
NAME = "soil"
CONF = {"spark.headland.environment": NAME}

#: A batch whose executor starts a Python, too.
PROGRAM = b"""
from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
assert spark.sparkContext.parallelize(range(1000), 2).map(lambda n: 2 * n).sum() == 999_000
"""

AS_WITHOUT = Aim(most=1.1)


def run_environments() -> list[Row]:
    """All jobs start cold, with the startup cache, as those of the other benchmarks do."""
    with folder() as within, headland(within, jobs_startup_cache="true") as served:
        cache = served.home / "cache" / "uv"
        _by_hand(within, cache)  # downloads
        build = _build(served, NAME, REQUIREMENTS)
        build_by_hand = _by_hand(within, cache)
        (content,) = _contents(served)
        size, packages = _size(content), _recorded(content)
        _build(served, "furrow", REQUIREMENTS[::-1])
        both = sum(_size(each) for each in _contents(served))
        archive = Content(content).archive().stat().st_size
        file = served.put(PROGRAM, "programs/doubled.py")
        await_(lambda: any((served.home / "cache").glob("startup-*")), "startup cache", MAKING)
        batch, plain_batch = interleaved(
            ROUNDS,
            lambda: run_batch(served, {"file": file, "conf": CONF}),
            lambda: run_batch(served, {"file": file}),
        )
        session, plain_session = interleaved(
            ROUNDS, lambda: run_session(served, conf=CONF).result, lambda: run_session(served).result
        )
    without, whole = "the same without one", Yardstick("its folder", size / 1e6)
    return [
        row(
            "environment, Python batch, POST to success",
            "s",
            batch,
            Yardstick(without, plain_batch),
            AS_WITHOUT,
        ),
        row(
            "environment, session, POST to its first statement's result",
            "s",
            session,
            Yardstick(without, plain_session),
            AS_WITHOUT,
        ),
        row(
            f"environment, {' and '.join(REQUIREMENTS)}, POST to ready",
            "s",
            build,
            Yardstick("uv by hand: venv and install", build_by_hand),
        ),
        row(
            "environment, on disk",
            "MB",
            size / 1e6,
            Yardstick("its packages, by their own records", packages / 1e6),
        ),
        row("environment, as an archive for other machines", "MB", archive / 1e6, whole),
        row("environment, the same by a second name, on disk", "MB", (both - size) / 1e6, whole),
    ]


def _build(served: Served, name: str, requirements: tuple[str, ...]) -> float:
    """Seconds from the request until it is ready."""
    headers = {"Authorization": f"Bearer {served.token()}"}
    with httpx.Client(
        base_url=f"http://127.0.0.1:{served.private_port}", headers=headers, timeout=60
    ) as client:
        began = time.perf_counter()
        client.post(
            "/environments", json={"name": name, "requirements": "\n".join(requirements)}
        ).raise_for_status()
        made: dict[str, Any] = {"state": "building"}
        while made["state"] == "building":
            if time.perf_counter() - began > PATIENCE:
                raise BenchmarkError(f"the environment is not built after {PATIENCE:.0f} s")
            time.sleep(0.1)
            made = client.get(f"/environments/{name}").json()
        if made["state"] != "ready":
            raise BenchmarkError(f"the environment could not be built: {made['problem']}")
        return time.perf_counter() - began


def _by_hand(within: Path, cache: Path) -> float:
    """Seconds for an environment of one's own, copied and compiled as Headland has it."""
    target = within / "by-hand"
    uv = [find_uv_bin(), "--quiet", "--system-certs", "--cache-dir", str(cache)]
    install = ["pip", "install", "--link-mode", "copy", "--compile-bytecode", "--only-binary", ":all:"]
    began = time.perf_counter()
    try:
        for arguments in (
            ["venv", "--python", sys.executable, str(target)],
            [*install, "--python", str(target / "bin" / "python"), *REQUIREMENTS],
        ):
            done = subprocess.run([*uv, *arguments], capture_output=True, text=True, check=False)
            if done.returncode:
                raise SkippedError(f"the packages can't be had: {done.stderr.strip()[-300:]}")
        return time.perf_counter() - began
    finally:
        shutil.rmtree(target, ignore_errors=True)


def _contents(served: Served) -> list[Path]:
    return [each for each in (served.home / "environments").iterdir() if not each.name.startswith(".")]


def _size(content: Path) -> int:
    """Bytes that a folder takes of the disk."""
    return sum(
        (Path(above) / name).lstat().st_blocks * 512 for above, _, files in os.walk(content) for name in files
    )


def _recorded(content: Path) -> int:
    """Bytes of the packages' files as the packages tell of them: what is compiled of them is not among them."""
    found = 0
    for record in content.glob("lib/python*/site-packages/*.dist-info/RECORD"):
        with record.open(newline="") as lines:
            found += sum(int(size) for *_, size in csv.reader(lines) if size)
    return found


BENCHMARKS = (Benchmark("environments", "jobs with packages of their own", run_environments),)
