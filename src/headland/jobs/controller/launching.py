"""From a row to a runner at work: stage, describe the launch, start a runner or give the word to one that waits."""

from collections.abc import Callable
from dataclasses import dataclass, field

import structlog

from headland.jobs import identity
from headland.jobs.batches import submission
from headland.jobs.batches.paths import PathRules
from headland.jobs.batches.store import BatchRow
from headland.jobs.clusters.cluster import Clusters
from headland.jobs.clusters.filesystem import NotReadyError
from headland.jobs.controller import ending as endings
from headland.jobs.controller.ending import Ending
from headland.jobs.controller.held import Held, make_folders, write_private
from headland.jobs.controller.runners import Runners, startable
from headland.jobs.controller.staging import StagingDelayedError, StagingError, stage, with_package_cache
from headland.jobs.isolation.isolation import behind, package_folder
from headland.jobs.runner.run_directory import RunDirectory
from headland.jobs.wakeup import socket_address
from headland.settings import Home, JobsSettings

_log = structlog.get_logger("headland.jobs.controller")


@dataclass(slots=True)
class Launcher:
    """Starts what is to be started. Safe to use from several threads for different batches."""

    paths: PathRules
    cluster: Clusters
    settings: JobsSettings
    home: Home
    clock: Callable[[], int]
    runners: Runners = field(default_factory=Runners)

    def prepare(self, row: BatchRow, directory: RunDirectory) -> Ending | None:
        """Make the run directory, from whatever an earlier attempt left of it, `launch.json` last. An ending if
        that is impossible; neither an ending nor the file where storage has to be asked again.
        """
        directory.launch.unlink(missing_ok=True)
        make_folders(directory)
        request = submission.decode(row.request)
        try:
            staged = stage(request, directory, self.paths)
            staged = with_package_cache(staged, self.settings, self.home.packages, row.owner)
            launch = self.cluster.plan(staged, row.name or f"batch-{row.id}", directory)
            packages = package_folder(self.home.packages, row.owner)
            submitter = identity.decode(row.submitter)
            walls = self.cluster.enclose(directory, packages, submitter)
        except (StagingDelayedError, NotReadyError) as error:
            _log.warning("batch.staging_delayed", batch=row.id, reason=str(error))
            waited = (self.clock() - (row.claimed_at or 0)) / 1000
            if waited <= self.settings.staging_patience:
                return None
            problem = f"Waited in vain for {waited:.0f} seconds: {error}"
            return endings.never_started(self.clock(), problem)
        except (StagingError, ValueError) as error:
            return endings.never_started(self.clock(), str(error))
        for file, text in launch.files.items():
            write_private(file, text)
        if (access := self.cluster.access) is not None:
            write_private(directory.instances, access.instances_text(submitter))
        directory.write(
            directory.launch,
            {
                "command": behind(walls, launch.command),
                "environment": launch.environment,
                "arguments": launch.arguments,
                "kill_grace": self.settings.kill_grace,
                "log_limit": self.settings.log_limit,
                "identity": access.endpoint if access is not None else None,
                "notify": socket_address(self.home.controller_socket),
            },
        )
        return None

    def ready(self, row: BatchRow, directory: RunDirectory) -> bool:
        """Whether a runner is to be started."""
        if row.finished_at is not None or row.unwanted or self.runners.in_vain(row.run_key):
            return False
        return startable(directory)

    def spawn(self, row: BatchRow, directory: RunDirectory) -> None:
        """Start a runner."""
        _log.info("batch.launched", batch=row.id, runner=self.runners.spawn(directory))

    def adopt(self, row: BatchRow, held: Held) -> None:
        """Give the word to a runner that waits."""
        _log.info("batch.launched", batch=row.id, runner=self.runners.adopt(held), warm=True)
