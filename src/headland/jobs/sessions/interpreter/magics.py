"""Magic lines: `%json name`, `%table name`, `%matplot plt`; and what a cell of any language fails with."""

import base64
import datetime
import decimal
import io
import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

MAGIC = re.compile(r"%\s*(\w*)(.*)", re.DOTALL)

TABLE = "application/vnd.livy.table.v1+json"

_TYPES: tuple[tuple[type, str], ...] = (
    (bool, "BOOLEAN_TYPE"),
    (int, "INT_TYPE"),
    (float, "DOUBLE_TYPE"),
    (str, "STRING_TYPE"),
    (datetime.datetime, "TIMESTAMP_TYPE"),
    (datetime.date, "DATE_TYPE"),
    (decimal.Decimal, "DECIMAL_TYPE"),
    (list, "ARRAY_TYPE"),
    (tuple, "ARRAY_TYPE"),
    (Mapping, "MAP_TYPE"),
)


class CellError(Exception):
    """A cell that failed in a way of its language's: `ename` is what the output's error is called, `lines` are those
    of its traceback.
    """

    def __init__(self, ename: str, message: str, lines: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.ename = ename
        self.lines = list(lines)


def split(code: str) -> list[str]:
    """Code between lines that begin with a percent sign, and those lines; nothing where there is no such line."""
    parts: list[str] = []
    begin, lines = 0, code.splitlines(keepends=True)
    for number, line in enumerate(lines):
        if line.startswith("%"):
            # Empty lines in front, so that a traceback counts as the cell does.
            parts += ["\n" * begin + "".join(lines[begin:number]), line]
            begin = number + 1
    if not parts:
        return []
    parts.append("\n" * begin + "".join(lines[begin:]))
    return [part for part in parts if part.strip()]


def run_magic(
    name: str, rest: str, names: Mapping[str, Any], *, whole_numbers: str = "INT_TYPE"
) -> dict[str, Any]:
    """What a magic line shows. `whole_numbers` is what a table calls their type.

    Raises:
        CellError: there is no such magic, no such variable, or it can't be shown so.
    """
    if not name:
        raise CellError("UnknownMagic", "magic command not specified")
    shows: dict[str, Callable[[Any], dict[str, Any]]] = {
        "json": _json,
        "table": partial(_table, whole_numbers),
        "matplot": _plot,
    }
    show = shows.get(name)
    if show is None:
        raise CellError("UnknownMagic", f"unknown magic command '{name}'")
    if rest not in names:
        raise CellError("NameError", f"name '{rest}' is not defined")
    return show(names[rest])


def plain(value: Any) -> Any:
    """`value` as what JSON has: numbers that are none become null."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value


def _json(value: Any) -> dict[str, Any]:
    value = plain(value)
    try:
        json.dumps(value)
    except (TypeError, ValueError) as error:
        raise CellError(type(error).__name__, f"cannot serialize the value as JSON: {error}") from None
    return {"application/json": value}


def _table(whole_numbers: str, value: Any) -> dict[str, Any]:
    headers: dict[str, str | None] = {}
    by_name = False
    rows: list[dict[str, Any]] = []
    if not isinstance(value, (list, tuple)):
        value = [value]
    for item in value:
        if isinstance(item, Mapping):
            by_name = True
            cells = {str(key): cell for key, cell in item.items()}
        else:
            listed = item if isinstance(item, (list, tuple)) else [item]
            cells = {str(number): cell for number, cell in enumerate(listed)}
        for name, cell in cells.items():
            kind = _kind(cell)
            if headers.setdefault(name, kind) is None:
                headers[name] = kind
            elif kind is not None and headers[name] != kind:
                raise CellError("TypeError", "table rows have different types")
        rows.append(cells)
    types = {None: "NULL_TYPE", "INT_TYPE": whole_numbers}
    names = sorted(headers) if by_name else list(headers)
    named = [{"name": name, "type": types.get(headers[name], headers[name])} for name in names]
    data = [[_cell(row.get(name)) for name in names] for row in rows]
    return {TABLE: {"headers": named, "data": data}}


def _kind(cell: Any) -> str | None:
    if cell is None:
        return None
    for known, name in _TYPES:
        if isinstance(cell, known):
            return name
    raise CellError("TypeError", f"cannot show a {type(cell).__name__} in a table")


def _cell(cell: Any) -> Any:
    if isinstance(cell, (datetime.date, decimal.Decimal)):
        return str(cell)
    return plain(cell)


def _plot(plot: Any) -> dict[str, Any]:
    figure = plot.gcf() if hasattr(plot, "gcf") else plot
    if not hasattr(figure, "savefig"):
        raise CellError("TypeError", "%matplot wants matplotlib's pyplot, or a figure")
    image = io.BytesIO()
    figure.savefig(image, format="png")
    if hasattr(plot, "close"):
        plot.close(figure)
    return {"image/png": base64.b64encode(image.getvalue()).decode(), "text/plain": ""}
