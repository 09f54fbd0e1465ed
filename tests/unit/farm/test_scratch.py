"""The folder of an attempt, and what is left of those that were killed."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from headland.farm.rasters.scratch import scratch

#: An attempt that is killed in the middle.
KILLED = """
import os, signal
from headland.farm.rasters.scratch import scratch
with scratch("one", "job") as folder:
    (folder / "half").write_text("made")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_killed_attempts_folder_goes_with_the_next_one(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    killed = subprocess.run(
        [sys.executable, "-c", KILLED], env={**os.environ, "TMPDIR": str(tmp_path)}, check=False
    )
    assert killed.returncode == -signal.SIGKILL
    (left,) = tmp_path.iterdir()
    with scratch("one", "another") as another:
        assert (left / "half").read_text() == "made"
        with scratch("one", "job") as folder:
            assert not left.exists()
            assert sorted(tmp_path.iterdir()) == sorted([another, folder])
            assert list(folder.iterdir()) == []
    assert list(tmp_path.iterdir()) == []
