"""What was not taken of an import or export: told as it goes, or kept in a file."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import IO, Any, Self

import click

from headland.cli.errors import one_line

#: What is shown where no file keeps it.
_MOST_SHOWN = 20


class Report:
    """Tells of it."""

    def __init__(self, file: IO[str] | None) -> None:
        self._file = file
        self.count = 0

    @classmethod
    @contextmanager
    def to(cls, file: Path | None) -> Iterator[Self]:
        """Lines of JSON in a file, or the first of them as text on standard error."""
        with nullcontext() if file is None else file.open("w", encoding="utf-8") as opened:
            report = cls(opened)
            yield report
        if opened is None and report.count > _MOST_SHOWN:
            rest = report.count - _MOST_SHOWN
            click.echo(f"headland: {rest} more were refused; --refused FILE keeps them all", err=True)

    def add(self, text: str, entry: Mapping[str, Any]) -> None:
        """One thing: as text, and as what a file has of it."""
        self.count += 1
        if self._file is not None:
            self._file.write(json.dumps(entry, ensure_ascii=False) + "\n")
        elif self.count <= _MOST_SHOWN:
            click.echo(one_line(text), err=True)
