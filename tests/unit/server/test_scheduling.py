"""Threads of a listener don't take the processor from each other."""

import os
import subprocess
import sys

import pytest

SAYS = """
import os, threading
from headland.server.scheduling import let_threads_finish

let_threads_finish()
threading.Thread(target=lambda: print(os.sched_getscheduler(0))).start()
"""


@pytest.mark.skipif(not hasattr(os, "SCHED_BATCH"), reason="Linux alone can be told so")
def test_threads_that_are_started_later_are_told_too() -> None:
    out = subprocess.run([sys.executable, "-c", SAYS], capture_output=True, text=True, check=True).stdout
    assert int(out) == os.SCHED_BATCH
