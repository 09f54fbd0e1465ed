"""Read a program's growing output by line number, without reading all of it each time."""

import os
import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

#: A place in the file is remembered each so many lines.
STRIDE = 512
#: Files whose places are remembered.
MOST_FILES = 512
#: A longer line is cut in what is shown, never in the file.
LONGEST_LINE = 65_536
_CHUNK = 1 << 20
#: How much of a file's end is read at a time for its last lines, and at the most.
_TAIL_STEP = 1 << 16
LONGEST_TAIL = 1 << 20


@dataclass(slots=True)
class _Places:
    """Where lines begin in the part of a file that has been looked at."""

    scanned: int = 0
    lines: int = 0
    begins: list[int] = field(default_factory=lambda: [0])


class OutputReader:
    """Lines of output files. A last line without its newline counts only once the file is complete:
    a line's number and text, once told, never change.
    """

    def __init__(self) -> None:
        self._files: OrderedDict[Path, _Places] = OrderedDict()
        self._lock = threading.Lock()

    def count(self, file: Path, *, complete: bool) -> int:
        """How many lines there are; 0 where there is no file."""
        try:
            descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            return 0
        try:
            places = self._look(file, descriptor)
            open_line = complete and os.fstat(descriptor).st_size > places.scanned
            return places.lines + open_line
        finally:
            os.close(descriptor)

    def lines(self, file: Path, start: int, size: int) -> list[str]:
        """Up to `size` lines from number `start` on. The caller has asked `count` how many there are."""
        if size <= 0:
            return []
        try:
            descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            return []
        with os.fdopen(descriptor, "rb", buffering=_CHUNK) as opened:
            places = self._look(file, descriptor)
            stride = min(start // STRIDE, len(places.begins) - 1)
            opened.seek(places.begins[stride])
            for _ in range(start - stride * STRIDE):
                if _line(opened) is None:
                    return []
            found: list[str] = []
            while len(found) < size and (line := _line(opened)) is not None:
                found.append(line)
            return found

    def forget(self, file: Path) -> None:
        """Drop what is remembered of a file that is gone."""
        with self._lock:
            self._files.pop(file, None)

    def _look(self, file: Path, descriptor: int) -> _Places:
        """Take note of what has been written since the last look."""
        with self._lock:
            places = self._files.setdefault(file, _Places())
            self._files.move_to_end(file)
            if len(self._files) > MOST_FILES:
                self._files.popitem(last=False)
            size = os.fstat(descriptor).st_size
            offset = places.scanned
            while offset < size:
                chunk = os.pread(descriptor, min(_CHUNK, size - offset), offset)
                if not chunk:
                    break
                _note(places, chunk, offset)
                offset += len(chunk)
            return places


def tail(file: Path, size: int, *, complete: bool = False) -> list[str]:
    """The last `size` lines; only the end of the file is read. `complete` as in `OutputReader`.

    A line that begins before the last `LONGEST_TAIL` bytes is left out, and what is before it.
    """
    try:
        with file.open("rb") as opened:
            begin, data = _end(opened, size)
    except FileNotFoundError:
        return []
    found = data.split(b"\n")
    last = found.pop()
    if complete and last:
        found.append(last)
    if begin:
        # It began earlier, where we have not looked.
        found = found[1:]
    return [_text(line) for line in found[max(0, len(found) - size) :]]


def _end(opened: BinaryIO, size: int) -> tuple[int, bytes]:
    """The end of a file, with the newline before its last `size` lines in it if that is near enough; and where
    it begins.
    """
    end = begin = opened.seek(0, os.SEEK_END)
    data = b""
    while begin > 0 and end - begin < LONGEST_TAIL and data.count(b"\n") <= size:
        step = min(begin, _TAIL_STEP)
        begin -= step
        opened.seek(begin)
        data = opened.read(step) + data
    return begin, data


def _note(places: _Places, chunk: bytes, offset: int) -> None:
    at = chunk.find(b"\n")
    while at >= 0:
        places.lines += 1
        places.scanned = offset + at + 1
        if places.lines % STRIDE == 0:
            places.begins.append(places.scanned)
        at = chunk.find(b"\n", at + 1)


def _line(opened: BinaryIO) -> str | None:
    """The next line; None at the end. Of one that is longer than what is shown no more than that is kept."""
    part = line = opened.readline(LONGEST_LINE + 1)
    if not line:
        return None
    more = 0
    while not part.endswith(b"\n") and (part := opened.readline(_CHUNK)):
        more += len(part) - part.endswith(b"\n")
    return _text(line, more)


def _text(line: bytes, more: int = 0) -> str:
    """`line` as it is shown; `more` bytes of it are not here."""
    line = line.rstrip(b"\n")
    more += len(line) - LONGEST_LINE
    if more > 0:
        return line[:LONGEST_LINE].decode("utf-8", "replace") + f" [{more} bytes more]"
    return line.decode("utf-8", "replace")
