"""From a row to a host at work: stage, describe what to start, start a runner or give the word to one that waits."""

from collections.abc import Callable
from dataclasses import dataclass, field

import msgspec
import structlog

from headland.jobs import identity
from headland.jobs.batches.paths import PathRules
from headland.jobs.clusters.cluster import Clusters
from headland.jobs.clusters.filesystem import NotReadyError
from headland.jobs.controller.held import Held, make_folders, write_private
from headland.jobs.controller.runners import Runners, startable
from headland.jobs.controller.staging import StagingDelayedError, StagingError, stage, with_package_cache
from headland.jobs.isolation.isolation import package_folder
from headland.jobs.sessions import commission
from headland.jobs.sessions.controller.warming import host_command, host_environment, processes
from headland.jobs.sessions.host_calls import socket_of
from headland.jobs.sessions.run_folder import SessionFolder
from headland.jobs.sessions.store import SessionRow
from headland.jobs.wakeup import socket_address
from headland.settings import Home, JobsSettings

_log = structlog.get_logger("headland.jobs.sessions")


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
    runners: Runners = field(default_factory=Runners)

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
            staged = with_package_cache(staged, self.settings, self.home.packages, row.owner)
            launch = self.cluster.plan(staged, row.name or f"livy-session-{row.id}", folder)
            packages = package_folder(self.home.packages, row.owner)
            submitter = identity.decode(row.submitter)
            walls = self.cluster.enclose(folder, packages, submitter)
        except (StagingDelayedError, NotReadyError) as error:
            _log.warning("session.staging_delayed", session=row.id, reason=str(error))
            waited = (self.clock() - (row.claimed_at or 0)) / 1000
            if waited <= self.settings.staging_patience:
                return
            problem = f"Waited in vain for {waited:.0f} seconds: {error}"
            raise CannotStartError(problem) from None
        except (StagingError, ValueError) as error:
            raise CannotStartError(str(error)) from None
        for file, text in launch.files.items():
            write_private(file, text)
        if (access := self.cluster.access) is not None:
            write_private(folder.instances, access.instances_text(submitter))
        notify = socket_address(self.home.controller_socket)
        folder.write(
            folder.plan,
            {
                **processes(self.settings, self.cluster.tools, walls, launch.command, launch.environment),
                "kind": wanted.kind,
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
                "command": host_command(folder),
                "environment": host_environment(folder),
                "arguments": launch.arguments,
                "kill_grace": self.settings.kill_grace,
                "log_limit": self.settings.log_limit,
                "identity": access.endpoint if access is not None else None,
                "notify": notify,
            },
        )

    def ready(self, row: SessionRow, folder: SessionFolder) -> bool:
        """Whether a runner is to be started."""
        if row.finished_at is not None or row.unwanted or self.runners.in_vain(row.run_key):
            return False
        return startable(folder)

    def spawn(self, row: SessionRow, folder: SessionFolder) -> None:
        """Start a runner."""
        _log.info("session.launched", session=row.id, runner=self.runners.spawn(folder))

    def adopt(self, row: SessionRow, held: Held) -> None:
        """Give the word to a runner that waits."""
        _log.info("session.launched", session=row.id, runner=self.runners.adopt(held), warm=True)
