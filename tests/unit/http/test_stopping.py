"""When a worker is told to stop."""

import subprocess
import sys

import pytest

#: A server whose worker is told to stop after the server has set its handlers, and before the loop runs.
SERVER = """
import asyncio, os, signal, sys
from multiprocessing.util import Finalize
from granian.constants import Interfaces
from granian.server import Server, mp
from headland.http.stopping import notice_stopping

Worker = mp.ASGIWorker


def told(*arguments):
    os.kill(os.getpid(), getattr(signal, sys.argv[1]))
    return Worker(*arguments)


def factory(*_):
    Finalize(None, os.write, args=(1, b"ended"), exitpriority=0)
    notice_stopping(asyncio.get_event_loop())
    return lambda *_: None


mp.ASGIWorker = told
Server("", port=0, interface=Interfaces.ASGINL, log_enabled=False).serve(target_loader=factory, wrap_loader=False)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere workers are spawned")
@pytest.mark.parametrize("number", ["SIGTERM", "SIGINT"])
def test_a_worker_hears_what_comes_before_its_loop_runs(number: str) -> None:
    command = [sys.executable, "-c", SERVER, number]
    done = subprocess.run(command, timeout=30, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("ended", "")
