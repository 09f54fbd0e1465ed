"""What commands print: JSON for programs; records and tables for people."""

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rich.console import Console

#: Columns between two of a table, and the fewest that one is folded to.
_GAP = 2
_NARROWEST = 12


def print_json(document: Any) -> None:
    """One document, indented, on standard output."""
    click.echo(json.dumps(document, indent=2, ensure_ascii=False))


def print_record(fields: Mapping[str, object]) -> None:
    """Names and values, a line each, never folded: secrets and ids are there to be copied."""
    width = max(map(len, fields))
    for name, value in fields.items():
        click.echo(f"{name:<{width}}  {plain(value)}")


def print_table(columns: Sequence[str], rows: Iterable[Sequence[object]], fold: Sequence[str] = ()) -> None:
    """A table: on a terminal no wider than that, if it can be; into a pipe or a file a line a row, as wide as it is.

    Args:
        fold: columns that are folded where the terminal is too narrow. All others, ids and addresses above all, are
            kept whole even where that takes more than the terminal has.
    """
    from rich.cells import cell_len  # noqa: PLC0415 - here, so that `--json` need not pay for it
    from rich.console import ConsoleDimensions  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415

    stdout = console()
    table = Table(box=None, pad_edge=False, header_style="bold")
    shown = [[plain(value) for value in row] for row in rows]
    width = 0
    for index, column in enumerate(columns):
        widest = max(map(cell_len, [column, *(row[index] for row in shown)]))
        folds = column in fold
        least = min(widest, _NARROWEST) if folds else widest
        table.add_column(column, no_wrap=not folds, overflow="fold", min_width=least)
        width += (least if stdout.is_terminal else widest) + _GAP
    for row in shown:
        table.add_row(*row)
    # Both, since a terminal that is said to be dumb keeps its width without a height.
    stdout.size = ConsoleDimensions(max(stdout.width, width) if stdout.is_terminal else width, stdout.height)
    stdout.print(table)


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
