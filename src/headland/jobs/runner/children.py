"""Start a program in a session of its own, and be the one to whom everything that descends from it falls."""

import os
import signal
import sys

from headland.jobs.runner.processes import descendants

_PR_SET_CHILD_SUBREAPER = 36

#: Seconds that what a program left behind gets to go by itself.
LEFTOVER_GRACE = 2.0


def adopt_orphans() -> None:
    """Make orphans among this process's descendants its own children (Linux; prctl(2)).

    Without it a process that a job started in the background would fall to init and be lost sight of.
    """
    if sys.platform.startswith("linux"):
        # What `ctypes` itself stands on: all of it would be half a megabyte more in every runner.
        import _ctypes  # noqa: PLC0415

        prctl = _ctypes.dlsym(_ctypes.dlopen(None, 0), "prctl")  # type: ignore[arg-type]
        _ctypes.call_function(prctl, (_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))


def start(command: list[str], environment: dict[str, str], output: int, standard_input: int = -1) -> int:
    """Start `command` with both of its outputs going to the descriptor `output`; its pid. Its standard input is
    `standard_input`, or empty.

    Raises:
        OSError: it can't be started.
    """
    null = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.posix_spawn(
            command[0],
            command,
            environment,
            file_actions=[
                (os.POSIX_SPAWN_DUP2, null if standard_input < 0 else standard_input, 0),
                (os.POSIX_SPAWN_DUP2, output, 1),
                (os.POSIX_SPAWN_DUP2, output, 2),
            ],
            setsid=True,
            setsigmask=[],
            setsigdef=[signal.SIGHUP, signal.SIGINT, signal.SIGPIPE, signal.SIGTERM],
        )
    finally:
        os.close(null)


def collect() -> dict[int, int]:
    """Children that have ended since the last call: pid → wait status."""
    ended: dict[int, int] = {}
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return ended
        if pid == 0:
            return ended
        ended[pid] = status


def signal_all(number: signal.Signals) -> bool:
    """Send a signal to everything that descends from this process; whether there was anything."""
    found = descendants(os.getpid())
    for pid in found:
        try:
            os.kill(pid, number)
        except (ProcessLookupError, PermissionError):
            continue
    return bool(found)
