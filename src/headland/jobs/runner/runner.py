"""The life of one runner: take the lock, start the program once, wait, kill if asked, say how it ended."""

import _socket as socket  # `socket` itself is half a megabyte, for names of constants
import os
import signal
import sys
import time
from pathlib import Path

from headland.jobs.runner import children
from headland.jobs.runner.output import Copier
from headland.jobs.runner.processes import ProcessIdentity
from headland.jobs.runner.run_directory import RECORD_SIZE, RunDirectory
from headland.jobs.runner.token_endpoint import TokenEndpoint

#: Seconds that a notice to the controller may take; without it, the end is seen a second later.
NOTIFY_PATIENCE = 0.5

_AWAITED = (signal.SIGCHLD, signal.SIGTERM, signal.SIGALRM)
_IGNORED = (signal.SIGHUP, signal.SIGINT, signal.SIGPIPE)

#: Seconds that the last output gets to be written when the program has ended. It takes longer only if what
#: can't be killed still holds the pipe, or if the disk hangs.
DRAINING = 10.0


class Runner:
    """Runs the program of one run directory, at most once, whatever is started or killed how often."""

    def __init__(self, directory: RunDirectory) -> None:
        self._directory = directory
        self._notify_path = ""
        self._endpoint: TokenEndpoint | None = None
        self._output: Copier
        self._reserved: Path

    def run(self) -> int:
        """Do it. Returns when the program and all that descended from it are gone and that is on record; the exit
        code of the runner's own process.
        """
        self._take_signals()
        lock = self._directory.take_lock()
        if lock is None or self._directory.exit.exists() or self._directory.launched.exists():
            return 0
        launch = self._directory.read(self._directory.launch)
        if launch is None:
            return 0
        self._notify_path = str(launch["notify"])
        children.adopt_orphans()
        reserved = self._directory.reserve(self._directory.exit, RECORD_SIZE)
        self._introduce(launch)
        self._directory.commit(reserved, self._directory.exit, self._program(launch))
        self._notify()
        return 0

    def _introduce(self, record: dict[str, object]) -> None:
        """Say who the runner is. Where the job is to have an identity, its tokens are got by the key of that digest."""
        introduction = ProcessIdentity.of(os.getpid()).record()
        if (identity := record.get("identity")) is not None:
            told = as_table(identity)
            patience = float(str(told["patience"]))
            self._endpoint = TokenEndpoint(self._directory.path.name, str(told["service"]), patience)
            introduction["token_key"] = self._endpoint.key_digest
        self._directory.write(self._directory.runner, introduction)

    def _take_signals(self) -> None:
        """Blocked before anything can arrive, and waited for: no handler ever runs in the middle of a step."""
        signal.pthread_sigmask(signal.SIG_BLOCK, _AWAITED)
        for number in _IGNORED:
            signal.signal(number, signal.SIG_IGN)

    def _program(self, launch: dict[str, object]) -> dict[str, object]:
        """Start the program, wait for its end; the record of how it ended."""
        if self._directory.kill.exists():
            return ended(killed=True)
        self._mark_launched()
        try:
            pid = self._start(launch)
        except OSError as error:
            return ended(problem=f"{error.filename} can't be started: {error.strerror}")
        return self._follow(pid, launch)

    def _start(self, record: dict[str, object], standard_input: int = -1, *, early: bool = False) -> int:
        """Start the program of a launch record; its pid. What it says is not the job's yet where it is `early`.

        Raises:
            OSError: it can't be started; `filename` is the program's.
        """
        command = [str(part) for part in as_list(record["command"])]
        environment = {str(name): str(value) for name, value in as_table(record["environment"]).items()}
        if self._endpoint is not None:
            environment |= self._endpoint.open()
        os.chdir(self._directory.work)
        source, sink = os.pipe()
        self._output = Copier(source, str(self._directory.output), str(self._directory.early_output))
        if not early:
            self._keep_output(record)
        self._output.start()
        try:
            return children.start(command, environment, sink, standard_input)
        except OSError as error:
            raise OSError(error.errno, error.strerror, command[0]) from None
        finally:
            os.close(sink)

    def _keep_output(self, launch: dict[str, object]) -> None:
        """What the program says from now on is the job's."""
        self._output.begin(int(str(launch["log_limit"])))

    def _mark_launched(self) -> None:
        """From here on no runner may start the program again. What a disk that is full by then must not prevent is
        set aside before.
        """
        self._reserved = self._directory.reserve(self._directory.application, RECORD_SIZE)
        self._directory.write(self._directory.launched, {})

    def _follow(self, pid: int, launch: dict[str, object]) -> dict[str, object]:
        """Say that the program runs, wait for its end; the record of how it ended."""
        try:
            identity = ProcessIdentity.of(pid).record()
        except ProcessLookupError:
            pass  # gone already: its wait status tells
        else:
            record = {**identity, "since": _now()}
            self._directory.commit(self._reserved, self._directory.application, record)
        self._notify()
        status, killed = self._wait(pid, float(str(launch["kill_grace"])))
        if self._endpoint is not None:
            self._endpoint.close()
        self._clear_leftovers()
        self._output.finish(DRAINING)
        return ended(status=status, killed=killed)

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
        sender = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            # A burst of submissions can have filled the socket: what this says nobody else does.
            sender.settimeout(NOTIFY_PATIENCE)
            sender.sendto(self._directory.path.name.encode(), self._notify_path)
        except OSError:
            pass
        finally:
            sender.close()


def ended(
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


def as_list(value: object) -> list[object]:
    if not isinstance(value, list):
        raise TypeError(f"launch.json: a list was expected, not {type(value).__name__}")
    return value


def as_table(value: object) -> dict[str, object]:
    if not isinstance(value, dict):
        raise TypeError(f"launch.json: a table was expected, not {type(value).__name__}")
    return value


def main() -> None:
    """`python -m headland.jobs.runner <run directory> [wait]`."""
    directory = RunDirectory(Path(sys.argv[1]))
    if sys.argv[2:] == ["wait"]:
        from headland.jobs.runner.waiting import WaitingRunner  # noqa: PLC0415 - ordinary runners do without

        sys.exit(WaitingRunner(directory).run())
    sys.exit(Runner(directory).run())
