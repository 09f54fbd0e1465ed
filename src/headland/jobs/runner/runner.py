"""The life of one runner: take the lock, start the program once, wait, kill if asked, say how it ended."""

import contextlib
import os
import signal
import socket
import sys
import time
from pathlib import Path

from headland.jobs.runner import children
from headland.jobs.runner.processes import ProcessIdentity
from headland.jobs.runner.run_directory import EXIT_SIZE, RunDirectory

_AWAITED = (signal.SIGCHLD, signal.SIGTERM, signal.SIGALRM)
_IGNORED = (signal.SIGHUP, signal.SIGINT, signal.SIGPIPE)


class Runner:
    """Runs the program of one run directory, at most once, whatever is started or killed how often."""

    def __init__(self, directory: RunDirectory) -> None:
        self._directory = directory
        self._notify_path = ""

    def run(self) -> None:
        """Do it. Returns when the program and all that descended from it are gone and that is on record."""
        # Blocked before anything can arrive, and waited for: no handler ever runs in the middle of a step.
        signal.pthread_sigmask(signal.SIG_BLOCK, _AWAITED)
        for number in _IGNORED:
            signal.signal(number, signal.SIG_IGN)
        lock = self._directory.take_lock()
        if lock is None or self._directory.exit.exists() or self._directory.launched.exists():
            return
        launch = self._directory.read(self._directory.launch)
        if launch is None:
            return
        self._notify_path = str(launch["notify"])
        children.adopt_orphans()
        reserved = self._directory.reserve(self._directory.exit, EXIT_SIZE)
        self._directory.write(self._directory.runner, ProcessIdentity.of(os.getpid()).record())
        self._directory.commit(reserved, self._directory.exit, self._program(launch))
        self._notify()

    def _program(self, launch: dict[str, object]) -> dict[str, object]:
        """Start the program, wait for its end; the record of how it ended."""
        if self._directory.kill.exists():
            return _ended(killed=True)
        # Set aside while the program is not started yet: what a disk that is full by then must not prevent.
        reserved = self._directory.reserve(self._directory.application, EXIT_SIZE)
        self._directory.write(self._directory.launched, {})
        command = [str(part) for part in _list(launch["command"])]
        environment = {str(name): str(value) for name, value in _table(launch["environment"]).items()}
        os.chdir(self._directory.work)
        output = os.open(self._directory.output, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        try:
            pid = children.start(command, environment, output)
        except OSError as error:
            return _ended(problem=f"{command[0]} can't be started: {error.strerror}")
        finally:
            os.close(output)
        with contextlib.suppress(ProcessLookupError):  # gone already: its wait status tells
            self._directory.commit(
                reserved, self._directory.application, {**ProcessIdentity.of(pid).record(), "since": _now()}
            )
        self._notify()
        status, killed = self._wait(pid, float(str(launch["kill_grace"])))
        self._clear_leftovers()
        return _ended(status=status, killed=killed)

    def _wait(self, pid: int, grace: float) -> tuple[int, bool]:
        """The program's wait status, and whether it was told to go."""
        told = False
        while True:
            if (ended := children.collect()) and pid in ended:
                return ended[pid], told
            if not told and self._directory.kill.exists():
                told = True
                os.kill(pid, signal.SIGTERM)
                signal.setitimer(signal.ITIMER_REAL, grace)
            arrived = signal.sigwait(_AWAITED)
            if arrived == signal.SIGTERM and not told:
                told = True
                os.kill(pid, signal.SIGTERM)
                signal.setitimer(signal.ITIMER_REAL, grace)
            elif arrived == signal.SIGALRM:
                children.signal_all(signal.SIGKILL)

    def _clear_leftovers(self) -> None:
        """End what the program left running: nothing of a job goes on when the job has ended. What can't be
        killed, such as a program of another user's, is left: the job's end must go on record.
        """
        asked = time.monotonic()
        number = signal.SIGTERM
        signal.setitimer(signal.ITIMER_REAL, 0)
        while children.signal_all(number):
            waited = time.monotonic() - asked
            if waited > 2 * children.LEFTOVER_GRACE:
                return
            if waited > children.LEFTOVER_GRACE:
                number = signal.SIGKILL
            signal.setitimer(signal.ITIMER_REAL, 0.05)
            signal.sigwait(_AWAITED)
            children.collect()

    def _notify(self) -> None:
        """Wake the controller; where there is none, the record in the run directory is enough."""
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
            sender.setblocking(False)
            sender.sendto(self._directory.path.name.encode(), self._notify_path)


def _ended(
    status: int | None = None, *, killed: bool = False, problem: str | None = None
) -> dict[str, object]:
    signalled = status is not None and os.WIFSIGNALED(status)
    return {
        "exit_code": None if status is None or signalled else os.waitstatus_to_exitcode(status),
        "signal": os.WTERMSIG(status) if status is not None and signalled else None,
        "killed": killed,
        "problem": problem,
        "at": _now(),
    }


def _now() -> int:
    return time.time_ns() // 1_000_000


def _list(value: object) -> list[object]:
    if not isinstance(value, list):
        raise TypeError(f"launch.json: a list was expected, not {type(value).__name__}")
    return value


def _table(value: object) -> dict[str, object]:
    if not isinstance(value, dict):
        raise TypeError(f"launch.json: a table was expected, not {type(value).__name__}")
    return value


def main() -> None:
    """`python -m headland.jobs.runner <run directory>`."""
    Runner(RunDirectory(Path(sys.argv[1]))).run()
