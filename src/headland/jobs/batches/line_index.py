"""Lines of one growing file by their number, without reading all of it each time."""

import os
import threading
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

#: How many newlines there are is remembered for each so many bytes.
STEP = 1 << 16
#: Files of which that is remembered.
MOST_FILES = 1024
#: A longer line is cut in what is shown, never in the file.
LONGEST_LINE = 65_536


@dataclass(slots=True)
class _Counted:
    """What is known of the part of a file that has been looked at."""

    size: int = 0
    lines: int = 0
    #: Whether what comes last is a line that has not ended.
    open_line: bool = False
    #: Up to `offsets[i]` bytes, there are `newlines[i]` newlines.
    offsets: list[int] = field(default_factory=lambda: [0])
    newlines: list[int] = field(default_factory=lambda: [0])
    #: Held by who looks: the first look at a long file is no other file's affair.
    lock: threading.Lock = field(default_factory=threading.Lock)


class LineIndex:
    """Lines of files. A last line without its newline counts only where `complete` says that nothing follows:
    a line's number and text, once told, never change. For several threads.
    """

    def __init__(self) -> None:
        self._files: OrderedDict[Path, _Counted] = OrderedDict()
        self._lock = threading.Lock()

    def count(self, file: Path, *, complete: bool) -> int:
        """How many lines there are; 0 where there is no file."""
        try:
            descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            return 0
        try:
            counted = self._look(file, descriptor)
            return counted.lines + (complete and counted.open_line)
        finally:
            os.close(descriptor)

    def lines(self, file: Path, start: int, size: int) -> Iterator[str]:
        """Up to `size` lines from number `start` on. The caller has asked `count` how many there are."""
        if size <= 0:
            return
        try:
            opened = file.open("rb", buffering=STEP)
        except FileNotFoundError:
            return
        with opened:
            self._go_to(file, opened, start)
            for _ in range(size):
                found = read_line(opened)
                if found is None:
                    return
                yield found[0]

    def offset(self, file: Path, line: int) -> int:
        """Where line number `line` begins, in bytes; the file's end for one that is not there."""
        try:
            opened = file.open("rb", buffering=STEP)
        except FileNotFoundError:
            return 0
        with opened:
            self._go_to(file, opened, line)
            return opened.tell()

    def forget(self, folder: Path) -> None:
        """Drop what is remembered of files below a folder that is gone."""
        with self._lock:
            for file in [file for file in self._files if file.is_relative_to(folder)]:
                del self._files[file]

    def _go_to(self, file: Path, opened: BinaryIO, line: int) -> None:
        counted = self._look(file, opened.fileno())
        # The last place before which not all of the newlines are that come before the line.
        at = max(0, bisect_left(counted.newlines, line) - 1)
        opened.seek(counted.offsets[at])
        for _ in range(line - counted.newlines[at]):
            if not _skip_line(opened):
                return

    def _look(self, file: Path, descriptor: int) -> _Counted:
        """Take note of what has been written since the last look."""
        with self._lock:
            counted = self._files.setdefault(file, _Counted())
            self._files.move_to_end(file)
            if len(self._files) > MOST_FILES:
                self._files.popitem(last=False)
        with counted.lock:
            while chunk := os.pread(descriptor, STEP, counted.size):
                counted.size += len(chunk)
                counted.lines += chunk.count(b"\n")
                counted.open_line = not chunk.endswith(b"\n")
                if counted.size - counted.offsets[-1] >= STEP:
                    counted.offsets.append(counted.size)
                    counted.newlines.append(counted.lines)
            return counted


def read_line(opened: BinaryIO) -> tuple[str, bool] | None:
    """The next line, and whether it has ended; None where there is nothing more. Of one that is longer than what
    is shown no more than that is kept.
    """
    part = line = opened.readline(LONGEST_LINE + 1)
    if not line:
        return None
    more = 0
    while not part.endswith(b"\n") and (part := opened.readline(STEP)):
        more += len(part) - part.endswith(b"\n")
    return shown(line, more), part.endswith(b"\n")


def shown(line: bytes, more: int = 0) -> str:
    """`line` as it is shown; `more` bytes of it are not here."""
    line = line.rstrip(b"\n")
    more += len(line) - LONGEST_LINE
    if more > 0:
        return line[:LONGEST_LINE].decode("utf-8", "replace") + f" [{more} bytes more]"
    return line.decode("utf-8", "replace")


def _skip_line(opened: BinaryIO) -> bool:
    while part := opened.readline(STEP):
        if part.endswith(b"\n"):
            return True
    return False
