"""sparkmagic's kernels run a notebook, with the service killed and started while a cell runs."""

import json
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.clients.livy.gateway import Gateway
from tests.clients.livy.program import ENVIRONMENTS, HERE, Program, installed, runs_once
from tests.serving import Served

pytestmark = pytest.mark.spark

CONFIGURE = '%%configure -f\n{"driverMemory": "1g", "conf": {"spark.app.name": "field book"}}'

#: By kernel: a value, a view, a cell that waits for a file, and a failure.
CELLS = {
    "pysparkkernel": (
        "print(1 + 1)",
        "plots = spark.range(3)\nplots.createOrReplaceTempView('three')",
        """
import pathlib, time
with open("{mark}.runs", "a") as runs: n = runs.write("run\\n")
while not pathlib.Path("{mark}").exists(): time.sleep(0.05)
print("through")
""",
        "1 / 0",
    ),
    "sparkkernel": (
        "val two = 1 + 1",
        'val plots = spark.range(3).toDF("id")\nplots.createOrReplaceTempView("three")',
        """
import java.nio.file._
Files.write(Paths.get("{mark}.runs"), "run\\n".getBytes, StandardOpenOption.CREATE, StandardOpenOption.APPEND)
while (!Files.exists(Paths.get("{mark}"))) Thread.sleep(50)
println("through")
""",
        "1 / 0",
    ),
}


def test_notebooks(make_served: Callable[..., Served], tmp_path: Path) -> None:
    """One of each kernel, side by side."""
    served = make_served(server_private_authentication="none")
    served.start()
    marks = {kernel: tmp_path / f"mark-{kernel}" for kernel in CELLS}
    with Gateway(served.private_url) as gateway, ExitStack() as running:
        notebooks = {
            kernel: running.enter_context(notebook(gateway, kernel, marks[kernel], tmp_path / kernel))
            for kernel in CELLS
        }
        for mark in marks.values():
            runs_once(mark)
        served.kill()
        served.start()
        for mark in marks.values():
            mark.touch()
        shown = {kernel: program.answer() for kernel, program in notebooks.items()}
    assert_shown(shown["pysparkkernel"], "division by zero")
    assert_shown(shown["sparkkernel"], "/ by zero")
    for mark in marks.values():
        assert Path(f"{mark}.runs").read_text() == "run\n"


def notebook(gateway: Gateway, kernel: str, mark: Path, folder: Path) -> Program:
    """A notebook in that kernel whose cell waits for a file."""
    value, view, wait, fail = (code.replace("{mark}", str(mark)) for code in CELLS[kernel])
    query, local = (
        "%%sql -o three\nSELECT id, id * 2 AS twice FROM three",
        "%%local\nprint(three['twice'].sum())",
    )
    # Nothing is run, and a frame is brought.
    bring, brought = "%%spark -o plots", "%%local\nprint(plots.iloc[:, 0].sum())"
    cells = [CONFIGURE, value, view, query, local, wait, fail, bring, brought, value]
    asked = json.dumps({"url": gateway.url, "kernel": kernel, "cells": cells})
    path = {"PATH": f"{ENVIRONMENTS / 'sparkmagic' / 'bin'}:/usr/bin:/bin"}
    python = installed("sparkmagic", "bin/python")
    return Program([python, HERE / "drivers" / "sparkmagic_notebook.py", asked], folder, path)


def assert_shown(shown: list[str], error: str) -> None:
    _, first, _, table, total, through, failure, bring, brought, again = shown
    assert "2" in first
    assert ["0", "0", "0"] in [line.split() for line in table.splitlines()]
    assert ["2", "2", "4"] in [line.split() for line in table.splitlines()]
    assert total.strip() == "6"
    assert "through" in through
    assert error in failure
    assert "rror" not in bring
    assert brought.strip() == "3", bring
    assert "2" in again
