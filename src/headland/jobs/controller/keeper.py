"""One step in the life of one batch: look at its row and its run directory, do the next thing."""

import shutil
import socket
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import msgspec
import structlog

from headland.database import Database
from headland.jobs.batches import log, report, store, submission
from headland.jobs.batches.events import ApplicationEvents
from headland.jobs.batches.output import tail
from headland.jobs.batches.paths import PathRules
from headland.jobs.batches.states import Event, State, move
from headland.jobs.batches.store import BatchRow
from headland.jobs.batches.submission import Submission
from headland.jobs.batches.wire import AppInfo
from headland.jobs.clusters.cluster import Clusters, head
from headland.jobs.clusters.driver_output import SAID_WITHIN, driver_facts
from headland.jobs.controller import ending as endings
from headland.jobs.controller.diagnosis import LOOKED_AT
from headland.jobs.controller.ending import Ending
from headland.jobs.controller.following import Following
from headland.jobs.controller.held import clear_away, idle, stop_left, tell_to_stop
from headland.jobs.controller.launching import Launcher
from headland.jobs.controller.leaving import leave
from headland.jobs.controller.runners import clear_warm
from headland.jobs.controller.warm import Driver, WarmDrivers
from headland.jobs.node import own_user
from headland.jobs.runner.run_directory import RunDirectory
from headland.jobs.spark_ui.run import driver_ui, running_info
from headland.settings import Home, Settings

_log = structlog.get_logger("headland.jobs.controller")


