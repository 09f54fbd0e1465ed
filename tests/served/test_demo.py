"""What `make demo` runs, as it is."""

import subprocess
import sys
from pathlib import Path

import pytest

from headland.jobs.isolation.isolation import trial

ROOT = Path(__file__).parents[2]


@pytest.mark.spark
def test_the_demo_does_the_main_job_and_leaves_nothing() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / "demo.py")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    if trial("namespaces") == "":
        assert "jobs     behind walls: sandbox: namespaces" in done.stdout
    assert "201 Created   Location: /0" in done.stdout
    assert "|North Headland|oilseed rape |15.2|3.6 |54.7  |8.7     |" in done.stdout
    assert done.stdout.count('{"from":0,"total":0,"sessions":[]}') == 2
    assert "All of it worked" in done.stdout
    assert not (ROOT / ".demo").exists()
