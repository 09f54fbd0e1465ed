"""sparkmagic's kernels run a notebook, with the service killed and started while a cell runs."""

import json
from collections.abc import Callable
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
        "spark.range(3).createOrReplaceTempView('three')",
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
        'spark.range(3).createOrReplaceTempView("three")',
        """
import java.nio.file._
Files.write(Paths.get("{mark}.runs"), "run\\n".getBytes, StandardOpenOption.CREATE, StandardOpenOption.APPEND)
while (!Files.exists(Paths.get("{mark}"))) Thread.sleep(50)
println("through")
""",
        "1 / 0",
    ),
}


@pytest.mark.parametrize("kernel", CELLS)
def test_a_notebook(make_served: Callable[..., Served], tmp_path: Path, mark: Path, kernel: str) -> None:
    served = make_served(server_private_authentication="none")
    served.start()
    python = installed("sparkmagic", "bin/python")
    value, view, wait, fail = (code.replace("{mark}", str(mark)) for code in CELLS[kernel])
    query, local = (
        "%%sql -o three\nSELECT id, id * 2 AS twice FROM three",
        "%%local\nprint(three['twice'].sum())",
    )
    cells = [CONFIGURE, value, view, query, local, wait, fail, value]
    with Gateway(served.private_url) as gateway:
        asked = json.dumps({"url": gateway.url, "kernel": kernel, "cells": cells})
        path = {"PATH": f"{ENVIRONMENTS / 'sparkmagic' / 'bin'}:/usr/bin:/bin"}
        with Program(
            [python, HERE / "drivers" / "sparkmagic_notebook.py", asked], tmp_path / "client", path
        ) as notebook:
            runs_once(mark)
            served.kill()
            served.start()
            mark.touch()
            shown = notebook.answer()
    _, first, _, table, total, through, failure, again = shown
    assert "2" in first
    assert ["0", "0", "0"] in [line.split() for line in table.splitlines()]
    assert ["2", "2", "4"] in [line.split() for line in table.splitlines()]
    assert total.strip() == "6"
    assert "through" in through
    assert {"pysparkkernel": "division by zero", "sparkkernel": "/ by zero"}[kernel] in failure
    assert "2" in again
    assert Path(f"{mark}.runs").read_text() == "run\n"
