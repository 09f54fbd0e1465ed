"""Lines of a file, in parts that are sent one after the other: what was sent is known to be in before more is."""

import gzip
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from headland.cli.errors import CliError
from headland.cli.exit_codes import ExitCode
from headland.cli.progress import Advance

#: Of one part, whichever comes first.
MOST_LINES, MOST_BYTES = 10_000, 4 << 20

#: Standard input or output.
STANDARD = Path("-")


@dataclass(frozen=True, slots=True)
class Part:
    """Some lines."""

    #: Number of the first, from 1.
    first: int
    lines: list[bytes]

    def after(self, number: int) -> "Part":
        """Those after the line with a number."""
        return Part(number + 1, self.lines[max(0, number + 1 - self.first) :])


@contextmanager
def opened(source: Path, advance: Advance) -> Iterator[Iterator[bytes]]:
    """Lines of a file, with their ends; of one called `.gz`, what was compressed. `advance` is told of its bytes.

    Raises:
        CliError: it can't be read.
    """
    try:
        with sys.stdin.buffer if source == STANDARD else source.open("rb") as file:
            counted = cast("BinaryIO", _Counted(file, advance))
            yield iter(gzip.GzipFile(fileobj=counted) if source.suffix == ".gz" else counted)
    except (OSError, EOFError) as error:
        reason = getattr(error, "strerror", None) or error
        raise CliError(f"{source} can't be read ({reason})", "check the file", ExitCode.USAGE) from None


def parts(lines: Iterator[bytes], start: int) -> Iterator[Part]:
    """Parts of all lines from number `start` on."""
    waiting: list[bytes] = []
    size = 0
    first = start
    for number, line in enumerate(lines, 1):
        if number < start:
            continue
        waiting.append(line)
        size += len(line)
        if len(waiting) == MOST_LINES or size >= MOST_BYTES:
            yield Part(first, waiting)
            waiting, size, first = [], 0, number + 1
    if waiting:
        yield Part(first, waiting)


class _Counted:
    """A file of which somebody is told how much was read."""

    def __init__(self, file: BinaryIO, advance: Advance) -> None:
        self._file = file
        self._advance = advance

    def __iter__(self) -> Iterator[bytes]:
        for line in self._file:
            self._advance(len(line))
            yield line

    def read(self, size: int = -1) -> bytes:
        data = self._file.read(size)
        self._advance(len(data))
        return data
