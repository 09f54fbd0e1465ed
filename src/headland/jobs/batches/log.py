"""A batch's log: the program's output, and after the end the application report.

Livy's layout: a line `stdout: `, the output (its errors among it, in the order in which they came), a line
`\\nstderr: ` and what the cluster had to say. Livy shows the second heading from the start, so that every
new line moves it; here it comes with the end, and a line keeps its number: all its life in a log that is
shorter than `jobs.log_limit`; in a longer one, the lines after the gap move as the gap grows.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Protocol

import msgspec

from headland.jobs.batches import report as reports
from headland.jobs.batches.output import OutputReader, tail

OUT = "stdout: "
ERR = "\nstderr: "

#: Lines of the log within a batch's record, as Livy has it.
IN_RECORD = 10

#: Characters of a line there: a page of a hundred batches has a thousand such lines.
LONGEST_IN_RECORD = 4096

#: Characters of lines that are encoded at once where a page is streamed: a line may have 65,536, and JSON may take six
#: bytes for each.
_A_PART = 1 << 17

#: No lines, as a JSON list.
NOTHING = b"[]"

_encoder = msgspec.json.Encoder()


class Logged(Protocol):
    """A batch or session."""

    @property
    def finished_at(self) -> int | None: ...
    @property
    def report(self) -> bytes | None: ...


@dataclass(frozen=True, slots=True)
class LogPage:
    """Some lines of a log, the number of the first, and how many there are in all."""

    start: int
    total: int
    #: How many lines of it these are.
    size: int
    #: They are read as they are asked for: a log may be larger than memory.
    lines: Iterator[str]


def page(row: Logged, output: Path, reader: OutputReader, start: int | None, size: int) -> LogPage:
    """Lines `[start, start + size)`. No start, or one below 0, means the last `size`; a size below 0, all."""
    body = reader.lines(output, complete=row.finished_at is not None)
    written = body.count
    head, foot = frame(row, written)
    total = len(head) + written + len(foot)
    if size < 0:
        size = total
    if start is None or start < 0:
        start = max(0, total - size)
    stop = max(start, min(start + size, total))
    body_start, foot_start = len(head), len(head) + written
    lines = chain(
        head[start:stop],
        body.slice(max(0, start - body_start), max(0, stop - body_start)),
        foot[max(0, start - foot_start) : max(0, stop - foot_start)],
    )
    return LogPage(start, total, stop - start, lines)


def streamed(batch_id: int, page: LogPage) -> Iterator[bytes]:
    """A page as the wire's JSON, in parts: however many lines it has and however long they are, few are in memory."""
    head = b'{"id":%d,"from":%d,"total":%d,"log":[' % (batch_id, page.start, page.total)
    for lines in _parts(page.lines):
        yield head + _encoder.encode(lines)[1:-1]
        head = b","
    yield b"]}" if head == b"," else head + b"]}"


def as_text(page: LogPage) -> Iterator[bytes]:
    """A page's lines as text, in parts."""
    for lines in _parts(page.lines):
        yield ("\n".join(lines) + "\n").encode()


def _parts(lines: Iterator[str]) -> Iterator[list[str]]:
    part, size = list[str](), 0
    for line in lines:
        part.append(line)
        size += len(line) + 1
        if size >= _A_PART:
            yield part
            part, size = [], 0
    if part:
        yield part


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


def frame(row: Logged, written: int) -> tuple[list[str], list[str]]:
    """What stands before the output, and what after it; `written` is how many lines of output there are."""
    foot = _foot(row.report) if row.report is not None else []
    return ([OUT] if written or foot else []), foot
