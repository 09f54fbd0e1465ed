"""Ends what a test run has started when the run ends, however it does: a process that outlives it for a moment.

It is told of the run's end by its standard input, which ends with pytest's process, `kill -9` included. What belongs to
the run bears its mark in the environment, or names its folder there, in its command or as its working folder, as
runners do, whose environment is their own; or descends from such a process. Linux only, as /proc.
"""

import contextlib
import os
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

#: The variable that marks a run's processes.
MARK = "TEST_RUN_OF_HEADLAND"

#: Seconds that processes get to end by themselves, once they are told to; and for how long they are then killed.
GRACE, STUBBORN = 5.0, 60.0


def begin(folder: Path) -> "subprocess.Popen[bytes]":
    """Mark this process and all that it starts, and have them ended when it has. `folder` is the run's own."""
    os.environ[MARK] = str(uuid.uuid4())
    # A session of its own: Ctrl-C is for the tests.
    command = [sys.executable, "-S", __file__, os.environ[MARK], str(folder)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True, cwd="/")


def members(mark: str, folder: str) -> set[int]:
    """Processes of a run, but for its watchdog, who asks, and whose child that is."""
    named = (f"{MARK}={mark}".encode(), f"{folder}/".encode())
    parents: dict[int, int] = {}
    found: set[int] = set()
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            state, parent = (entry / "stat").read_text().rpartition(")")[2].split()[:2]
            command = (entry / "cmdline").read_bytes()
            if state == "Z" or os.fsencode(__file__) in command:
                continue
            parents[int(entry.name)] = int(parent)
            said = (entry / "environ").read_bytes() + command + os.fsencode((entry / "cwd").readlink()) + b"/"
            if any(name in said for name in named):
                found.add(int(entry.name))
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {os.getpid(), os.getppid()}


def watch(mark: str, folder: str) -> None:
    """Wait for the run's end, and end what is left of it."""
    sys.stdin.buffer.read()
    deadline, number = time.monotonic() + GRACE, signal.SIGTERM
    told: set[int] = set()
    while left := members(mark, folder):
        if time.monotonic() > deadline:
            number, told = signal.SIGKILL, set()
        for pid in left - told:
            # Gone meanwhile, or somebody else's, as a server is that root runs as another user.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, number)
        told |= left
        if time.monotonic() > deadline + STUBBORN:
            return
        time.sleep(0.1)


if __name__ == "__main__":
    watch(sys.argv[1], sys.argv[2])
