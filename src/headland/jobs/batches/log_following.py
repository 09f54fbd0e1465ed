"""Follow a batch's log over server-sent events (WHATWG HTML, section 9.2): an addition to Livy's protocol.

Each line of the log is one event. Its id is the place behind it: how many bytes of the output come before that
place, and behind the output's end how many lines of the report. Who comes back with the last id that it saw gets
what comes after, once: no line is lost or repeated when the service is restarted in between.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path

from headland.http.stopping import is_stopping
from headland.jobs.batches import log
from headland.jobs.batches.errors import BadNumberError, TooManyFollowersError
from headland.jobs.batches.line_index import STEP, read_line
from headland.jobs.batches.output import OutputReader, Piece, pieces, size_of
from headland.jobs.batches.store import BatchRow

#: Seconds between looks at whether there is more output.
LOOK = 0.15

#: Looks at the output for each at the row, which alone can tell the end, and costs more to ask.
LOOKS_A_ROW = 3

#: Seconds of silence after which a comment shows that the connection lives.
SILENCE = 15.0

#: Bytes of events that are made before others get a turn, and the last of them whole.
_AT_ONCE = 1 << 17


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a log: behind the heading, `output` bytes and `foot` lines of what follows the output."""

    output: int = 0
    foot: int = 0
    #: Whether not even the heading has been told.
    fresh: bool = False

    @classmethod
    def parse(cls, text: str) -> "Place":
        """The place that an event's id names.

        Raises:
            BadNumberError: it is no such id.
        """
        output, _, foot = text.partition("+")
        if not all(part.isascii() and part.isdigit() and len(part) < 19 for part in (output, foot or "0")):
            raise BadNumberError(text[:80])
        return cls(int(output), int(foot or 0))

    def __str__(self) -> str:
        return f"{self.output}+{self.foot}" if self.foot else str(self.output)


@dataclass(slots=True)
class Follower:
    """One client that follows one log."""

    #: The batch as it is now; None when it has been deleted.
    look: Callable[[], BatchRow | None]
    #: Where its output is: a batch that is claimed may move into another run directory.
    output_of: Callable[[BatchRow], Path]
    place: Place
    #: Whether this process has been told to stop. Who is left without an end comes back, and gets the rest.
    stopping: Callable[[], bool] = is_stopping
    #: How far a line goes that has not ended: it may be long, and is not read again before there is more of it.
    open_end: int = -1

    async def events(self) -> AsyncIterator[bytes]:
        """The events, until the batch has ended or is gone, or the service stops."""
        told = time.monotonic()
        while True:
            # The row goes first: output that is read after the end is all of it.
            row = self.look()
            if row is None:
                yield _event("end", "deleted")
                return
            output, ended = self.output_of(row), row.finished_at is not None
            for _ in range(LOOKS_A_ROW):
                while chunk := await asyncio.to_thread(self._more, output, complete=ended):
                    told = time.monotonic()
                    yield chunk
                    if self.stopping():
                        return
                if ended:
                    yield self._foot(row)
                    return
                if self.stopping():
                    return
                await asyncio.sleep(LOOK)
            if time.monotonic() - told > SILENCE:
                told = time.monotonic()
                yield b": still here\n\n"

    def _more(self, output: Path, *, complete: bool) -> bytes:
        """Events for some of the lines behind `place`, which moves on."""
        events = bytearray()
        for piece in pieces(output, complete=complete):
            if len(events) >= _AT_ONCE:
                break
            if piece.gap is not None and self.place.output < piece.begin:
                self.place = Place(piece.begin)
                events += _line(piece.gap, self.place)
            end = piece.begin + size_of(piece.file)
            if self.place.output < end and (piece.complete or end != self.open_end):
                self._read(piece, events)
        return bytes(events)

    def _read(self, piece: Piece, events: bytearray) -> None:
        try:
            opened = piece.file.open("rb", buffering=STEP)
        except FileNotFoundError:  # dropped between the two looks: the next finds the gap
            return
        with opened:
            opened.seek(self.place.output - piece.begin)
            while len(events) < _AT_ONCE and (found := read_line(opened)):
                line, line_ended = found
                if not line_ended and not piece.complete:
                    self.open_end = piece.begin + opened.tell()
                    return
                if self.place.fresh:
                    events += _line(log.OUT, Place())
                self.place = Place(piece.begin + opened.tell())
                events += _line(line, self.place)

    def _foot(self, row: BatchRow) -> bytes:
        head, foot = log.frame(row, written=self.place.output)
        events = [_line(line, Place()) for line in head] if self.place.fresh else []
        output = self.place.output
        for number, line in enumerate(foot, 1):
            if number > self.place.foot:
                events.append(_line(line, Place(output, number)))
        return b"".join(events) + _event("end", row.state)


class Followers:
    """Counts those that follow, of whom there may be `most`."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._now = 0

    async def follow(self, follower: Follower) -> AsyncIterator[bytes]:
        """The follower's events."""
        self._now += 1
        try:
            async for events in follower.events():
                yield events
        finally:
            self._now -= 1

    def check(self) -> None:
        """Whether there is room for one more.

        Raises:
            TooManyFollowersError: there is none.
        """
        if self._now >= self._most:
            raise TooManyFollowersError(f"{self._now} logs are followed already; ask for pages of the log.")


def begin_at(output: Path, reader: OutputReader, start: int, *, complete: bool) -> Place:
    """The place before line number `start` of the log; its end where it has fewer lines."""
    if start <= 0:
        return Place(fresh=True)
    line, end = start - 1, 0
    for piece, lines in reader.lines(output, complete=complete).pieces:
        if piece.gap is not None:
            if line == 0:
                return Place(end)
            line -= 1
        if line < lines:
            return Place(piece.begin + reader.index.offset(piece.file, line))
        line -= lines
        end = piece.begin + reader.index.offset(piece.file, lines)
    return Place(end, line if complete else 0)


def _line(text: str, place: Place) -> bytes:
    # A carriage return would end a line of the event, too: what a terminal overwrites becomes a line here.
    data = "".join(f"data: {part}\n" for part in text.replace("\r\n", "\n").replace("\r", "\n").split("\n"))
    return f"id: {place}\n{data}\n".encode()


def _event(name: str, data: str) -> bytes:
    return f"event: {name}\ndata: {data}\n\n".encode()