@dataclass(slots=True)
class BatchKeeper:
    """Takes steps. Safe to use from several threads for different batches."""

    database: Database
    paths: PathRules
    cluster: Clusters
    settings: Settings
    home: Home
    clock: Callable[[], int]
    warm: WarmDrivers | None = None
    _launcher: Launcher = field(init=False)
    _following: Following = field(init=False)

    def __post_init__(self) -> None:
        self._launcher = Launcher(self.paths, self.cluster, self.settings.jobs, self.home, self.clock)
        self._following = Following(
            self.database,
            self.cluster,
            self.settings.jobs,
            self.clock,
            self._directory,
            finish=self._finish,
            forget=self._forget,
        )

    def step(self, row: BatchRow) -> None:
        """Do the next thing for a batch that this node has taken on, or that is to be forgotten."""
        if row.detached:
            self._following.mind(row)
            return
        directory = self._directory(row)
        warm = self.warm
        if warm and (driver := warm.taken(row.run_key)) and self._hand_over(row, directory, warm, driver):
            return
        if self._launcher.runners.starting(directory):
            return  # its lock is its own to take
        with idle(directory) as is_idle:
            if is_idle:
                self._without_runner(row, directory)
        if not is_idle:
            self._attend(row, directory)
        elif self._launcher.ready(row, directory):
            self._launcher.spawn(row, directory)

    def _attend(self, row: BatchRow, directory: RunDirectory) -> None:
        """A runner is at work: pass on what is wanted, take in what is known."""
        if row.unwanted:
            self._stop(row, directory)
        request = submission.decode(row.request)
        if self.cluster.manager(request) is not None:
            return  # this program only submits
        application = directory.read(directory.application)
        changes: dict[str, object] = {}
        if application is not None and row.state == State.STARTING:
            changes |= {"state": move(row.state, Event.PROGRAM_STARTED), "started_at": application["since"]}
            _log.info("batch.running", batch=row.id, pid=application["pid"])
        if row.app_id is None:
            events = ApplicationEvents(directory.events)
            events.refresh()
            if events.app_id is not None:
                changes["app_id"] = events.app_id
        known = row.app_id is not None or "app_id" in changes
        info = self._app_info(row, directory, request, application=known) if application is not None else None
        if info != row.app_info:
            changes["app_info"] = info
        if changes:
            self.database.write_and_wait(lambda connection: store.change(connection, row.id, **changes))

    def _app_info(
        self, row: BatchRow, directory: RunDirectory, request: Submission, *, application: bool
    ) -> bytes:
        """Where to look at an application whose driver is our own program."""
        conf = {**self.settings.jobs.spark_conf, **request.conf}
        ui = None
        if conf.get("spark.ui.enabled") == "true":
            host = self.cluster.driver_host(request, directory)
            ui = driver_ui(row.app_info) or driver_facts(head(directory.output, SAID_WITHIN)).ui_url(host)
        # Rows of before that was kept have the default one.
        master = request.master or self.settings.jobs.master
        return running_info(self._url(row), master, ui, application=application)

    def _without_runner(self, row: BatchRow, directory: RunDirectory) -> None:
        """No runner is at work, and while the lock is ours none can begin."""
        request = submission.decode(row.request)
        record = directory.read(directory.exit)
        if row.finished_at is None and self._submitted(directory, request, record):
            self._detach(row, directory, request, record)
            return
        if row.delete_requested_at is not None:
            self._forget(row, directory)
            return
        if row.finished_at is not None:
            return
        if not directory.launched.exists():
            clear_warm(directory)
        if record is not None:
            output = tail(directory.output, LOOKED_AT, complete=True)
            self._finish(row, directory, endings.recorded(record, request, output))
        elif directory.launched.exists():
            stop_left(self._directory(row))
            self._finish(row, directory, endings.runner_lost(self.clock(), unwanted=row.unwanted))
        elif row.unwanted:
            self._finish(row, directory, endings.killed_before_start(self.clock()))
        elif self._launcher.runners.in_vain(row.run_key):
            said = " ".join(tail(directory.runner_errors, 3)) or "it said nothing"
            problem = f"The batch's runner could not work: {said}"
            # Else there would be something to start still, by a row that does not know yet that it is over.
            directory.launch.unlink(missing_ok=True)
            self._finish(row, directory, endings.never_started(self.clock(), problem))
        elif (ending := self._launcher.prepare(row, directory)) is not None:
            self._finish(row, directory, ending)

    def _submitted(
        self, directory: RunDirectory, request: Submission, record: dict[str, object] | None
    ) -> bool:
        """Whether a program that submits was started, and has ended or was lost."""
        if not directory.launched.exists() or self.cluster.manager(request) is None:
            return False
        return record is None or record["exit_code"] is not None or record["signal"] is not None

    def _detach(
        self, row: BatchRow, directory: RunDirectory, request: Submission, record: dict[str, object] | None
    ) -> None:
        """From here on the cluster's manager is asked. Whatever became of the program that submitted: the
        application may be there.
        """
        if record is None:
            stop_left(self._directory(row))
        at, handle = self.clock(), self.cluster.handle(request, directory.output)
        self.database.write_and_wait(
            lambda connection: store.change(connection, row.id, detached_at=at, handle=handle)
        )
        _log.info("batch.detached", batch=row.id, handle=handle)
        self._following.mind(replace(row, detached_at=at, handle=handle))

    def _hand_over(self, row: BatchRow, directory: RunDirectory, warm: WarmDrivers, driver: Driver) -> bool:
        """Give a batch to the JVM that it has taken; False if there is none any more, or no use for it."""
        unwanted = row.unwanted or row.finished_at is not None
        if unwanted or driver.held.exit_code is not None or directory.launched.exists():
            warm.give_up(row.run_key)
            return False
        ending = self._launcher.prepare(row, directory)
        if ending is not None:
            warm.give_up(row.run_key)
            clear_warm(directory)
            self._finish(row, directory, ending)
        elif directory.launch.exists():
            self._launcher.adopt(row, driver.held)
            warm.handed_over(row.run_key)
        return True

    def _stop(self, row: BatchRow, directory: RunDirectory) -> None:
        """Have the runner stop its program: the mark for one that is just starting, the signal for one at work."""
        if not directory.kill.exists():
            _log.info("batch.stopping", batch=row.id)
        if (problem := tell_to_stop(directory)) is not None:
            _log.warning("batch.kill_unmarked", batch=row.id, reason=str(problem))

    def _finish(self, row: BatchRow, directory: RunDirectory, ending: Ending) -> None:
        """Put the end on record, and clear what nobody needs any more."""
        events = ApplicationEvents(directory.events)
        events.refresh()
        request = submission.decode(row.request)
        application = ending.application
        told = report.Report(
            diagnostics=ending.diagnostics,
            host=(application.host if application else None) or socket.gethostname(),
            queue=request.queue or "default",
            start_time=events.start_time
            or (application.started_at if application else None)
            or row.started_at
            or row.created_at,
            final_status=ending.final_status,
            tracking_url=self._log_url(row),
            user=events.user or (application.user if application else None) or row.proxy_user or own_user(),
            shutdown=endings.shutdown_lines(ending, row.id),
        )
        encoded = report.encode(told)
        state = move(row.state, ending.event)
        values = {
            "state": state,
            "finished_at": ending.at,
            "exit_code": ending.exit_code,
            "report": encoded,
            "app_id": events.app_id or (application.app_id if application else None) or row.app_id,
            "app_info": msgspec.json.encode(AppInfo(driver_log_url=self._log_url(row))),
            "log_tail": msgspec.json.encode(log.ended_tail(encoded, directory.output)),
        }
        # Before the row says that it is over: after that nobody would come back to do it.
        leave(self.cluster, request, directory)
        for folder in (directory.staged, directory.temporary):
            shutil.rmtree(folder, ignore_errors=True)
        directory.driver_log.unlink(missing_ok=True)
        self.database.write_and_wait(lambda connection: store.change(connection, row.id, **values))
        self._launcher.runners.collect(row.run_key)
        _log.info("batch.ended", batch=row.id, state=state, exit_code=ending.exit_code)

    def _forget(self, row: BatchRow, directory: RunDirectory) -> None:
        """Leave nothing of a batch: processes first, then files, then the row that knows of them."""
        if row.finished_at is None:
            leave(self.cluster, submission.decode(row.request), directory)
        clear_away(directory)
        self.database.write_and_wait(lambda connection: store.remove(connection, row.id))
        self._launcher.runners.collect(row.run_key)
        _log.info("batch.deleted", batch=row.id)

    def _log_url(self, row: BatchRow) -> str:
        return f"{self._url(row)}/log"

    def _url(self, row: BatchRow) -> str:
        return f"{self.settings.server.public_url}/livy/batches/{row.id}"

    def _directory(self, row: BatchRow) -> RunDirectory:
        return RunDirectory(self.home.batches / row.run_key)
