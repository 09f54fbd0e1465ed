"""Where a peer is not installed, its tests are skipped and say so: none of them errs."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_tests_that_need_node_skip_without_it(tmp_path: Path) -> None:
    kept = {name: value for name, value in os.environ.items() if name != "REQUIRE_PEERS"}
    command = [sys.executable, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", "tests/clients/issuers"]
    ended = subprocess.run(
        command, cwd=ROOT, env=kept | {"PATH": str(tmp_path)}, capture_output=True, text=True, check=False
    )
    last = ended.stdout.splitlines()[-1]
    assert ended.returncode == 0, ended.stdout
    assert "skipped" in last
    assert "is not installed: run `npm ci" in ended.stdout
