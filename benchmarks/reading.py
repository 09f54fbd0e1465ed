"""Reading batches over HTTP, beside a bare application that answers with the same bytes."""

from functools import partial

from benchmarks.harness import Aim, Benchmark, BenchmarkError, Row, Yardstick, interleaved, row
from benchmarks.loading import Target, ask, rate
from benchmarks.records import fill
from benchmarks.serving import bare, folder, headland
from headland.database import Database

BATCHES = 10_000
ROUNDS = 5
SECONDS = 1.0

AIM = Aim(least=0.6)
YARDSTICK = "bare Starlette + msgspec, same bytes"


def read_batches() -> list[Row]:
    """A page of 20 and a single batch, from a database that holds 10,000."""
    with folder() as within, headland(within) as served:
        database = Database.at(served.home / "headland.db")
        fill(database, BATCHES)
        database.close()
        token = {"Authorization": f"Bearer {served.token()}"}
        targets = {
            "list": Target(served.private_port, "GET", "/batches?from=0&size=20", token),
            "item": Target(served.private_port, "GET", f"/batches/{BATCHES // 2}", token),
        }
        for name, target in targets.items():
            (within / f"{name}.json").write_bytes(ask(target))
        rows = []
        with bare(within) as port:
            for name, target in targets.items():
                beside = Target(port, "GET", target.path)
                if ask(beside) != ask(target):
                    raise BenchmarkError(f"the bare application answers otherwise for {target.path}")
                ours, theirs = interleaved(
                    ROUNDS, partial(rate, target, SECONDS), partial(rate, beside, SECONDS)
                )
                what = "GET a list of 20 batches" if name == "list" else "GET one batch"
                rows.append(row(what, "requests/s", ours, Yardstick(YARDSTICK, theirs), AIM))
        return rows


BENCHMARKS = (Benchmark("reading", "read batches over HTTP", read_batches),)
