"""Numbers in time, and which of them are drawn together."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Reading:
    """A number that was found at a time."""

    #: What was measured, and in what: readings that have both in common are drawn together.
    title: str
    unit: str
    at: datetime
    value: float
    #: Of what it is, where there are several: a crop, a product. Each is a line of its own.
    line: str = ""
    #: Between what it is usual, as far as somebody has said.
    low: float | None = None
    high: float | None = None
    #: The page of the document that says so.
    page: str = ""


#: Readings that a chart has, the latest ones.
MOST_DRAWN = 500


@dataclass(frozen=True, slots=True)
class Chart:
    """Readings that are drawn together, in the order of time."""

    title: str
    unit: str
    readings: tuple[Reading, ...]
    #: Earlier ones that are not drawn.
    left_out: int

    @property
    def lines(self) -> list[str]:
        """Of what they are, in the order of first appearance."""
        return list(dict.fromkeys(one.line for one in self.readings))

    @property
    def ranged(self) -> bool:
        """Whether anybody has said what is usual."""
        return any(one.low is not None or one.high is not None for one in self.readings)

    @property
    def daily(self) -> bool:
        """Whether days tell its times apart."""
        times = {one.at for one in self.readings}
        return len({at.date() for at in times}) == len(times)

    @property
    def goes_on(self) -> bool:
        """Whether there are two times at least: of one, nothing can be seen that its number does not say."""
        return len({one.at for one in self.readings}) > 1


def charts_of(readings: Iterable[Reading]) -> list[Chart]:
    """A chart for each title and unit, in the order of first appearance."""
    found: dict[tuple[str, str], list[Reading]] = {}
    for one in readings:
        found.setdefault((one.title, one.unit), []).append(one)
    return [_chart(title, unit, some) for (title, unit), some in found.items()]


def _chart(title: str, unit: str, readings: list[Reading]) -> Chart:
    latest = sorted(readings, key=lambda one: one.at)[-MOST_DRAWN:]
    return Chart(title, unit, tuple(latest), len(readings) - len(latest))
