"""Follow applications that run out of sight: ask their cluster's manager, and pass on what it says.

One thread for all of them, and one that starts no process. What it knows is in the rows; what it keeps for
itself (since when a manager has not answered, or not known an application) may be lost.
"""

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import msgspec
import structlog

from headland.database import Database, DatabaseUnavailableError
from headland.jobs.batches import store, submission
from headland.jobs.batches.output import tail
from headland.jobs.batches.states import Event, State, move
from headland.jobs.batches.store import BatchRow
from headland.jobs.batches.submission import Submission
from headland.jobs.batches.wire import AppInfo
from headland.jobs.clusters.cluster import Clusters
from headland.jobs.clusters.manager import (
    Application,
    ManagerUnreachableError,
    ResourceManager,
    UndecidedError,
    tag_of,
)
from headland.jobs.controller import ending as endings
from headland.jobs.controller.diagnosis import LOOKED_AT
from headland.jobs.controller.driver_log import collect
from headland.jobs.controller.ending import Ending
from headland.jobs.runner.run_directory import RunDirectory
from headland.settings import JobsSettings

_log = structlog.get_logger("headland.jobs.following")

#: Seconds between questions after an application that was told to go: somebody waits for it.
DYING = 0.2

#: Seconds after which the wish that an application be killed is repeated.
INSISTENCE = 10.0

#: Seconds that a manager gets to say that an application which it was told to kill is gone.
FINAL_WORD = 60.0

#: Seconds that a manager may not know an application that nobody wants any more.
UNWANTED_PATIENCE = 10.0

#: Longest pause between questions to a manager that does not answer, in seconds.
LONGEST_PAUSE = 60.0


@dataclass(slots=True)
class _Followed:
    """What is remembered of one application. Times are the monotonic clock's."""

    due: float
    unwanted: bool
    kill_wanted_since: float | None = None
    kill_asked_at: float | None = None
    unknown_since: float | None = None
    log_missing_since: float | None = None


@dataclass(slots=True)
class _Silence:
    """A manager that does not answer."""

    pause: float
    until: float


