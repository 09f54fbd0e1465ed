"""What comes of a cell, in Livy's form (`livy.md` section 4.3)."""

import json
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Output = dict[str, Any]

#: Where the interpreter's own code is.
_OWN = str(Path(__file__).parent)


def succeeded(number: int, data: dict[str, Any]) -> Output:
    """`data` is a value a media type."""
    return {"status": "ok", "execution_count": number, "data": data}


def failed(number: int, name: str, message: str, lines: list[str]) -> Output:
    """`lines` are those of the traceback."""
    return {
        "status": "error",
        "execution_count": number,
        "ename": printable(name),
        "evalue": printable(message),
        "traceback": [printable(line) for line in lines],
    }


def failed_by(number: int, error: BaseException) -> Output:
    """The output of a cell that raised. Of its traceback, the interpreter's own frames are nobody's business."""
    return failed(number, type(error).__name__, _said(error), [*_lines(error)])


def told(error: BaseException) -> str:
    """The traceback of what a job raised, likewise."""
    return printable("".join(_lines(error)))


def _lines(error: BaseException) -> Iterator[str]:
    found = traceback.TracebackException.from_exception(error)
    found.stack = traceback.StackSummary.from_list(
        [frame for frame in found.stack if not frame.filename.startswith(_OWN)]
    )
    return found.format()


def limited(output: Output, limit: int) -> Output:
    """The output itself, or an error in its place where it is longer than `limit` bytes and can't be cut."""
    size = len(json.dumps(output))
    if size <= limit + (limit >> 3):
        return output
    reason = (
        f"The output is {size} bytes long; {limit} are allowed. Print less of it, or write it to storage."
    )
    return failed(output["execution_count"], "OutputTooLarge", reason, [])


def _cause_first(text: str) -> str:
    """What py4j says of a Java exception, without its stack, which the traceback has: what it comes from, then where
    it was thrown.
    """
    lines = text.splitlines()
    thrown = [line.removeprefix(": ") for line in lines[1:2] if line.startswith(": ")]
    causes = [line.removeprefix("Caused by: ") for line in lines if line.startswith("Caused by: ")]
    return "\n".join([*causes[-1:], *(each for each in thrown if each not in causes[-1:]), *lines[:1]])


def printable(text: str) -> str:
    """Text without halves of surrogate pairs, which are no characters."""
    return text.encode("utf-8", "backslashreplace").decode()


def _said(error: BaseException) -> str:
    try:
        return _cause_first(str(error)) if type(error).__name__ == "Py4JJavaError" else str(error)
    except Exception as broken:  # noqa: BLE001 - a user's exception may do anything when it is asked what it says
        return f"<it can't be shown: {type(broken).__name__}>"
