"""A batch's log: the program's output, and after the end the application report.

Livy's layout: a line `stdout: `, the output (its errors among it, in the order in which they came), a line
`\\nstderr: ` and what the cluster had to say. Livy shows the second heading from the start, so that every
new line moves it; here it comes with the end, and a line keeps its number for ever.
"""

from dataclasses import dataclass
from pathlib import Path

import msgspec

from headland.jobs.batches import report as reports
from headland.jobs.batches.output import OutputReader, tail
from headland.jobs.batches.store import BatchRow

OUT = "stdout: "
ERR = "\nstderr: "

#: Lines of the log within a batch's record, as Livy has it.
IN_RECORD = 10

#: Characters of a line there: a page of a hundred batches has a thousand such lines.
LONGEST_IN_RECORD = 4096

#: No lines, as a JSON list.
NOTHING = b"[]"

_encoder = msgspec.json.Encoder()


@dataclass(frozen=True, slots=True)
class LogPage:
    """Some lines of a log, the number of the first, and how many there are in all."""

    start: int
    total: int
    lines: list[str]


def page(row: BatchRow, output: Path, reader: OutputReader, start: int | None, size: int) -> LogPage:
    """Lines `[start, start + size)`. No start, or one below 0, means the last `size`; a size below 0, all."""
    ended = row.finished_at is not None
    written = reader.count(output, complete=ended)
    head, foot = _frame(row, written)
    total = len(head) + written + len(foot)
    if size < 0:
        size = total
    if start is None or start < 0:
        start = max(0, total - size)
    stop = min(start + size, total)
    lines = head[start:stop]
    body_start = max(0, start - len(head))
    body_size = min(written, stop - len(head)) - body_start
    lines += reader.lines(output, body_start, body_size)
    foot_start = max(0, start - len(head) - written)
    lines += foot[foot_start : max(0, stop - len(head) - written)]
    return LogPage(start, total, lines)


def live_tail(output: Path) -> bytes:
    """The end of the log as a JSON list, of a batch that has been taken on and has not ended."""
    last = tail(output, IN_RECORD)
    return _encoder.encode(_shortened([OUT, *last][-IN_RECORD:])) if last else NOTHING


def ended_tail(report: bytes, output: Path) -> list[str]:
    """The same for a batch that has just ended with `report`."""
    last = tail(output, IN_RECORD, complete=True)
    return _shortened([OUT, *last, *_foot(report)][-IN_RECORD:])


def _shortened(lines: list[str]) -> list[str]:
    return [
        line if len(line) <= LONGEST_IN_RECORD else f"{line[:LONGEST_IN_RECORD]} [shortened]"
        for line in lines
    ]


def _foot(report: bytes) -> list[str]:
    return [ERR, *reports.decode(report).lines()]


def _frame(row: BatchRow, written: int) -> tuple[list[str], list[str]]:
    foot = _foot(row.report) if row.report is not None else []
    return ([OUT] if written or foot else []), foot