class Following:
    """Follows batches that are detached."""

    def __init__(
        self,
        database: Database,
        clusters: Clusters,
        settings: JobsSettings,
        clock: Callable[[], int],
        directory: Callable[[BatchRow], RunDirectory],
        *,
        finish: Callable[[BatchRow, RunDirectory, Ending], None],
        forget: Callable[[BatchRow, RunDirectory], None],
        monotonic: Callable[[], float] = time.monotonic,
        background: bool = True,
    ) -> None:
        """With `background` it looks by itself, in a thread of its own."""
        self._database = database
        self._clusters = clusters
        self._settings = settings
        self._clock = clock
        self._directory = directory
        self._finish = finish
        self._forget = forget
        self._monotonic = monotonic
        self._background = background
        self._followed: dict[int, _Followed] = {}
        self._silent: dict[str, _Silence] = {}
        self._lock = threading.Lock()
        self._called = threading.Event()
        self._thread: threading.Thread | None = None

    def mind(self, row: BatchRow) -> None:
        """Follow a batch, if that is not done already; ask at once after one that is not wanted any more."""
        with self._lock:
            followed = self._followed.get(row.id)
            if followed is not None and followed.unwanted == row.unwanted:
                return
            if followed is None:
                self._followed[row.id] = _Followed(self._monotonic(), row.unwanted)
            else:
                followed.due, followed.unwanted = self._monotonic(), row.unwanted
            if self._thread is None and self._background:
                self._thread = threading.Thread(target=self._run, name="following", daemon=True)
                self._thread.start()
        self._called.set()

    def _run(self) -> None:
        while True:
            self._called.wait(self.look())
            self._called.clear()

    def look(self) -> float | None:
        """Ask after each application that is due; the seconds until the next one is."""
        with self._lock:
            due = [
                (batch_id, followed)
                for batch_id, followed in self._followed.items()
                if followed.due <= self._monotonic()
            ]
        for batch_id, followed in due:
            followed.due = self._monotonic() + self._settings.poll_interval
            try:
                goes_on = self._step(batch_id, followed)
            except DatabaseUnavailableError as error:
                _log.warning("batch.step_delayed", batch=batch_id, reason=str(error))
                continue
            except Exception:  # noqa: BLE001 - one batch's trouble must not be every batch's
                _log.exception("batch.step_failed", batch=batch_id)
                continue
            if not goes_on:
                with self._lock:
                    del self._followed[batch_id]
        with self._lock:
            following = min((followed.due for followed in self._followed.values()), default=None)
        return None if following is None else max(0.0, following - self._monotonic())

    def _step(self, batch_id: int, followed: _Followed) -> bool:
        """Ask after one application; whether it has to be asked after again."""
        row = self._database.read(lambda connection: store.get(connection, batch_id))
        if row is None or not row.detached:
            return False
        request = self._clusters.placed(submission.decode(row.request))
        manager = self._clusters.manager(request)
        if manager is None:
            raise ValueError(f"batch {row.id} is detached, but '{request.master}' has no manager")
        silence = self._silent.get(request.master)
        if silence is not None and self._monotonic() < silence.until:
            followed.due = silence.until
            return True
        try:
            application = manager.find(tag_of(row.run_key), row.handle)
            if application is None:
                goes_on = self._unknown(row, request, followed)
            else:
                followed.unknown_since = None
                goes_on = self._known(row, request, manager, application, followed)
        except UndecidedError:
            followed.unknown_since = None
            goes_on = True
        except ManagerUnreachableError as error:
            self._lost(request.master, followed, error)
            return True
        if self._silent.pop(request.master, None):
            _log.info("manager.answers_again", master=request.master)
        return goes_on

    def _lost(self, master: str, followed: _Followed, error: ManagerUnreachableError) -> None:
        silence = self._silent.get(master)
        if silence is None:
            _log.warning("manager.lost", master=master, reason=str(error))
            silence = self._silent[master] = _Silence(self._settings.poll_interval / 2, 0.0)
        silence.pause = min(2 * silence.pause, max(LONGEST_PAUSE, self._settings.poll_interval))
        followed.due = silence.until = self._monotonic() + silence.pause

    def _unknown(self, row: BatchRow, request: Submission, followed: _Followed) -> bool:
        """The manager answers, and does not know it: not yet, not any more, or it was never submitted."""
        directory = self._directory(row)
        record = directory.read(directory.exit)
        now = self._monotonic()
        followed.unknown_since = followed.unknown_since or now
        waited = now - followed.unknown_since
        refused = row.handle is None and record is not None and record["exit_code"] not in {0, None}
        if refused and record is not None and not record["killed"]:
            output = tail(directory.output, LOOKED_AT, complete=True)
            ending = endings.recorded(record, request, output)
        else:
            patience = self._settings.lookup_patience
            if row.unwanted:
                patience = min(patience, UNWANTED_PATIENCE)
                followed.due = now + DYING
            if waited < patience:
                return True
            ending = endings.unknown_to_manager(row.handle, waited, self._clock(), unwanted=row.unwanted)
        self._end(row, directory, ending)
        return False

    def _known(
        self,
        row: BatchRow,
        request: Submission,
        manager: ResourceManager,
        application: Application,
        followed: _Followed,
    ) -> bool:
        directory = self._directory(row)
        if application.phase.final:
            if row.delete_requested_at is None and not self._has_log(
                directory, manager.driver_log(application), followed
            ):
                return True
            output = tail(directory.output, LOOKED_AT, complete=True)
            ending = endings.reported(application, request, output, self._clock(), unwanted=row.unwanted)
            self._end(row, directory, ending)
            return False
        self._pass_on(row, application)
        return not row.unwanted or self._kill(row, directory, manager, application, followed)

    def _pass_on(self, row: BatchRow, application: Application) -> None:
        """Put on record what is new."""
        info = AppInfo(driver_log_url=application.driver_log_url, spark_ui_url=application.spark_ui_url)
        told: dict[str, object] = {
            "handle": application.handle,
            "app_id": application.app_id or row.app_id,
            "app_info": msgspec.json.encode(info),
        }
        if application.phase == "running" and row.state == State.STARTING:
            told |= {
                "state": move(row.state, Event.PROGRAM_STARTED),
                "started_at": application.started_at or self._clock(),
            }
            _log.info("batch.running", batch=row.id, handle=application.handle)
        changes = {name: value for name, value in told.items() if getattr(row, name) != value}
        if changes:
            self._database.write_and_wait(lambda connection: store.change(connection, row.id, **changes))

    def _kill(
        self,
        row: BatchRow,
        directory: RunDirectory,
        manager: ResourceManager,
        application: Application,
        followed: _Followed,
    ) -> bool:
        now = self._monotonic()
        if followed.kill_wanted_since is None:
            followed.kill_wanted_since = now
            _log.info("batch.stopping", batch=row.id, handle=application.handle)
        if now - followed.kill_wanted_since > FINAL_WORD:
            self._end(row, directory, endings.kill_unanswered(application, self._clock()))
            return False
        if followed.kill_asked_at is None or now - followed.kill_asked_at > INSISTENCE:
            manager.kill(application)
            followed.kill_asked_at = now
        followed.due = now + DYING
        return True

    def _has_log(self, directory: RunDirectory, pieces: Iterator[bytes], followed: _Followed) -> bool:
        """Whether the driver's log is part of the output, or is given up."""
        try:
            collect(directory, pieces, self._settings.driver_log_limit)
        except ManagerUnreachableError as error:
            now = self._monotonic()
            followed.log_missing_since = followed.log_missing_since or now
            if now - followed.log_missing_since < self._settings.lookup_patience:
                return False
            note = f"[the driver's log can't be had: {error}]\n"
            collect(directory, iter([note.encode()]), self._settings.driver_log_limit)
        return True

    def _end(self, row: BatchRow, directory: RunDirectory, ending: Ending) -> None:
        if row.delete_requested_at is not None:
            self._forget(row, directory)
        else:
            self._finish(row, directory, ending)
