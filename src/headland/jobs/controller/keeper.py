"""One step in the life of one batch: look at its row and its run directory, do the next thing."""

import contextlib
import getpass
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import structlog

import headland
from headland.database import Database
from headland.jobs.batches import log, report, store, submission
from headland.jobs.batches.events import ApplicationEvents
from headland.jobs.batches.output import tail
from headland.jobs.batches.paths import PathRules
from headland.jobs.batches.states import Event, State, move
from headland.jobs.batches.store import BatchRow
from headland.jobs.batches.submission import Submission
from headland.jobs.clusters.local import MARK, LocalCluster
from headland.jobs.controller import ending as endings
from headland.jobs.controller.diagnosis import LOOKED_AT
from headland.jobs.controller.ending import Ending
from headland.jobs.controller.staging import StagingDelayedError, StagingError, stage
from headland.jobs.runner.processes import ProcessIdentity, marked
from headland.jobs.runner.run_directory import RunDirectory
from headland.jobs.wakeup import socket_address
from headland.settings import Home, Settings

_log = structlog.get_logger("headland.jobs.controller")

#: Seconds that a runner takes at the most from its last record to its end.
GOING = 0.5

#: Runners started in vain before a batch is given up: what ails them is not going to go away.
MOST_RUNNERS = 5


