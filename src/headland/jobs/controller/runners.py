"""The runners that this controller has started: they are collected here, and known before they say who they are."""

import subprocess
from dataclasses import dataclass, field

from headland.jobs.controller.held import Held, kill_marked, start_runner
from headland.jobs.runner.run_directory import RunDirectory

#: Runners started in vain before a job is given up: what ails them is not going to go away.
MOST_RUNNERS = 5


@dataclass(slots=True)
class Runners:
    """By run key. Safe to use from several threads for different jobs."""

    _started: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    _in_vain: dict[str, int] = field(default_factory=dict)

    def in_vain(self, run_key: str) -> bool:
        """Whether so many runners have failed that another is not worth trying."""
        return self._in_vain.get(run_key, 0) >= MOST_RUNNERS

    def starting(self, directory: RunDirectory) -> bool:
        """Whether a runner was started that has not said yet who it is."""
        runner = self._started.get(directory.path.name)
        return runner is not None and runner.poll() is None and not directory.runner.exists()

    def spawn(self, directory: RunDirectory) -> int:
        """Start a runner; its pid. If two ever were, the lock and the mark `launched` would let one go on."""
        run_key = directory.path.name
        self._in_vain[run_key] = self._in_vain.get(run_key, 0) + 1
        self._started[run_key] = start_runner(directory)
        return self._started[run_key].pid

    def adopt(self, held: Held) -> int:
        """Give the word to a runner that waits: from now on it is one like any other. Its pid."""
        self._started[held.directory.path.name] = held.runner
        held.go()
        return held.runner.pid

    def collect(self, run_key: str) -> None:
        """Forget a job that has ended."""
        self._in_vain.pop(run_key, None)
        if runner := self._started.pop(run_key, None):
            # It has let go of the lock, or never started: it is gone, or all but.
            runner.wait()


def startable(directory: RunDirectory) -> bool:
    """Whether a job is described that no runner has begun with."""
    return directory.launch.exists() and not directory.launched.exists() and not directory.exit.exists()


def clear_warm(directory: RunDirectory) -> None:
    """Remove what a driver that waited left in a directory whose job it was never given."""
    if directory.warm.exists():
        kill_marked(directory)
        directory.early_output.unlink(missing_ok=True)
        directory.warmed.unlink(missing_ok=True)
        directory.runner.unlink(missing_ok=True)
        directory.warm.unlink()
