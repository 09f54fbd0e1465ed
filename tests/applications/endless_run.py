"""A test run that would never end: what tests/served/test_watchdog.py interrupts. pytest does not find it by itself."""

import os
import subprocess
import time
from pathlib import Path

import pytest
from tests.serving import Served, eventually
from tests.watchdog import MARK


@pytest.mark.spark
def test_that_never_ends(served: Served, probe: Path, tmp_path: Path) -> None:
    file = served.put(probe, "jars/probe.jar")
    arguments = ["linger", str(tmp_path / "mark"), "600"]
    batch = served.submit(file=file, className="headland.tests.Probe", args=arguments).json()["id"]
    eventually(lambda: "lingering" in served.lines(batch), "the application is at work")
    # Their parent ends at once, and nothing marks them but where they work.
    for ignored in ("", "trap '' TERM INT; "):
        command = ["/bin/sh", "-c", f"{ignored}sleep 600 & sleep 600 &"]
        subprocess.run(command, check=True, cwd=tmp_path, env={})
    told = Path(os.environ["TELL"])
    told.with_suffix(".new").write_text(os.environ[MARK])
    told.with_suffix(".new").rename(told)
    while True:
        time.sleep(1)