@dataclass(slots=True)
class BatchKeeper:
    """Takes steps. Safe to use from several threads for different batches."""

    database: Database
    paths: PathRules
    cluster: LocalCluster
    settings: Settings
    home: Home
    clock: Callable[[], int]
    #: Runners that this process started: they are collected here, and known before they say who they are.
    _runners: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    _in_vain: dict[str, int] = field(default_factory=dict)

    def step(self, row: BatchRow) -> None:
        """Do the next thing for a batch that this node has taken on, or that is to be forgotten."""
        directory = self._directory(row)
        runner = self._runners.get(row.run_key)
        if runner is not None and runner.poll() is None and not directory.runner.exists():
            return  # it is just starting; its lock is its own to take
        exists = directory.path.exists()
        lock = _lock(directory) if exists else None
        if lock is None and exists:
            self._attend(row, directory)
            return
        try:
            self._without_runner(row, directory)
        finally:
            if lock is not None:
                os.close(lock)
        if self._ready(row, directory):
            self._spawn(row, directory)

    def _attend(self, row: BatchRow, directory: RunDirectory) -> None:
        """A runner is at work: pass on what is wanted, take in what is known."""
        if row.unwanted:
            self._stop(row, directory)
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
        if changes:
            self.database.write_and_wait(lambda connection: store.change(connection, row.id, **changes))

    def _without_runner(self, row: BatchRow, directory: RunDirectory) -> None:
        """No runner is at work, and while the lock is ours none can begin."""
        if row.delete_requested_at is not None:
            self._forget(row, directory)
            return
        if row.finished_at is not None:
            return
        request = submission.decode(row.request)
        record = directory.read(directory.exit)
        if record is not None:
            output = tail(directory.output, LOOKED_AT, complete=True)
            self._finish(row, directory, endings.recorded(record, request, output))
        elif directory.launched.exists():
            self._stop_orphans(row)
            self._finish(row, directory, endings.runner_lost(self.clock(), unwanted=row.unwanted))
        elif row.unwanted:
            self._finish(row, directory, endings.killed_before_start(self.clock()))
        elif self._in_vain.get(row.run_key, 0) >= MOST_RUNNERS:
            said = " ".join(tail(directory.runner_errors, 3)) or "it said nothing"
            problem = f"The batch's runner could not work: {said}"
            # Else there would be something to start still, by a row that does not know yet that it is over.
            directory.launch.unlink(missing_ok=True)
            self._finish(row, directory, endings.never_started(self.clock(), problem))
        else:
            self._prepare(row, directory, request)

    def _prepare(self, row: BatchRow, directory: RunDirectory, request: Submission) -> None:
        """Make the run directory, from whatever an earlier attempt left of it."""
        directory.launch.unlink(missing_ok=True)
        for folder in (directory.path, directory.work, directory.temporary, directory.events):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            staged = stage(request, directory, self.paths)
            launch = self.cluster.plan(staged, row.name or f"batch-{row.id}", directory)
        except StagingDelayedError as error:
            _log.warning("batch.staging_delayed", batch=row.id, reason=str(error))
            waited = (self.clock() - (row.claimed_at or 0)) / 1000
            if waited > self.settings.jobs.staging_patience:
                problem = f"Storage could not be reached for {waited:.0f} seconds: {error}"
                self._finish(row, directory, endings.never_started(self.clock(), problem))
            return
        except (StagingError, ValueError) as error:
            self._finish(row, directory, endings.never_started(self.clock(), str(error)))
            return
        for file, text in launch.files.items():
            _write_private(file, text)
        directory.write(
            directory.launch,
            {
                "command": launch.command,
                "environment": launch.environment,
                "kill_grace": self.settings.jobs.kill_grace,
                "notify": socket_address(self.home.controller_socket),
            },
        )

    def _ready(self, row: BatchRow, directory: RunDirectory) -> bool:
        if row.finished_at is not None or row.unwanted or self._in_vain.get(row.run_key, 0) >= MOST_RUNNERS:
            return False
        return directory.launch.exists() and not directory.launched.exists() and not directory.exit.exists()

    def _spawn(self, row: BatchRow, directory: RunDirectory) -> None:
        """Start a runner. If two ever were, the lock and the mark `launched` would let one go on."""
        self._in_vain[row.run_key] = self._in_vain.get(row.run_key, 0) + 1
        with directory.runner_errors.open("ab") as errors:
            self._runners[row.run_key] = subprocess.Popen(
                [sys.executable, "-S", "-m", "headland.jobs.runner", str(directory.path)],
                env={"PYTHONPATH": str(Path(headland.__file__).parent.parent), MARK: row.run_key},
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=errors,
                stderr=errors,
                start_new_session=True,
            )
        _log.info("batch.launched", batch=row.id, runner=self._runners[row.run_key].pid)

    def _stop(self, row: BatchRow, directory: RunDirectory) -> None:
        """Have the runner stop its program: the mark for one that is just starting, the signal for one at work."""
        if not directory.kill.exists():
            _log.info("batch.stopping", batch=row.id)
            try:
                directory.write(directory.kill, {})
            except OSError as error:
                # Whoever deletes batches to make room on a full disk must not need room for it.
                _log.warning("batch.kill_unmarked", batch=row.id, reason=str(error))
        record = directory.read(directory.runner)
        if record is not None:
            ProcessIdentity.from_record(record).send(signal.SIGTERM)

    def _stop_orphans(self, row: BatchRow) -> None:
        """Kill what a dead runner left. Its program is recognised; the rest bears the batch's mark."""
        record = self._directory(row).read(self._directory(row).application)
        if record is not None:
            ProcessIdentity.from_record(record).send(signal.SIGKILL)
        deadline = time.monotonic() + GOING
        # Until none is found: one may just have started another, and a killed one takes a moment to be gone.
        while (left := marked(MARK, row.run_key)) and time.monotonic() < deadline:
            for pid in left:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(0.002)

    def _finish(self, row: BatchRow, directory: RunDirectory, ending: Ending) -> None:
        """Put the end on record, and clear what nobody needs any more."""
        events = ApplicationEvents(directory.events)
        events.refresh()
        request = submission.decode(row.request)
        told = report.Report(
            diagnostics=ending.diagnostics,
            host=socket.gethostname(),
            queue=request.queue or "default",
            start_time=events.start_time or row.started_at or row.created_at,
            final_status=ending.final_status,
            tracking_url=f"{self.settings.server.public_url}/livy/batches/{row.id}/log",
            user=events.user or row.proxy_user or _own_user(),
            shutdown=endings.shutdown_lines(ending, row.id),
        )
        encoded = report.encode(told)
        state = move(row.state, ending.event)
        values = {
            "state": state,
            "finished_at": ending.at,
            "exit_code": ending.exit_code,
            "report": encoded,
            "app_id": events.app_id or row.app_id,
            "log_tail": msgspec.json.encode(log.ended_tail(encoded, directory.output)),
        }
        # Before the row says that it is over: after that nobody would come back to do it.
        for folder in (directory.staged, directory.temporary):
            shutil.rmtree(folder, ignore_errors=True)
        self.database.write_and_wait(lambda connection: store.change(connection, row.id, **values))
        self._collect(row)
        _log.info("batch.ended", batch=row.id, state=state, exit_code=ending.exit_code)

    def _forget(self, row: BatchRow, directory: RunDirectory) -> None:
        """Leave nothing of a batch: processes first, then files, then the row that knows of them."""
        if directory.launched.exists() and not directory.exit.exists():
            self._stop_orphans(row)
        with contextlib.suppress(FileNotFoundError):
            shutil.rmtree(directory.path)
        self.database.write_and_wait(lambda connection: store.remove(connection, row.id))
        self._collect(row)
        _log.info("batch.deleted", batch=row.id)

    def _collect(self, row: BatchRow) -> None:
        """Take note of the end of the batch's runner, if it was ours."""
        self._in_vain.pop(row.run_key, None)
        if runner := self._runners.pop(row.run_key, None):
            # It has let go of the lock, or never started: it is gone, or all but.
            runner.wait()

    def _directory(self, row: BatchRow) -> RunDirectory:
        return RunDirectory(self.home.batches / row.run_key)


def _lock(directory: RunDirectory) -> int | None:
    """The lock, if no runner is at work. One that has put the end on record is as good as gone: it is waited
    for, since nothing would call for another look.
    """
    lock = directory.take_lock()
    deadline = time.monotonic() + GOING
    while lock is None and directory.exit.exists() and time.monotonic() < deadline:
        time.sleep(0.002)
        lock = directory.take_lock()
    return lock


def _own_user() -> str:
    """Who runs Headland; the number where it has no name, as in some containers."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return str(os.getuid())


def _write_private(file: Path, text: str) -> None:
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as opened:
        opened.write(text)
