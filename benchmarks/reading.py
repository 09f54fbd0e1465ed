"""Reading batches over HTTP, beside a bare application that answers with the same bytes."""

from functools import partial

from benchmarks.harness import Aim, Benchmark, BenchmarkError, Row, Yardstick, interleaved, row
from benchmarks.loading import Target, ask, rate_per_core
from benchmarks.records import fill
from benchmarks.serving import bare, folder, headland
from headland.database import Database

BATCHES = 10_000
ROUNDS = 5
SECONDS = 1.0

AIM = Aim(least=0.6)
YARDSTICK = "bare Starlette + msgspec, same bytes"


#: By the file that the bare application answers with: what is asked, where it has that, and the row's name.
ASKED = {
    "list": ("/batches?from=0&size=20", "/batches?from=0&size=20", "GET a list of 20 batches"),
    "hundred": ("/batches?from=0&size=100", "/hundred?from=0&size=100", "GET a list of 100 batches"),
    "item": (f"/batches/{BATCHES // 2}", f"/batches/{BATCHES // 2}", "GET one batch"),
    "state": (f"/batches/{BATCHES // 2}/state", f"/batches/{BATCHES // 2}/state", "GET a batch's state"),
}


def read_batches() -> list[Row]:
    """Pages, a single batch and its state, from a database that holds 10,000."""
    with folder() as within, headland(within) as served:
        database = Database.at(served.home / "headland.db")
        fill(database, BATCHES)
        database.close()
        token = {"Authorization": f"Bearer {served.token()}"}
        targets = {
            name: Target(served.private_port, "GET", path, token) for name, (path, _, _) in ASKED.items()
        }
        for name, target in targets.items():
            (within / f"{name}.json").write_bytes(ask(target))
        rows = []
        with bare(within) as (port, pid):
            for name, target in targets.items():
                _, path, what = ASKED[name]
                # The very same request, token and all: to read it is a part of the work.
                beside = Target(port, "GET", path, token)
                if ask(beside) != ask(target):
                    raise BenchmarkError(f"the bare application answers otherwise for {target.path}")
                ours, theirs = interleaved(
                    ROUNDS,
                    partial(rate_per_core, target, served.pid, SECONDS),
                    partial(rate_per_core, beside, pid, SECONDS),
                )
                rows.append(row(what, "requests/s a core", ours, Yardstick(YARDSTICK, theirs), AIM))
        return rows


BENCHMARKS = (Benchmark("reading", "read batches over HTTP", read_batches),)
