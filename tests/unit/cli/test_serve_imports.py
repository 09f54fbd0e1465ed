"""What `serve` has imported before it knows the home."""

import subprocess
import sys


def test_metrics_are_imported_once_their_folder_is_known() -> None:
    """prometheus_client looks at its variable as it is imported, and counts in memory alone without it."""
    program = "import sys, headland.server.command; sys.exit('prometheus_client' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
