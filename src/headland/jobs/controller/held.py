"""A program under a runner that waits for the controller's word, and ends when the controller does."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import headland
from headland.jobs.batches.output import tail
from headland.jobs.clusters.launch import MARK
from headland.jobs.runner.processes import ProcessIdentity, marked
from headland.jobs.runner.run_directory import RunDirectory

#: Seconds that a program which is let go may take to end. It is killed at once, so this is for a busy machine.
_GOING = 5.0

#: Seconds that a runner takes at the most from its last record to its end.
RUNNER_GOING = 0.5

#: Characters of a program's last words that go into the log.
_MOST_WORDS = 1000


def start_runner(directory: RunDirectory, *, wait: bool = False) -> "subprocess.Popen[bytes]":
    """A runner, in a session of its own. One that waits has a pipe to this process."""
    module = [sys.executable, "-S", "-m", "headland.jobs.runner", str(directory.path)]
    with directory.runner_errors.open("ab") as errors:
        return subprocess.Popen(
            [*module, "wait"] if wait else module,
            env={"PYTHONPATH": str(Path(headland.__file__).parent.parent), MARK: directory.path.name},
            cwd="/",
            stdin=subprocess.PIPE if wait else subprocess.DEVNULL,
            stdout=errors,
            stderr=errors,
            start_new_session=True,
        )


class Held:
    """A program that was started before it is known what for, or whether at all."""

    def __init__(
        self,
        directory: RunDirectory,
        command: list[str],
        environment: dict[str, str],
        notify: str,
        *,
        patience: float,
        nice: int = 0,
        identity: dict[str, object] | None = None,
    ) -> None:
        """Start it in `directory`, which has its folders. It is ended after `patience` seconds unless it has said
        that it is ready. `identity` is as in `launch.json`.
        """
        self.directory = directory
        directory.write(
            directory.warm,
            {
                "command": command,
                "environment": environment,
                "notify": notify,
                "patience": patience,
                "nice": nice,
                "identity": identity,
            },
        )
        self.runner = start_runner(directory, wait=True)

    @property
    def ready(self) -> bool:
        return self.directory.warmed.exists()

    @property
    def exit_code(self) -> int | None:
        """The runner's, once it has ended: 0 if the program ended by itself and well."""
        return self.runner.poll()

    def go(self) -> None:
        """There is a job: `launch.json` says which. If the runner has just ended, nothing is launched by this."""
        self._say(b"go\n")

    def let_go(self) -> None:
        """End runner and program, without a job. To be followed by `gone`."""
        self._say(b"")

    def gone(self) -> None:
        """Wait until nothing of it runs any more."""
        try:
            self.runner.wait(_GOING)
        except subprocess.TimeoutExpired:
            self.runner.kill()
            self.runner.wait()
        if self.runner.returncode < 0:
            kill_marked(self.directory)

    def last_words(self) -> str:
        """What program or runner said last, for the log."""
        said = tail(self.directory.runner_errors, 3) or tail(self.directory.early_output, 3, complete=True)
        return " | ".join(said)[-_MOST_WORDS:] or "it said nothing"

    def _say(self, word: bytes) -> None:
        pipe = self.runner.stdin
        if pipe is None or pipe.closed:
            return
        with contextlib.suppress(OSError):
            os.write(pipe.fileno(), word)
        pipe.close()


def kill_marked(directory: RunDirectory) -> None:
    """Kill what bears the mark of a directory whose runner is dead."""
    for pid in marked(MARK, directory.path.name):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)


def stop_left(directory: RunDirectory) -> None:
    """Kill what a dead runner left. Its program is recognised; the rest bears the directory's mark."""
    record = directory.read(directory.application)
    if record is not None:
        ProcessIdentity.from_record(record).send(signal.SIGKILL)
    deadline = time.monotonic() + RUNNER_GOING
    # Until none is found: one may just have started another, and a killed one takes a moment to be gone.
    while marked(MARK, directory.path.name) and time.monotonic() < deadline:
        kill_marked(directory)
        time.sleep(0.002)


@contextlib.contextmanager
def idle(directory: RunDirectory) -> Iterator[bool]:
    """Whether no runner is at work; as long as the context lasts, none can begin."""
    exists = directory.path.exists()
    lock = _lock_if_idle(directory) if exists else None
    try:
        yield lock is not None or not exists
    finally:
        if lock is not None:
            os.close(lock)


def clear_away(directory: RunDirectory) -> None:
    """Leave nothing of a run whose runner is not at work: processes first, then files."""
    if directory.launched.exists() and not directory.exit.exists():
        stop_left(directory)
    with contextlib.suppress(FileNotFoundError):
        shutil.rmtree(directory.path)


def _lock_if_idle(directory: RunDirectory) -> int | None:
    """The lock, if no runner is at work. One that has put the end on record is as good as gone: it is waited for,
    since nothing would call for another look.
    """
    lock = directory.take_lock()
    deadline = time.monotonic() + RUNNER_GOING
    while lock is None and directory.exit.exists() and time.monotonic() < deadline:
        time.sleep(0.002)
        lock = directory.take_lock()
    return lock


def tell_to_stop(directory: RunDirectory) -> OSError | None:
    """Have a runner stop its program: the mark for one that is just starting, the signal for one at work. What kept
    the mark from being made, if anything did: whoever deletes jobs to make room on a full disk must not need room
    for it.
    """
    problem = None
    if not directory.kill.exists():
        try:
            directory.write(directory.kill, {})
        except OSError as error:
            problem = error
    record = directory.read(directory.runner)
    if record is not None:
        ProcessIdentity.from_record(record).send(signal.SIGTERM)
    return problem


def sweep(directory: RunDirectory) -> bool:
    """Remove the directory of a held program that nobody holds any more; False if its runner is still ending."""
    lock = directory.take_lock()
    if lock is None:
        return False
    kill_marked(directory)
    shutil.rmtree(directory.path, ignore_errors=True)
    os.close(lock)
    return True


def make_folders(directory: RunDirectory) -> None:
    for folder in (directory.path, directory.work, directory.temporary, directory.events):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)


def write_private(file: Path, text: str) -> None:
    """Write a file that its owner alone may read."""
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as opened:
        opened.write(text)
