"""Magic lines: `%json name`, `%table name`, `%matplot plt`."""

import base64
import datetime
import decimal
import io
import json
import math
import re
from collections.abc import Mapping
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


class MagicError(Exception):
    """A magic line that can't be carried out. `ename` is what the output's error is called."""

    def __init__(self, ename: str, message: str) -> None:
        super().__init__(message)
        self.ename = ename


def run_magic(name: str, rest: str, names: Mapping[str, Any]) -> dict[str, Any]:
    """What a magic line shows.

    Raises:
        MagicError: there is no such magic, no such variable, or it can't be shown so.
    """
    if not name:
        raise MagicError("UnknownMagic", "magic command not specified")
    show = {"json": _json, "table": _table, "matplot": _plot}.get(name)
    if show is None:
        raise MagicError("UnknownMagic", f"unknown magic command '{name}'")
    if rest not in names:
        raise MagicError("NameError", f"name '{rest}' is not defined")
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
        raise MagicError(type(error).__name__, f"cannot serialize the value as JSON: {error}") from None
    return {"application/json": value}


def _table(value: Any) -> dict[str, Any]:
    headers: dict[str, str | None] = {}
    rows: list[dict[str, Any]] = []
    if not isinstance(value, (list, tuple)):
        value = [value]
    for item in value:
        if isinstance(item, Mapping):
            cells = {str(key): cell for key, cell in item.items()}
        else:
            listed = item if isinstance(item, (list, tuple)) else [item]
            cells = {str(number): cell for number, cell in enumerate(listed)}
        for name, cell in cells.items():
            kind = _kind(cell)
            if headers.setdefault(name, kind) is None:
                headers[name] = kind
            elif kind is not None and headers[name] != kind:
                raise MagicError("TypeError", "table rows have different types")
        rows.append(cells)
    named = [{"name": name, "type": kind or "NULL_TYPE"} for name, kind in headers.items()]
    data = [[_cell(row.get(name)) for name in headers] for row in rows]
    return {TABLE: {"headers": named, "data": data}}


def _kind(cell: Any) -> str | None:
    if cell is None:
        return None
    for known, name in _TYPES:
        if isinstance(cell, known):
            return name
    raise MagicError("TypeError", f"cannot show a {type(cell).__name__} in a table")


def _cell(cell: Any) -> Any:
    if isinstance(cell, (datetime.date, decimal.Decimal)):
        return str(cell)
    return plain(cell)


def _plot(plot: Any) -> dict[str, Any]:
    figure = plot.gcf() if hasattr(plot, "gcf") else plot
    if not hasattr(figure, "savefig"):
        raise MagicError("TypeError", "%matplot wants matplotlib's pyplot, or a figure")
    image = io.BytesIO()
    figure.savefig(image, format="png")
    if hasattr(plot, "close"):
        plot.close(figure)
    return {"image/png": base64.b64encode(image.getvalue()).decode(), "text/plain": ""}
