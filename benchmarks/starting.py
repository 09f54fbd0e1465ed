"""From the start of the service to its being ready, beside the start of a bare application."""

import time
from pathlib import Path

from benchmarks.harness import Aim, Benchmark, Row, Yardstick, interleaved, row
from benchmarks.records import fill
from benchmarks.serving import Served, folder, free_port, headland, start, start_bare, stop
from headland.database import Database

BATCHES = 10_000
ROUNDS = 5

AIM = Aim(measured_most=1.0)
YARDSTICK = "bare Starlette on granian, start to first connection"


def start_service() -> list[Row]:
    """With a home that holds 10,000 batches, and everything on disk that an earlier start made."""
    with folder() as within:
        with headland(within) as served:
            database = Database.at(served.home / "headland.db")
            fill(database, BATCHES)
            database.close()
        ours, theirs = interleaved(
            ROUNDS, lambda: _until_ready(served, within), lambda: _until_answering(within)
        )
        name = "serve, start to ready with 10,000 batches"
        return [row(name, "s", ours, Yardstick(YARDSTICK, theirs), AIM)]


def _until_ready(served: Served, within: Path) -> float:
    began = time.perf_counter()
    process, _ = start(served.environment, within / "service.log")
    taken = time.perf_counter() - began
    stop(process)
    return taken


def _until_answering(within: Path) -> float:
    port = free_port()
    began = time.perf_counter()
    process = start_bare(within, port)
    taken = time.perf_counter() - began
    stop(process)
    return taken


BENCHMARKS = (Benchmark("starting", "start the service", start_service),)
