"""From a row to a host at work: stage, describe what to start, start a runner."""

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import Popen

import msgspec
import structlog

import headland
from headland.jobs.batches.paths import PathRules
from headland.jobs.clusters.cluster import Clusters
from headland.jobs.clusters.launch import MARK
from headland.jobs.controller.held import make_folders, start_runner, write_private
from headland.jobs.controller.staging import StagingDelayedError, StagingError, stage
from headland.jobs.sessions import commission
from headland.jobs.sessions.host_calls import socket_of
from headland.jobs.sessions.run_folder import SessionFolder
from headland.jobs.sessions.store import SessionRow
from headland.jobs.wakeup import socket_address
from headland.settings import Home, JobsSettings

_log = structlog.get_logger("headland.jobs.sessions")

#: Runners started in vain before a session is given up: what ails them is not going to go away.
MOST_RUNNERS = 5


class CannotStartError(Exception):
    """A session can't be started. The message is for its owner."""


@dataclass(slots=True)
class SessionLauncher:
    """Starts what is to be started. Safe to use from several threads for different sessions."""

    paths: PathRules
    cluster: Clusters
    settings: JobsSettings
    home: Home
    clock: Callable[[], int]
    _runners: dict[str, Popen[bytes]] = field(default_factory=dict)
    _in_vain: dict[str, int] = field(default_factory=dict)

    def prepare(self, row: SessionRow, folder: SessionFolder) -> None:
        """Make the run directory, from whatever an earlier attempt left of it, `launch.json` last. It is not there
        where storage has to be asked again.

        Raises:
            CannotStartError: as said.
        """
        folder.launch.unlink(missing_ok=True)
        make_folders(folder)
        for made in (folder.classes, folder.uploads):
            made.mkdir(mode=0o700, exist_ok=True)
        folder.heartbeat.touch(mode=0o600)
        wanted = commission.decode(row.request)
        try:
            staged = stage(wanted.submission, folder, self.paths)
            defaults = {
                # Where executors fetch the classes of Scala cells from.
                "spark.repl.class.outputDir": str(folder.classes),
                # A shell's default: a bar that draws itself over and over, in the log.
                "spark.ui.showConsoleProgress": "false",
            }
            staged = msgspec.structs.replace(
                staged, conf={**defaults, **self.settings.spark_conf, **staged.conf}
            )
            launch = self.cluster.plan(staged, row.name or f"livy-session-{row.id}", folder)
        except StagingDelayedError as error:
            _log.warning("session.staging_delayed", session=row.id, reason=str(error))
            waited = (self.clock() - (row.claimed_at or 0)) / 1000
            if waited <= self.settings.staging_patience:
                return
            problem = f"Storage could not be reached for {waited:.0f} seconds: {error}"
            raise CannotStartError(problem) from None
        except (StagingError, ValueError) as error:
            raise CannotStartError(str(error)) from None
        for file, text in launch.files.items():
            write_private(file, text)
        notify = socket_address(self.home.controller_socket)
        folder.write(
            folder.plan,
            {
                "kind": wanted.kind,
                "jvm": launch.command,
                "environment": self._interpreter_environment(launch.environment),
                "python": self.settings.python or sys.executable,
                "socket": socket_of(folder.path),
                "notify": notify,
                "cancel_patience": self.settings.cancel_patience,
                "interpreter": {
                    "patience": self.settings.session_start_patience,
                    "output_limit": self.settings.output_limit,
                    "sql_rows": self.settings.sql_rows,
                    "classes": str(folder.classes),
                },
            },
        )
        folder.write(
            folder.launch,
            {
                # Without `site`, as the runner: the host needs the standard library.
                "command": [sys.executable, "-S", "-m", "headland.jobs.sessions.host", str(folder.path)],
                "environment": {"PYTHONPATH": str(Path(headland.__file__).parent.parent), MARK: row.run_key},
                "arguments": [],
                "kill_grace": self.settings.kill_grace,
                "log_limit": self.settings.log_limit,
                "notify": notify,
            },
        )

    def ready(self, row: SessionRow, folder: SessionFolder) -> bool:
        """Whether a runner is to be started."""
        if row.finished_at is not None or row.unwanted or self.in_vain(row):
            return False
        return folder.launch.exists() and not folder.launched.exists() and not folder.exit.exists()

    def in_vain(self, row: SessionRow) -> bool:
        """Whether so many runners have failed that another is not worth trying."""
        return self._in_vain.get(row.run_key, 0) >= MOST_RUNNERS

    def starting(self, row: SessionRow, folder: SessionFolder) -> bool:
        """Whether a runner was started that has not said yet who it is."""
        runner = self._runners.get(row.run_key)
        return runner is not None and runner.poll() is None and not folder.runner.exists()

    def spawn(self, row: SessionRow, folder: SessionFolder) -> None:
        """Start a runner. If two ever were, the lock and the mark `launched` would let one go on."""
        self._in_vain[row.run_key] = self._in_vain.get(row.run_key, 0) + 1
        self._runners[row.run_key] = start_runner(folder)
        _log.info("session.launched", session=row.id, runner=self._runners[row.run_key].pid)

    def collect(self, row: SessionRow) -> None:
        """Forget a session that has ended."""
        self._in_vain.pop(row.run_key, None)
        if runner := self._runners.pop(row.run_key, None):
            # It has let go of the lock, or never started: it is gone, or all but.
            runner.wait()

    def _interpreter_environment(self, environment: dict[str, str]) -> dict[str, str]:
        """What JVM and interpreters get. A Spark or Python of the deployment's own choice brings PySpark from the
        Spark: that of the Python, if it has one, may be of another version.
        """
        if not (self.settings.spark_home or self.settings.python):
            return environment
        library = self.cluster.tools.spark_home / "python" / "lib"
        archives = [str(library / "pyspark.zip"), *map(str, sorted(library.glob("py4j-*-src.zip")))]
        return {**environment, "PYTHONPATH": ":".join(archives)}
