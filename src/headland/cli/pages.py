"""Livy's pages of batches or sessions."""

from collections.abc import Callable
from typing import Any

import click
from msgspec import Struct, field

from headland.cli.documents import view

#: Items asked for at once.
PAGE = 100

#: Asks for so many items from a number on.
Ask = Callable[[int, int], dict[str, Any]]


class Page(Struct):
    """Some batches or sessions, and how many there are in all."""

    start: int = field(name="from")
    total: int
    sessions: list[dict[str, Any]]


def listed(ask: Ask, start: int | None, size: int, *, newest_last: bool) -> dict[str, Any]:
    """A page; without a `start`, that of the newest."""
    document = ask(start or 0, size)
    if newest_last and start is None and (total := view(document, Page).total) > size:
        document = ask(total - size, size)
    return document


def everything(ask: Ask) -> dict[str, Any]:
    """One document as if the service had no pages. What is deleted meanwhile must not make another appear twice."""
    found: dict[Any, dict[str, Any]] = {}
    start = 0
    while True:
        page = view(ask(start, PAGE), Page)
        found.update((item.get("id"), item) for item in page.sessions)
        start += len(page.sessions)
        if not page.sessions or start >= page.total:
            return {"from": 0, "total": len(found), "sessions": list(found.values())}


def tell_of_others(page: Page) -> None:
    """Say so where there are more than a page shows."""
    if len(page.sessions) < page.total:
        first, last = page.start + 1, page.start + len(page.sessions)
        click.echo(f"{first} to {last} of {page.total}; --from, --size and --all show others.", err=True)
