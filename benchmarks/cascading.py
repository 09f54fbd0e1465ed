"""A cascade while others write: how long they wait for it, beside the same deletion in one transaction."""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from benchmarks.harness import Aim, Benchmark, BenchmarkError, Row, Yardstick, row
from benchmarks.importing import bring_boundaries, database_of, with_party
from benchmarks.instances import PARTY, Instance, provisioned
from benchmarks.serving import Served, folder, headland

BOUNDARIES = 50_000

_PATIENCE = 120.0


def cascade() -> list[Row]:
    """A party with 50,000 boundaries goes."""
    with folder() as within, headland(within, server_services="identity,control,farm") as served:
        instance = provisioned(served)
        with_party(served, instance)
        bring_boundaries(served, instance, 0, BOUNDARIES)
        at_once = _deleted_at_once(database_of(served), within / "bare.db")
        longest = max(_waits(served, instance))
    beside = Yardstick("SQLite's deletion of the same rows in one transaction", at_once)
    name = f"PATCH while {BOUNDARIES:,} boundaries go, the longest"
    return [row(name, "ms", longest, beside, Aim(most=0.2))]


def _deleted_at_once(database: Path, copy: Path) -> float:
    """Milliseconds, in a copy of the store, the R*Tree included."""
    with closing(sqlite3.connect(copy, isolation_level=None)) as connection:
        with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as source:
            source.backup(connection)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        began = time.perf_counter()
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("DELETE FROM boundaries WHERE party = ?", (PARTY,))
        connection.execute("COMMIT")
        return (time.perf_counter() - began) * 1000


def _waits(served: Served, instance: Instance) -> Iterator[float]:
    """Milliseconds of each write to another party, from the cascade's start until its last row is removed."""
    patch = {"content-type": "application/merge-patch+json"}
    database = f"file:{database_of(served)}?mode=ro"
    until = time.monotonic() + _PATIENCE
    with (
        served.client(headers=instance.headers) as client,
        closing(sqlite3.connect(database, uri=True)) as rows,
    ):
        job = instance.below("/parties/cascade-delete/all-of-it", f"partyId={PARTY}")
        client.put(job).raise_for_status()
        while rows.execute("SELECT EXISTS (SELECT 1 FROM boundaries)").fetchone()[0]:
            if time.monotonic() > until:
                raise BenchmarkError("the cascade does not end")
            began = time.perf_counter()
            client.patch(instance.below("/parties/neighbour"), json={}, headers=patch).raise_for_status()
            yield (time.perf_counter() - began) * 1000


BENCHMARKS = (Benchmark("cascades", "write while a cascade goes on", cascade),)
