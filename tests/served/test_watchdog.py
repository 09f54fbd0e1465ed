"""A test run leaves no process, however it ends: a real one with xdist, a service and a Spark application."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.serving import APPLICATIONS, eventually
from tests.watchdog import members

pytestmark = [
    pytest.mark.spark,
    pytest.mark.skipif(sys.platform != "linux", reason="processes are found by Linux's /proc"),
]


@pytest.mark.parametrize(
    "how",
    [
        "Ctrl-C",
        pytest.param("SIGTERM", marks=pytest.mark.long),
        pytest.param("SIGKILL", marks=pytest.mark.long),
    ],
)
def test_an_interrupted_run_leaves_nothing(tmp_path: Path, how: str) -> None:
    folder = tmp_path / "run"
    # Where this run was begun in the background, it ignores what a keyboard sends, and so would that one.
    command = [
        "env",
        "--default-signal=INT",
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-n",
        "2",
        "-p",
        "no:cacheprovider",
    ]
    begun = tmp_path / "begun"
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    run = subprocess.Popen(
        [*command, f"--basetemp={folder}", str(APPLICATIONS / "endless_run.py")],
        env=kept | {"TELL": str(begun)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        eventually(lambda: begun.exists() or run.poll() is not None, "its test is at work")
        assert run.poll() is None
        mark = begun.read_text()
        # The run, its two workers, a service of five, a runner, its JVM and that one's two children, four others.
        assert len(members(mark, str(folder))) >= 16
        if how == "Ctrl-C":
            os.killpg(run.pid, signal.SIGINT)
        else:
            run.send_signal(signal.Signals[how])
        eventually(lambda: not members(mark, str(folder)), "nothing is left")
    finally:
        run.kill()
        run.wait()
