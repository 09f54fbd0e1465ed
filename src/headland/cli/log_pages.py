"""Livy's pages of a log."""

from collections.abc import Iterator
from typing import Any

import click
from msgspec import Struct, field

from headland.cli.documents import view
from headland.cli.pages import Ask

#: Lines asked for at once.
LINES = 1000


class LogPage(Struct):
    """Some lines, the number of the first, and how many there are in all."""

    start: int = field(name="from")
    total: int
    log: list[str]


def log_pages(ask: Ask, start: int, size: int | None) -> Iterator[dict[str, Any]]:
    """What there is now: a log that grows faster than it is read would otherwise never end."""
    end = None if size is None else start + size
    while True:
        document = ask(start, LINES if end is None else min(LINES, end - start))
        page = view(document, LogPage)
        yield document
        start += len(page.log)
        end = page.total if end is None else min(end, page.total)
        if not page.log or start >= end:
            return


def whole_log(ask: Ask, start: int, size: int | None) -> dict[str, Any]:
    """One document as if the log had no pages."""
    documents = list(log_pages(ask, start, size))
    return {**documents[0], "log": [line for document in documents for line in document["log"]]}


def print_line(line: str) -> None:
    """A line as the program wrote it: what colours it has are its own."""
    click.echo(line, color=True)
