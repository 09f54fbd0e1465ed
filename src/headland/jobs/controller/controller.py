"""The controller's loop: who is next, and who needs a look?"""

import os
import selectors
import signal
import socket
import threading
import time
from collections.abc import Callable
from functools import partial

import structlog

from headland.database import Database, DatabaseUnavailableError
from headland.jobs.batches import store
from headland.jobs.batches.store import BatchRow
from headland.jobs.controller.keeper import BatchKeeper
from headland.jobs.controller.pauses import Pauses
from headland.jobs.controller.queue import Queue
from headland.jobs.controller.retention import Retention
from headland.jobs.controller.upkeep import Upkeep
from headland.jobs.controller.workers import Workers
from headland.jobs.wakeup import Calls, heard, listen
from headland.settings import Home, JobsSettings

_log = structlog.get_logger("headland.jobs.controller")

#: Seconds between looks when nothing calls for one. Every change comes with a call; this is for lost ones.
HEARTBEAT = 1.0

#: Seconds that a full node lets submissions gather: they have to wait anyway, and each call wakes this process.
GATHERING = 0.005

#: Batches attended to at once: staging waits for storage, ending for the disk.
THREADS = 4


class Controller:
    """Runs in a process of its own, one a home."""

    def __init__(
        self,
        database: Database,
        keeper: BatchKeeper,
        home: Home,
        node: str,
        settings: JobsSettings,
        *,
        upkeep: Upkeep | None = None,
        others: Callable[[], None] = lambda: None,
    ) -> None:
        """`others` is called when there is news of a job that is no batch."""
        self._database = database
        self._keeper = keeper
        self._upkeep = upkeep
        self._others = others
        self._home = home
        self._node = node
        self._queue = Queue(database, node, settings, keeper.warm)
        self._retention = Retention(database, settings, home, keeper.clock)
        self._pauses = Pauses(time.monotonic)
        self._workers = Workers(self._step, THREADS)
        #: Whether a batch of ours has ended since the queue was looked at.
        self._place_free = threading.Event()
        #: Batches by run key, from the first step on: before it there is no runner that could call.
        self._runs: dict[str, int] = {}
        self._bell, self._bell_pull = socket.socketpair()

    def run(self) -> None:
        """Go on until SIGTERM or SIGINT. Jobs are not touched by this process's end."""
        self._bell.setblocking(False)
        self._bell_pull.setblocking(False)
        stopping = threading.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: stopping.set())
        signal.set_wakeup_fd(self._bell_pull.fileno(), warn_on_full_buffer=False)
        with selectors.DefaultSelector() as selector, listen(self._home.controller_socket) as calls:
            selector.register(calls, selectors.EVENT_READ)
            selector.register(self._bell, selectors.EVENT_READ)
            _log.info("controller.started", node=self._node, pid=os.getpid())
            threading.Thread(
                target=self._retention.run, args=(stopping,), name="retention", daemon=True
            ).start()
            look_at = time.monotonic()
            while not stopping.is_set():
                selector.select(max(0.0, look_at - time.monotonic()))
                _drain(self._bell)
                self._answer(heard(calls))
                if time.monotonic() >= look_at:
                    self._look()
                    look_at = time.monotonic() + HEARTBEAT
                self._keep_up()
        _log.info("controller.stopping", node=self._node)
        if self._upkeep is not None:
            self._upkeep.close()
        self._workers.close(wait=False)

    def _answer(self, calls: Calls) -> None:
        """Do what was called for, and no more: a call costs what it names, however many batches there are."""
        if calls.sessions or not calls.run_keys <= self._runs.keys():
            self._others()
        called = map(self._runs.get, calls.run_keys)
        named = calls.batches.union(batch_id for batch_id in called if batch_id is not None)
        for batch_id in named:
            self._workers.add(batch_id)
        try:
            if self._place_free.is_set():
                self._place_free.clear()
                self._queue.full = False
            if not self._queue.full:
                self._take_on()
            elif not named:
                time.sleep(GATHERING)
        except DatabaseUnavailableError as error:
            _log.warning("controller.database_unavailable", reason=str(error))

    def _look(self) -> None:
        """Hand out one step for every batch that may need one, whoever called or did not."""
        try:
            claimed, unwanted = self._database.read_snapshot(
                lambda connection: (
                    store.claimed_ids(connection, self._node),
                    store.unwanted_ids(connection),
                )
            )
            for batch_id in claimed:
                if self._pauses.over(batch_id):
                    self._workers.add(batch_id)
            for batch_id in unwanted:
                if self._pauses.over(batch_id):
                    self._workers.add(batch_id, patient=True)
            self._take_on()
        except DatabaseUnavailableError as error:
            _log.warning("controller.database_unavailable", reason=str(error))

    def _keep_up(self) -> None:
        """See to what is not a batch, in a thread beside them."""
        if self._upkeep is not None and self._upkeep.due():
            look = partial(self._upkeep.look, self._queue.running, self._queue.free)
            threading.Thread(target=look, name="upkeep", daemon=True).start()

    def _take_on(self) -> None:
        for batch_id in self._queue.take(self._keeper.clock()):
            self._workers.add(batch_id)

    def _step(self, batch_id: int) -> None:
        """One step, on the row as it is now; the queue moves up if it made a place."""
        try:
            row = self._database.read(lambda connection: store.get(connection, batch_id))
            if row is not None and self._is_mine(row):
                self._runs[row.run_key] = row.id
                self._keeper.step(row)
                self._look_for_place(row)
            if self._pauses.went_well(batch_id):
                _log.info("batch.step_recovered", batch=batch_id)
        except DatabaseUnavailableError as error:
            _log.warning("batch.step_delayed", batch=batch_id, reason=str(error))
        except Exception as error:  # noqa: BLE001 - one batch's trouble must not be every batch's
            if self._pauses.failed(batch_id, repr(error)):
                _log.exception("batch.step_failed", batch=batch_id)

    def _is_mine(self, row: BatchRow) -> bool:
        """Whether there is anything for this node to do: a call may be late, or wrong."""
        if row.delete_requested_at is not None:
            return True
        taken = row.claimed_by == self._node or (row.claimed_by is None and row.unwanted)
        return taken and row.finished_at is None

    def _look_for_place(self, former: BatchRow) -> None:
        row = self._database.read(lambda connection: store.get(connection, former.id))
        detached = row is not None and row.detached and not former.detached
        if row is not None and row.finished_at is None and not detached:
            return
        self._runs.pop(former.run_key, None)
        if former.finished_at is None and former.claimed_by == self._node:
            self._place_free.set()
            self._ring()

    def _ring(self) -> None:
        try:
            self._bell_pull.send(b"\n")
        except BlockingIOError:
            return  # it rings already


def _drain(source: socket.socket) -> None:
    try:
        while source.recv(4096):
            pass
    except BlockingIOError:
        return
