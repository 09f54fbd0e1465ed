"""A statement that is cancelled before its code has begun."""

import socket
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from headland.jobs.sessions.host.journal import STATEMENTS
from headland.jobs.sessions.interpreter.capture import Capture
from headland.jobs.sessions.interpreter.main import Interpreter
from headland.jobs.sessions.interpreter.python_cells import PythonCells

LIMIT = 1000


class Application:
    """Spark, as far as statements without Spark jobs have to do with it."""

    def begin(self, _number: int, _code: str) -> None: ...

    def cancel(self, _number: int) -> bool:
        return False


@pytest.fixture
def interpreter(monkeypatch: pytest.MonkeyPatch) -> Iterator[Interpreter]:
    # Cells have a module of their own in its place.
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])
    ours, theirs = socket.socketpair()
    with ours, theirs:
        application: Any = Application()
        yield Interpreter(theirs, application, PythonCells(), Capture(LIMIT), LIMIT)


def test_it_is_not_run_and_the_next_one_is(interpreter: Interpreter) -> None:
    interpreter._stop(STATEMENTS, 0)
    output = interpreter._cell(0, "pyspark", "ran = True")
    assert (output["status"], output["ename"]) == ("error", "KeyboardInterrupt")
    output = interpreter._cell(1, "pyspark", "assert 'ran' not in globals()")
    assert output["status"] == "ok"
