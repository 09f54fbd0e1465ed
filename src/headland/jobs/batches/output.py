"""A program's output as one sequence of lines, whatever the files that the runner has put it into."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from headland.jobs.batches.line_index import LineIndex, shown
from headland.jobs.runner.output import tail_folder

#: How much of a file's end is read at a time for its last lines, and at the most.
_TAIL_STEP = 1 << 16
LONGEST_TAIL = 1 << 18


@dataclass(frozen=True, slots=True)
class Piece:
    """A file of the output, and what is missing before it."""

    file: Path
    #: Whether nothing will be added to it.
    complete: bool
    #: Bytes of the output before it, those that are gone included.
    begin: int = 0
    missing_lines: int = 0
    missing_bytes: int = 0

    @property
    def gap(self) -> str | None:
        """The line that stands where something is missing."""
        if not self.missing_bytes:
            return None
        return (
            f"[{self.missing_lines} lines, {self.missing_bytes} bytes, are left out here: "
            "the log is longer than jobs.log_limit]"
        )


@dataclass(frozen=True, slots=True)
class Lines:
    """The lines that there are at one moment."""

    index: LineIndex
    #: Each piece with its number of lines, without the one for a gap.
    pieces: tuple[tuple[Piece, int], ...]

    @property
    def count(self) -> int:
        return sum(lines + (piece.gap is not None) for piece, lines in self.pieces)

    def slice(self, start: int, stop: int) -> Iterator[str]:
        """Lines `[start, stop)`."""
        before = 0
        for piece, lines in self.pieces:
            if piece.gap is not None:
                if start <= before < stop:
                    yield piece.gap
                before += 1
            first, last = max(start - before, 0), min(stop - before, lines)
            yield from self.index.lines(piece.file, first, last - first)
            before += lines


class OutputReader:
    """Output by line number. For several threads."""

    def __init__(self) -> None:
        self.index = LineIndex()

    def lines(self, output: Path, *, complete: bool) -> Lines:
        """What there is of the output whose head is in the file `output`; `complete` if nothing will follow."""
        found = pieces(output, complete=complete)
        return Lines(
            self.index,
            tuple((piece, self.index.count(piece.file, complete=piece.complete)) for piece in found),
        )

    def forget(self, output: Path) -> None:
        """Drop what is remembered of output that is gone."""
        self.index.forget(output.parent)


def pieces(output: Path, *, complete: bool) -> list[Piece]:
    """The files of the output, in order."""
    folder = tail_folder(str(output))
    try:
        names = os.listdir(folder)  # noqa: PTH208 - most have none, and lists ask for many
    except (FileNotFoundError, NotADirectoryError):
        names = []
    if not names:
        return [Piece(output, complete)]
    segments = sorted(tuple(map(int, name.split("."))) for name in names)
    head = size_of(output)
    found = [Piece(output, complete=True)]
    for number, (before, lines_before) in enumerate(segments):
        missing = (0, 0) if number else (lines_before, before)
        file = Path(folder, f"{before}.{lines_before}")
        found.append(Piece(file, complete or number < len(segments) - 1, head + before, *missing))
    return found


def size_of(file: Path) -> int:
    """Bytes in a file; 0 where there is none."""
    try:
        return os.stat(file).st_size  # noqa: PTH116 - asked many times a second
    except FileNotFoundError:
        return 0


def tail(output: Path, size: int, *, complete: bool = False) -> list[str]:
    """The last `size` lines; only the end of the output is read. `complete` as in `OutputReader`.

    A line that begins before the last `LONGEST_TAIL` bytes of a file is left out, and what is before it.
    """
    found: list[str] = []
    for piece in reversed(pieces(output, complete=complete)):
        lines, whole = _tail_of_file(piece.file, size - len(found), complete=piece.complete)
        found = [*([piece.gap] if whole and piece.gap else ()), *lines, *found]
        if not whole or len(found) >= size:
            break
    return found[max(0, len(found) - size) :]


def _tail_of_file(file: Path, size: int, *, complete: bool) -> tuple[list[str], bool]:
    """The last lines of one file, and whether these are all that it has."""
    try:
        with file.open("rb") as opened:
            begin, data = _end(opened, size)
    except FileNotFoundError:
        return [], True
    found = data.split(b"\n")
    last = found.pop()
    if complete and last:
        found.append(last)
    if begin:
        # It began earlier, where we have not looked.
        found = found[1:]
    return [shown(line) for line in found[max(0, len(found) - size) :]], begin == 0 and len(found) <= size


def _end(opened: BinaryIO, size: int) -> tuple[int, bytes]:
    """The end of a file, with the newline before its last `size` lines in it if that is near enough; and where
    it begins.
    """
    end = begin = opened.seek(0, os.SEEK_END)
    parts, newlines = list[bytes](), 0
    while begin > 0 and end - begin < LONGEST_TAIL and newlines <= size:
        step = min(begin, _TAIL_STEP)
        begin -= step
        opened.seek(begin)
        parts.append(opened.read(step))
        newlines += parts[-1].count(b"\n")
    return begin, b"".join(reversed(parts))
