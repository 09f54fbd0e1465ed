"""One step in the life of one session: look at its row and its run directory, do the next thing."""

import shutil
import socket
from collections.abc import Callable
from dataclasses import dataclass, field

import msgspec
import structlog

from headland.database import Database
from headland.jobs.batches import log, report
from headland.jobs.batches.output import tail
from headland.jobs.batches.paths import PathRules
from headland.jobs.batches.wire import AppInfo
from headland.jobs.clusters.cluster import Clusters
from headland.jobs.controller.diagnosis import LOOKED_AT
from headland.jobs.controller.held import clear_away, idle, stop_left, tell_to_stop
from headland.jobs.controller.leaving import leave
from headland.jobs.controller.runners import clear_warm
from headland.jobs.controller.warm import Driver, WarmDrivers
from headland.jobs.node import own_user
from headland.jobs.sessions import commission, store
from headland.jobs.sessions.controller.ending import diagnosis
from headland.jobs.sessions.controller.launching import CannotStartError, SessionLauncher
from headland.jobs.sessions.controller.timers import Clocks, Limits, why_to_stop
from headland.jobs.sessions.host_calls import ask_now
from headland.jobs.sessions.run_folder import SessionFolder
from headland.jobs.sessions.states import Event, State, move
from headland.jobs.sessions.store import SessionRow
from headland.jobs.spark_ui.run import running_info
from headland.settings import Home, Settings

_log = structlog.get_logger("headland.jobs.sessions")


