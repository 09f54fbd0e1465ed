"""Rows, rounds, and where the results go."""

import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
from rich.console import Console
from rich.table import Table

RESULTS = Path(__file__).with_name("results.json")


class BenchmarkError(Exception):
    """A benchmark could not run. The message says why."""


class SkippedError(Exception):
    """A benchmark can't be run on this machine, which is nobody's fault. The message says why."""


class Yardstick(msgspec.Struct, frozen=True):
    """What was measured beside, in the row's unit."""

    name: str
    measured: float


class Row(msgspec.Struct, frozen=True):
    """A result. `ratio` is measured over the yardstick's; without an aim it is recorded and no more."""

    name: str
    measured: float
    unit: str
    yardstick: Yardstick
    ratio: float
    aim: str | None
    holds: bool | None


@dataclass(frozen=True, slots=True)
class Aim:
    """A bound for the ratio, or for what was measured."""

    least: float | None = None
    most: float | None = None
    measured_most: float | None = None

    def __str__(self) -> str:
        if self.measured_most is not None:
            return f"measured <= {self.measured_most}"
        return f"ratio >= {self.least}" if self.least is not None else f"ratio <= {self.most}"

    def holds(self, ratio: float, measured: float) -> bool:
        if self.measured_most is not None:
            return measured <= self.measured_most
        return (self.least is None or ratio >= self.least) and (self.most is None or ratio <= self.most)


@dataclass(frozen=True, slots=True)
class Benchmark:
    """Something to measure: it returns its rows."""

    name: str
    summary: str
    run: Callable[[], list[Row]]
    #: Whether it takes so long that it is run only where it is named.
    only_named: bool = False


def row(name: str, unit: str, measured: float, beside: Yardstick, aim: Aim | None = None) -> Row:
    """A row. Ratio and aim are taken before the numbers are rounded for the reader."""
    ratio = measured / beside.measured
    return Row(
        name=name,
        measured=_rounded(measured),
        unit=unit,
        yardstick=Yardstick(beside.name, _rounded(beside.measured)),
        ratio=round(ratio, 3),
        aim=str(aim) if aim else None,
        holds=aim.holds(ratio, measured) if aim else None,
    )


def interleaved(rounds: int, *measures: Callable[[], float]) -> list[float]:
    """The median of each measure. They take turns, so that what else the machine does hits them alike."""
    taken = [[measure() for measure in measures] for _ in range(rounds)]
    return [statistics.median(column) for column in zip(*taken, strict=True)]


def quantile(samples: Sequence[float], share: float) -> float:
    """The sample below which `share` of them lie."""
    return sorted(samples)[min(len(samples) - 1, int(share * len(samples)))]


def read() -> list[Row]:
    """The rows of earlier runs."""
    try:
        return msgspec.json.decode(RESULTS.read_bytes(), type=list[Row])
    except (FileNotFoundError, msgspec.DecodeError):
        return []


def write(rows: Sequence[Row]) -> None:
    """Keep `rows`."""
    text = msgspec.json.format(msgspec.json.encode(rows), indent=2)
    RESULTS.write_bytes(text + b"\n")


def show(rows: Iterable[Row]) -> None:
    """Print `rows` as a table."""
    console = Console()
    if not console.is_terminal:
        console = Console(width=140)
    table = Table("Benchmark", box=None, pad_edge=False, header_style="bold")
    for heading in ("Measured", "Yardstick", "Unit", "Ratio", "Aim", "Holds", "What the yardstick is"):
        numbers = heading in {"Measured", "Yardstick", "Ratio"}
        table.add_column(heading, justify="right" if numbers else "left", no_wrap=numbers)
    for item in rows:
        table.add_row(
            item.name,
            f"{item.measured:,}",
            f"{item.yardstick.measured:,}",
            item.unit,
            f"{item.ratio:.2f}",
            item.aim or "-",
            {True: "yes", False: "no", None: "-"}[item.holds],
            item.yardstick.name,
        )
    console.print(table)


def _rounded(value: float) -> float:
    return round(value) if value >= 100 else round(value, 3)
