"""SQL cells: one query each, whose result is shown as schema and rows."""

import base64
import decimal
import json
from typing import TYPE_CHECKING, Any

from headland.jobs.sessions.interpreter.magics import CellError, plain
from headland.jobs.sessions.interpreter.outputs import printable

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: Frames of a Java stack trace that are shown.
_FRAMES = 20


class SqlCells:
    """Runs queries in a session."""

    def __init__(self, session: "SparkSession", rows: int) -> None:
        """`rows` is how many of a result are shown."""
        self._session = session
        self._rows = rows

    def run(self, code: str) -> dict[str, Any]:
        """The result of a query.

        Raises:
            CellError: it failed.
        """
        try:
            result = self._session.sql(code)
            found = result.take(self._rows + 1)
            schema = json.loads(result.schema.json())
        except Exception as error:  # noqa: BLE001 - whatever a query raises is its output
            raise CellError("Error", printable(str(error).strip()), _java_frames(error)) from None
        shown: dict[str, Any] = {
            "schema": schema,
            "data": [[_shown(cell) for cell in row] for row in found[: self._rows]],
        }
        if len(found) > self._rows:
            shown["notice"] = f"There are more rows; these are the first {self._rows}."
        return {"application/json": shown}


def _shown(cell: Any) -> Any:
    """A cell as JSON has it; what JSON has nothing for, as text."""
    if hasattr(cell, "asDict"):
        cell = cell.asDict()
    match cell:
        case None | bool() | int() | float():
            return plain(cell)
        case bytes() | bytearray():
            return base64.b64encode(cell).decode()
        case decimal.Decimal():
            return int(cell) if cell == cell.to_integral_value() else float(cell)
        case dict():
            return {printable(str(name)): _shown(value) for name, value in cell.items()}
        case list() | tuple():
            return [_shown(item) for item in cell]
    return printable(str(cell))


def _java_frames(error: Exception) -> list[str]:
    """The first frames of the Java exception behind an error, if one is."""
    cause = getattr(error, "_origin", None) or getattr(error, "java_exception", None)
    if cause is None:
        return []
    return [str(frame) for frame in list(cause.getStackTrace())[:_FRAMES]]
