"""What commands print: JSON for programs; records and tables for people."""

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rich.console import Console


def print_json(document: Any) -> None:
    """One document, indented, on standard output."""
    click.echo(json.dumps(document, indent=2, ensure_ascii=False))


def print_record(fields: Mapping[str, object]) -> None:
    """Names and values, a line each, never folded: secrets and ids are there to be copied."""
    width = max(map(len, fields))
    for name, value in fields.items():
        click.echo(f"{name:<{width}}  {plain(value)}")


def print_table(columns: Sequence[str], rows: Iterable[Sequence[object]], fold: Sequence[str] = ()) -> None:
    """A table no wider than the terminal, or than 80 columns where there is none.

    Args:
        fold: columns that are folded where the table would be too wide; the others are kept whole.
    """
    from rich.table import Table  # noqa: PLC0415 - here, so that `--json` need not pay for it

    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(column, no_wrap=column not in fold, overflow="fold")
    for row in rows:
        table.add_row(*map(plain, row))
    console().print(table)


def console(*, stderr: bool = False) -> "Console":
    """Standard output or error. Colours appear on a terminal alone, and not with NO_COLOR."""
    from rich.console import Console  # noqa: PLC0415

    # No markup: names are other people's, and may have brackets in them.
    return Console(stderr=stderr, highlight=False, markup=False, emoji=False)


def when(moment: str | int) -> str:
    """A moment in UTC to the second: from ISO 8601, or from milliseconds since 1970."""
    try:
        parsed = (
            datetime.fromisoformat(moment)
            if isinstance(moment, str)
            else datetime.fromtimestamp(moment / 1000, UTC)
        )
    except (ValueError, OverflowError):
        return str(moment)
    return f"{parsed.astimezone(UTC):%Y-%m-%d %H:%M:%S}"


def plain(value: object) -> str:
    """A value as text that can't steer the terminal."""
    if value is None or value == "":
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in str(value))
