"""`python -m benchmarks [NAME…] [--list]`: measure, print a table, write `results.json`."""

import signal
import sys
import time
import traceback
from types import FrameType

import click

from benchmarks import (
    cascading,
    environments,
    farm,
    harness,
    memory,
    painting,
    reading,
    searching,
    sessions,
    spark,
    starting,
    storage,
    submitting,
    tokens,
    walls,
)
from benchmarks.harness import Benchmark, BenchmarkError, Row, SkippedError

#: Adding a benchmark is adding its module and naming it here.
BENCHMARKS: tuple[Benchmark, ...] = (
    *reading.BENCHMARKS,
    *submitting.BENCHMARKS,
    *starting.BENCHMARKS,
    *memory.BENCHMARKS,
    *tokens.BENCHMARKS,
    *farm.BENCHMARKS,
    *searching.BENCHMARKS,
    *cascading.BENCHMARKS,
    *painting.BENCHMARKS,
    *spark.BENCHMARKS,
    *storage.BENCHMARKS,
    *sessions.BENCHMARKS,
    *walls.BENCHMARKS,
    *environments.BENCHMARKS,
)

#: Seconds that all of them may take.
PATIENCE = 1500


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME]…")
@click.option("--list", "listing", is_flag=True, help="Show the benchmarks there are.")
def main(names: tuple[str, ...], listing: bool) -> None:
    """Run the benchmarks named, or all but those that must be. Ends with 0 unless one could not run."""
    if unknown := set(names) - {benchmark.name for benchmark in BENCHMARKS}:
        raise click.UsageError(f"There is no benchmark {', '.join(sorted(unknown))}; --list shows them.")
    if listing:
        for benchmark in BENCHMARKS:
            click.echo(
                f"{benchmark.name:<20} {benchmark.summary}{' (only where named)' * benchmark.only_named}"
            )
        return
    chosen = [each for each in BENCHMARKS if each.name in names or not (names or each.only_named)]
    kept = harness.read() if names else []
    measured: list[Row] = []
    failed = False
    deadline = time.monotonic() + PATIENCE
    for benchmark in chosen:
        began = time.monotonic()
        click.echo(f"{benchmark.name}: {benchmark.summary}", err=True)
        try:
            rows = _until(deadline, benchmark)
        except SkippedError as reason:
            click.echo(f"  skipped: {reason}", err=True)
            continue
        except Exception as error:  # noqa: BLE001 - the others are still worth measuring
            failed = True
            if not isinstance(error, BenchmarkError):
                traceback.print_exc()
            click.echo(f"  could not run: {error}", err=True)
            continue
        measured += rows
        click.echo(f"  {time.monotonic() - began:.0f} s", err=True)
    harness.write(_merged(kept, measured))
    harness.show(measured)
    sys.exit(1 if failed else 0)


def _until(deadline: float, benchmark: Benchmark) -> list[Row]:
    def give_up(_number: int, _frame: FrameType | None) -> None:
        raise BenchmarkError(f"the {PATIENCE} s for all benchmarks are over")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, max(0.001, deadline - time.monotonic()))
    try:
        return benchmark.run()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _merged(kept: list[Row], measured: list[Row]) -> list[Row]:
    """What was kept, with the new rows in the place of those of the same name."""
    by_name = {item.name: item for item in kept} | {item.name: item for item in measured}
    return list(by_name.values())


if __name__ == "__main__":
    main()