@dataclass(slots=True)
class SessionKeeper:
    """Takes steps. Safe to use from several threads for different sessions."""

    database: Database
    paths: PathRules
    cluster: Clusters
    settings: Settings
    home: Home
    clock: Callable[[], int]
    warm: WarmDrivers
    _launcher: SessionLauncher = field(init=False)
    #: When this controller began, in milliseconds since the epoch.
    _since: int = field(init=False)

    def __post_init__(self) -> None:
        self._launcher = SessionLauncher(self.paths, self.cluster, self.settings.jobs, self.home, self.clock)
        self._since = self.clock()

    def step(self, row: SessionRow) -> None:
        """Do the next thing for a session that this node has taken on, or that is to be forgotten."""
        folder = SessionFolder(self.home.sessions / row.run_key)
        if (driver := self.warm.taken(row.run_key)) and self._hand_over(row, folder, driver):
            return
        if self._launcher.runners.starting(folder):
            return  # its lock is its own to take
        with idle(folder) as is_idle:
            if is_idle:
                self._without_runner(row, folder)
        if not is_idle:
            self._attend(row, folder)
        elif self._launcher.ready(row, folder):
            self._launcher.spawn(row, folder)

    def _attend(self, row: SessionRow, folder: SessionFolder) -> None:
        """A runner is at work: pass on what is wanted, take in what is known."""
        if row.unwanted:
            if not folder.kill.exists():
                _log.info("session.stopping", session=row.id, reason=row.stop_reason)
            if (problem := tell_to_stop(folder)) is not None:
                _log.warning("session.kill_unmarked", session=row.id, reason=str(problem))
            return
        if row.state == State.STARTING:
            if (application := folder.read(folder.ready)) is not None:
                self._up(row, application)
            return
        self._look_at_timers(row, folder)

    def _up(self, row: SessionRow, application: dict[str, object]) -> None:
        ui = application["ui_url"]
        master = commission.decode(row.request).submission.master or self.settings.jobs.master
        info = running_info(self._url(row), master, None if ui is None else str(ui), application=True)
        values = {
            "state": move(row.state, Event.INTERPRETER_READY),
            "started_at": self.clock(),
            "app_id": str(application["app_id"]),
            "app_info": info,
        }
        self.database.write_and_wait(lambda connection: store.change(connection, row.id, **values))
        _log.info("session.up", session=row.id, application=values["app_id"])

    def _look_at_timers(self, row: SessionRow, folder: SessionFolder) -> None:
        wanted, jobs = commission.decode(row.request), self.settings.jobs
        ttl, idle = wanted.ttl_seconds, wanted.idle_seconds
        limits = Limits(
            ttl=jobs.session_ttl if ttl is None else ttl,
            idle=jobs.session_timeout if idle is None else idle,
            heartbeat=float(wanted.heartbeat_timeout),
        )
        if not (limits.ttl or limits.idle or limits.heartbeat):
            return
        about = ask_now(folder.path, "about") if limits.idle else None
        idle_since = about["idle_since"] if about is not None else None
        reason = why_to_stop(
            Clocks(
                now=self.clock() / 1000,
                since=self._since / 1000,
                started_at=(row.started_at or 0) / 1000,
                idle_since=None if idle_since is None else idle_since / 1000,
                last_beat=folder.last_beat(),
            ),
            limits,
        )
        if reason is not None:
            at = self.clock()
            self.database.write_and_wait(
                lambda connection: store.request_stop(connection, row.id, at, reason)
            )

    def _without_runner(self, row: SessionRow, folder: SessionFolder) -> None:
        """No runner is at work, and while the lock is ours none can begin."""
        if row.delete_requested_at is not None:
            self._forget(row, folder)
            return
        if row.finished_at is not None:
            return
        record = folder.read(folder.exit)
        if not folder.launched.exists():
            clear_warm(folder)
        if record is not None or folder.launched.exists():
            if record is None:
                stop_left(folder)
            output = tail(folder.output, LOOKED_AT, complete=True)
            request = commission.decode(row.request).submission
            self._finish(row, folder, diagnosis(record, request, output, up=row.started_at is not None))
        elif row.unwanted:
            self._finish(row, folder, "The session was not started.")
        elif self._launcher.runners.in_vain(row.run_key):
            said = " ".join(tail(folder.runner_errors, 3)) or "it said nothing"
            folder.launch.unlink(missing_ok=True)
            self._finish(row, folder, f"The session's runner could not work: {said}")
        else:
            try:
                self._launcher.prepare(row, folder)
            except CannotStartError as error:
                self._finish(row, folder, str(error))

    def _hand_over(self, row: SessionRow, folder: SessionFolder, driver: Driver) -> bool:
        """Give a session to the driver that it has taken; False if there is none any more, or no use for it."""
        unwanted = row.unwanted or row.finished_at is not None
        if unwanted or driver.held.exit_code is not None or folder.launched.exists():
            self.warm.give_up(row.run_key)
            return False
        try:
            self._launcher.prepare(row, folder)
        except CannotStartError as error:
            self.warm.give_up(row.run_key)
            clear_warm(folder)
            self._finish(row, folder, str(error))
        else:
            if folder.launch.exists():
                self._launcher.adopt(row, driver.held)
                self.warm.handed_over(row.run_key)
        return True

    def _finish(self, row: SessionRow, folder: SessionFolder, reason: str) -> None:
        """Put the end on record, and clear what nobody needs any more."""
        request = commission.decode(row.request).submission
        wanted = row.stop_requested_at is not None
        told = report.Report(
            diagnostics=row.stop_reason or reason,
            host=socket.gethostname(),
            queue=request.queue or "default",
            start_time=row.started_at or row.created_at,
            final_status="KILLED" if wanted else "FAILED",
            tracking_url=self._log_url(row),
            user=row.proxy_user or own_user(),
            shutdown=(),
        )
        encoded = report.encode(told)
        values = {
            "state": move(row.state, Event.ENDED),
            "finished_at": self.clock(),
            "report": encoded,
            "app_info": msgspec.json.encode(AppInfo(driver_log_url=self._log_url(row))),
            "log_tail": msgspec.json.encode(log.ended_tail(encoded, folder.output)),
        }
        # Before the row says that it is over: after that nobody would come back to do it.
        leave(self.cluster, request, folder)
        for gone in (folder.staged, folder.uploads, folder.temporary):
            shutil.rmtree(gone, ignore_errors=True)
        self.database.write_and_wait(lambda connection: store.change(connection, row.id, **values))
        self._launcher.runners.collect(row.run_key)
        _log.info("session.ended", session=row.id, reason=told.diagnostics)

    def _forget(self, row: SessionRow, folder: SessionFolder) -> None:
        """Leave nothing of a session: processes first, then files, then the row that knows of them."""
        if row.finished_at is None:
            leave(self.cluster, commission.decode(row.request).submission, folder)
        clear_away(folder)
        self.database.write_and_wait(lambda connection: store.remove(connection, row.id))
        self._launcher.runners.collect(row.run_key)
        _log.info("session.deleted", session=row.id)

    def _log_url(self, row: SessionRow) -> str:
        return f"{self._url(row)}/log"

    def _url(self, row: SessionRow) -> str:
        return f"{self.settings.server.public_url}/livy/sessions/{row.id}"
