"""Boundaries found by where they are, beside the bare index with shapely, and beside tipg on PostGIS."""

from contextlib import ExitStack
from functools import partial
from pathlib import Path

import msgspec

from benchmarks.fields import HITS, Window, ring_of, windows
from benchmarks.harness import Aim, Benchmark, BenchmarkError, Row, SkippedError, Yardstick, interleaved, row
from benchmarks.importing import database_of, import_boundaries, with_party
from benchmarks.instances import Instance, provisioned
from benchmarks.loading import Target, ask, rate_by, rate_per_core
from benchmarks.postgis import Tipg, tipg
from benchmarks.serving import Served, bare_index, folder, headland

ROUNDS = 3
SECONDS = 2.0
#: Searches that take turns: more than a store would remember.
WINDOWS = 500


def search_boundaries(count: int) -> list[Row]:
    """Ten of so many; and how these came to be there."""
    with ExitStack() as stack:
        within = stack.enter_context(folder())
        served = stack.enter_context(headland(within, server_services="identity,control,farm"))
        instance = provisioned(served)
        with_party(served, instance)
        rows = import_boundaries(served, instance, count, within)
        return rows + _rows(served, instance, _tipg(stack, served.home / "tls"), count)


def _tipg(stack: ExitStack, tls: Path) -> Tipg | None:
    try:
        return stack.enter_context(tipg(tls))
    except SkippedError:
        return None


def _rows(served: Served, instance: Instance, beside: Tipg | None, size: int) -> list[Row]:
    sought = windows(size, WINDOWS)
    with bare_index(database_of(served), served.home / "tls") as (port, pid):
        target = _target(served, instance, served.port, sought)
        bare = _target(served, instance, port, sought)
        if {_found(target, "value"), _found(bare, "value")} != {HITS}:
            raise BenchmarkError("a search does not find what it should")
        measures = [
            partial(rate_per_core, target, served.pid, SECONDS),
            partial(rate_per_core, bare, pid, SECONDS),
        ]
        if beside is not None:
            beside.fill(size)
            theirs = beside.target(sought)
            if _found(theirs, "features") != HITS:
                raise BenchmarkError("tipg does not find what it should")
            measures.append(partial(rate_by, beside.cpu_seconds, theirs, SECONDS))
        ours, index, *others = interleaved(ROUNDS, *measures)
    name, unit = f"search {size:,} boundaries, {HITS} hits", "searches/s a core"
    rows = [row(name, unit, ours, Yardstick("bare Starlette, R*Tree and shapely", index), Aim(least=0.4))]
    if others:
        rows.append(
            row(f"{name}, and tipg", unit, ours, Yardstick("tipg on PostGIS", others[0]), Aim(least=10))
        )
    return rows


def _found(target: Target, member: str) -> int:
    return len(msgspec.json.decode(ask(target))[member])


def _target(served: Served, instance: Instance, port: int, sought: list[Window]) -> Target:
    first, *others = [_body(window) for window in sought]
    return Target(
        port,
        "POST",
        instance.below("/boundaries"),
        {**instance.headers, "Content-Type": "application/json"},
        first,
        ca=str(served.home / "tls" / "ca.pem"),
        more_bodies=others,
    )


def _body(window: Window) -> bytes:
    geometry = {"type": "Polygon", "coordinates": [ring_of(window)]}
    return msgspec.json.encode({"intersectsWithGeometry": geometry})


BENCHMARKS = (
    Benchmark(
        "boundaries",
        "import 200,000 boundaries, and search them by where they are",
        partial(search_boundaries, 200_000),
    ),
    Benchmark(
        "boundaries-million",
        "import 1,000,000 boundaries, and search them by where they are",
        partial(search_boundaries, 1_000_000),
        only_named=True,
    ),
)
