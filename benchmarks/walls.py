"""What the walls around jobs add to the start of a program."""

import shutil
import subprocess
import time
from functools import partial
from pathlib import Path

from benchmarks.harness import Aim, Benchmark, Row, SkippedError, Yardstick, interleaved, row
from benchmarks.serving import folder
from headland.jobs.clusters.java import Toolchain
from headland.jobs.isolation.isolation import Isolation, behind
from headland.jobs.runner.run_directory import RunDirectory
from headland.settings import Home, JobsSettings

ROUNDS = 40

#: Milliseconds more, of a start that takes seconds.
LITTLE = Aim(measured_most=30.0)


def run_walls() -> list[Row]:
    """A program that does nothing, to its end: behind all walls that a job stands behind, beside the bare program."""
    program = [shutil.which("true") or "/bin/true"]
    with folder() as within:
        jobs, home = JobsSettings(isolation="sandbox"), Home(within / "home")
        isolation = Isolation.of(jobs, home, Toolchain.of(jobs))
        if isolation.problem:
            raise SkippedError(isolation.problem)
        directory = RunDirectory(home.batches / "0")
        for made in (directory.work, directory.temporary, directory.events, directory.staged):
            made.mkdir(parents=True)
        command = behind(isolation.enclose(directory), program)
        enclosed, bare = interleaved(
            ROUNDS, partial(_start, command, directory.work), partial(_start, program, directory.work)
        )
    beside = Yardstick("the bare program's start and end", bare)
    return [row("walls around a job, added to its start", "ms", enclosed - bare, beside, LITTLE)]


def _start(command: list[str], folder: Path) -> float:
    """Milliseconds to its end."""
    began = time.perf_counter()
    subprocess.run(command, cwd=folder, check=True)
    return (time.perf_counter() - began) * 1000


BENCHMARKS = (Benchmark("walls", "what walls around jobs add to a start", run_walls),)
