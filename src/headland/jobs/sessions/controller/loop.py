"""The sessions' loop, a thread of the controller: who is next, and who needs a look?"""

import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial

import structlog
from sqlalchemy import Connection

from headland.database import Database, DatabaseUnavailableError
from headland.jobs.controller.pauses import Pauses
from headland.jobs.controller.workers import Workers
from headland.jobs.sessions import commission, store
from headland.jobs.sessions.controller.keeper import SessionKeeper
from headland.jobs.sessions.store import SessionRow
from headland.settings import JobsSettings

_log = structlog.get_logger("headland.jobs.sessions")

#: Seconds between looks when nothing calls for one. Every change comes with a call; this is for timers and lost calls.
HEARTBEAT = 1.0

#: Seconds between sweeps of those that ended long ago.
SWEEPING = 60.0

#: Sessions that a sweep marks at the most.
PORTION = 50

#: Sessions attended to at once: staging waits for storage, ending for the disk.
THREADS = 3


class SessionLoop:
    """Has a step taken for each session that may need one."""

    def __init__(
        self,
        database: Database,
        keeper: SessionKeeper,
        node: str,
        settings: JobsSettings,
        *,
        on_start: Callable[[], None],
    ) -> None:
        """`on_start` is called when a session is taken on."""
        self._database = database
        self._keeper = keeper
        self._node = node
        self._settings = settings
        self._on_start = on_start
        self._pauses = Pauses(time.monotonic)
        self._workers = Workers(self._step, THREADS)
        self._rung = threading.Event()

    def start(self) -> None:
        """Go on until the process ends: steps are made to be cut short."""
        threading.Thread(target=self._run, name="sessions", daemon=True).start()

    def ring(self) -> None:
        """Have the sessions looked at now."""
        self._rung.set()

    def _run(self) -> None:
        sweep_at = time.monotonic()
        while True:
            self._rung.wait(HEARTBEAT)
            self._rung.clear()
            try:
                self._look()
                if time.monotonic() >= sweep_at:
                    sweep_at = time.monotonic() + SWEEPING
                    self._sweep()
            except DatabaseUnavailableError as error:
                _log.warning("sessions.database_unavailable", reason=str(error))

    def _look(self) -> None:
        rows = self._database.read_snapshot(store.unfinished)
        for session_id in self._claimed(rows):
            self._workers.add(session_id)
        for row in rows:
            mine = row.claimed_by == self._node or (row.claimed_by is None and row.unwanted)
            if (mine or row.delete_requested_at is not None) and self._pauses.over(row.id):
                self._workers.add(row.id)

    def _sweep(self) -> None:
        """Have ended sessions forgotten, as if their owners had deleted them, when it is time."""
        now, settings = self._keeper.clock(), self._settings
        before = now - int(settings.keep_ended_for * 1000) if settings.keep_ended_for else None

        def mark(connection: Connection) -> int:
            going = store.outlived(connection, before, settings.keep_ended or None, PORTION)
            for session_id in going:
                store.request_delete(connection, session_id, now)
            return len(going)

        if self._database.write_and_wait(mark):
            self.ring()

    def _claimed(self, rows: Sequence[SessionRow]) -> list[int]:
        """Those that were taken on just now."""
        waiting = chosen(rows, self._node, self._settings.max_sessions, self._settings.max_sessions_per_owner)
        return [row.id for row in waiting if self._claim(row)]

    def _claim(self, row: SessionRow) -> bool:
        """Take a session on, with a driver that stands ready for it where there is one; whether it was to be had."""
        drivers, now = self._keeper.warm, self._keeper.clock()
        run_key = drivers.take(commission.decode(row.request).submission)
        claim = partial(store.claim, session_id=row.id, node=self._node, now=now, run_key=run_key)
        try:
            claimed = self._database.write_and_wait(claim)
        except DatabaseUnavailableError:
            # Whether the session has it is not known: it must not become another's.
            if run_key is not None:
                drivers.give_up(run_key)
            raise
        if claimed:
            self._on_start()
        elif run_key is not None:
            drivers.give_back(run_key)
        return claimed

    def _step(self, session_id: int) -> None:
        """One step, on the row as it is now."""
        try:
            row = self._database.read(lambda connection: store.get(connection, session_id))
            if row is not None and (row.finished_at is None or row.delete_requested_at is not None):
                self._keeper.step(row)
                self._look_for_place(session_id)
            if self._pauses.went_well(session_id):
                _log.info("session.step_recovered", session=session_id)
        except DatabaseUnavailableError as error:
            _log.warning("session.step_delayed", session=session_id, reason=str(error))
        except Exception as error:  # noqa: BLE001 - one session's trouble must not be every session's
            if self._pauses.failed(session_id, repr(error)):
                _log.exception("session.step_failed", session=session_id)

    def _look_for_place(self, session_id: int) -> None:
        row = self._database.read(lambda connection: store.get(connection, session_id))
        if row is None or row.finished_at is not None:
            self.ring()


def chosen(rows: Sequence[SessionRow], node: str, most: int, most_of_owner: int) -> list[SessionRow]:
    """Those that may start now, of the sessions that have not ended, oldest first. Owners who have all that
    they may have are passed over. 0 sets no limit to an owner.
    """
    up = [row for row in rows if row.claimed_by == node and row.finished_at is None]
    free, owners = most - len(up), Counter(row.owner for row in up)
    found: list[SessionRow] = []
    for row in rows:
        if len(found) >= free:
            break
        if row.claimed_by is not None or row.unwanted or row.finished_at is not None:
            continue
        if not most_of_owner or owners[row.owner] < most_of_owner:
            owners[row.owner] += 1
            found.append(row)
    return found
