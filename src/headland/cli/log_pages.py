"""Livy's pages of a log, and the options of commands that print one."""

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import click
from msgspec import Struct, field

from headland.cli.documents import view
from headland.cli.options import json_option
from headland.cli.output import print_json

#: Lines asked for at once.
LINES = 1000

#: Asks for so many lines from a number on; for the last ones where there is no number.
Ask = Callable[[int | None, int], dict[str, Any]]

F = TypeVar("F", bound=Callable[..., Any])


class LogPage(Struct):
    """Some lines, the number of the first, and how many there are in all."""

    start: int = field(name="from")
    total: int
    log: list[str]


def log_options(function: F) -> F:
    """Options that say what part of a log is wanted, and as what."""
    for option in (
        json_option,
        click.option("--tail", type=click.IntRange(min=0), metavar="N", help="Begin with the last N lines."),
        click.option("--size", type=click.IntRange(min=0), help="How many lines at most; else all."),
        click.option("--from", "start", type=click.IntRange(min=0), help="Number of the first line; else 0."),
    ):
        function = option(function)
    return function


def check_part(start: int | None, size: int | None, tail: int | None) -> None:
    """Refuse options that exclude each other.

    Raises:
        UsageError: they do.
    """
    if tail is not None and (start is not None or size is not None):
        raise click.UsageError("Give --tail or --from and --size, not both.")


def print_log(ask: Ask, start: int | None, size: int | None, tail: int | None, *, as_json: bool) -> None:
    """Print the part of a log that is wanted."""
    if tail is not None:
        start, size = last_lines(ask, tail)
    documents = _pages(ask, start or 0, size)
    if as_json:
        pages = list(documents)
        print_json({**pages[0], "log": [line for page in pages for line in page["log"]]})
        return
    for page in documents:
        for line in page["log"]:
            print_line(line)


def last_lines(ask: Ask, count: int) -> tuple[int, int]:
    """Number of the first of the last `count` lines, and how many there are: of the log as it is now, not later."""
    total = view(ask(None, 0), LogPage).total
    return max(0, total - count), min(count, total)


def print_line(line: str) -> None:
    """A line as the program wrote it: what colours it has are its own."""
    click.echo(line, color=True)


def _pages(ask: Ask, start: int, size: int | None) -> Iterator[dict[str, Any]]:
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
