"""From a row to a runner at work: stage, describe the launch, start a runner or give the word to one that waits."""

import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field

import structlog

from headland.jobs.batches import submission
from headland.jobs.batches.paths import PathRules
from headland.jobs.batches.store import BatchRow
from headland.jobs.clusters.cluster import Clusters
from headland.jobs.controller import ending as endings
from headland.jobs.controller.ending import Ending
from headland.jobs.controller.held import Held, kill_marked, make_folders, start_runner, write_private
from headland.jobs.controller.staging import StagingDelayedError, StagingError, stage
from headland.jobs.runner.run_directory import RunDirectory
from headland.jobs.wakeup import socket_address
from headland.settings import Home, JobsSettings

_log = structlog.get_logger("headland.jobs.controller")

#: Runners started in vain before a batch is given up: what ails them is not going to go away.
MOST_RUNNERS = 5


@dataclass(slots=True)
class Launcher:
    """Starts what is to be started. Safe to use from several threads for different batches."""

    paths: PathRules
    cluster: Clusters
    settings: JobsSettings
    home: Home
    clock: Callable[[], int]
    #: Runners that this process started: they are collected here, and known before they say who they are.
    _runners: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    _in_vain: dict[str, int] = field(default_factory=dict)

    def prepare(self, row: BatchRow, directory: RunDirectory) -> Ending | None:
        """Make the run directory, from whatever an earlier attempt left of it, `launch.json` last. An ending if
        that is impossible; neither an ending nor the file where storage has to be asked again.
        """
        directory.launch.unlink(missing_ok=True)
        make_folders(directory)
        request = submission.decode(row.request)
        try:
            staged = stage(request, directory, self.paths)
            launch = self.cluster.plan(staged, row.name or f"batch-{row.id}", directory)
        except StagingDelayedError as error:
            _log.warning("batch.staging_delayed", batch=row.id, reason=str(error))
            waited = (self.clock() - (row.claimed_at or 0)) / 1000
            if waited <= self.settings.staging_patience:
                return None
            problem = f"Storage could not be reached for {waited:.0f} seconds: {error}"
            return endings.never_started(self.clock(), problem)
        except (StagingError, ValueError) as error:
            return endings.never_started(self.clock(), str(error))
        for file, text in launch.files.items():
            write_private(file, text)
        directory.write(
            directory.launch,
            {
                "command": launch.command,
                "environment": launch.environment,
                "arguments": launch.arguments,
                "kill_grace": self.settings.kill_grace,
                "log_limit": self.settings.log_limit,
                "notify": socket_address(self.home.controller_socket),
            },
        )
        return None

    def ready(self, row: BatchRow, directory: RunDirectory) -> bool:
        """Whether a runner is to be started."""
        if row.finished_at is not None or row.unwanted or self.in_vain(row):
            return False
        return directory.launch.exists() and not directory.launched.exists() and not directory.exit.exists()

    def in_vain(self, row: BatchRow) -> bool:
        """Whether so many runners have failed that another is not worth trying."""
        return self._in_vain.get(row.run_key, 0) >= MOST_RUNNERS

    def starting(self, row: BatchRow, directory: RunDirectory) -> bool:
        """Whether a runner was started that has not said yet who it is."""
        runner = self._runners.get(row.run_key)
        return runner is not None and runner.poll() is None and not directory.runner.exists()

    def spawn(self, row: BatchRow, directory: RunDirectory) -> None:
        """Start a runner. If two ever were, the lock and the mark `launched` would let one go on."""
        self._in_vain[row.run_key] = self._in_vain.get(row.run_key, 0) + 1
        self._runners[row.run_key] = start_runner(directory)
        _log.info("batch.launched", batch=row.id, runner=self._runners[row.run_key].pid)

    def adopt(self, row: BatchRow, held: Held) -> None:
        """Give the word to a runner that waits: from now on it is one like any other."""
        self._runners[row.run_key] = held.runner
        held.go()
        _log.info("batch.launched", batch=row.id, runner=held.runner.pid, warm=True)

    def collect(self, row: BatchRow) -> None:
        """Forget a batch that has ended."""
        self._in_vain.pop(row.run_key, None)
        if runner := self._runners.pop(row.run_key, None):
            # It has let go of the lock, or never started: it is gone, or all but.
            runner.wait()

    def clear_warm(self, directory: RunDirectory) -> None:
        """Remove what a JVM that waited left in a directory whose batch it was never given."""
        if directory.warm.exists():
            kill_marked(directory)
            directory.early_output.unlink(missing_ok=True)
            directory.warmed.unlink(missing_ok=True)
            directory.runner.unlink(missing_ok=True)
            directory.warm.unlink()
