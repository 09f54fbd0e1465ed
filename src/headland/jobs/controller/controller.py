"""The controller's loop: who is next, and who needs a look?"""

import os
import selectors
import signal
import socket
import threading
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import structlog

from headland.database import Database, DatabaseUnavailableError
from headland.jobs.batches import store
from headland.jobs.batches.store import BatchRow
from headland.jobs.controller.keeper import BatchKeeper
from headland.jobs.controller.upkeep import Upkeep
from headland.jobs.wakeup import listen
from headland.settings import Home

_log = structlog.get_logger("headland.jobs.controller")

#: Seconds between looks when nothing calls for one. Every change comes with a call; this is for lost ones.
HEARTBEAT = 1.0

#: Seconds from a call to the look it causes: a burst of submissions is worth one look, not one each.
GATHERING = 0.005

#: Batches attended to at once: staging waits for storage, ending for the disk.
THREADS = 4

#: Seconds that steps under way get when the controller stops. What they leave undone is done again.
FAREWELL = 2.0


class Controller:
    """Runs in a process of its own, one a home."""

    def __init__(
        self,
        database: Database,
        keeper: BatchKeeper,
        home: Home,
        node: str,
        max_running: int,
        *,
        upkeep: Upkeep | None = None,
    ) -> None:
        self._database = database
        self._keeper = keeper
        self._upkeep = upkeep
        self._home = home
        self._node = node
        self._max_running = max_running
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="batch")
        self._busy: set[int] = set()
        self._busy_lock = threading.Lock()
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
            while not stopping.is_set():
                self._look()
                called = selector.select(HEARTBEAT)
                if called:
                    time.sleep(GATHERING)
                for key, _ in called:
                    _drain(key.fileobj)
        self._stop()

    def _look(self) -> None:
        """Hand out one step for every batch that may need one."""
        try:
            claimed, unwanted = self._database.read_snapshot(
                lambda connection: (
                    store.claimed(connection, self._node),
                    store.deleted(connection) + store.unwanted_waiting(connection),
                )
            )
            self._attend([*claimed, *unwanted])
            taken = self._take_on(self._max_running - len(claimed))
            self._keep_up(len(claimed) + taken)
        except DatabaseUnavailableError as error:
            _log.warning("controller.database_unavailable", reason=str(error))

    def _keep_up(self, running: int) -> None:
        """See to what is not a batch, in a thread beside them."""
        if self._upkeep is not None and self._upkeep.due():
            look = partial(self._upkeep.look, running, self._max_running - running)
            threading.Thread(target=look, name="upkeep", daemon=True).start()

    def _attend(self, rows: Iterable[BatchRow]) -> None:
        for row in rows:
            with self._busy_lock:
                if row.id in self._busy:
                    continue
                self._busy.add(row.id)
            self._pool.submit(self._step, row.id)

    def _take_on(self, free: int) -> int:
        """Take on up to `free` batches; how many it were."""
        if free <= 0:
            return 0
        taken = 0
        waiting = self._database.read(lambda connection: store.waiting(connection, free))
        for row in waiting:
            if self._keeper.claim(row, self._node):
                taken += 1
                self._attend([row])
        return taken

    def _step(self, batch_id: int) -> None:
        """One step, on the row as it is now; another look at once if it ended something."""
        row = ended = None
        try:
            row = self._database.read(lambda connection: store.get(connection, batch_id))
            if row is not None:
                self._keeper.step(row)
                after = self._database.read(lambda connection: store.get(connection, batch_id))
                ended = after is None or after.finished_at is not None
        except DatabaseUnavailableError as error:
            _log.warning("batch.step_delayed", batch=batch_id, reason=str(error))
        except Exception:  # noqa: BLE001 - one batch's trouble must not be every batch's
            _log.exception("batch.step_failed", batch=batch_id)
        finally:
            with self._busy_lock:
                self._busy.discard(batch_id)
            if ended:
                self._ring()

    def _ring(self) -> None:
        try:
            self._bell_pull.send(b"\n")
        except BlockingIOError:
            return  # it rings already

    def _stop(self) -> None:
        _log.info("controller.stopping", node=self._node)
        if self._upkeep is not None:
            self._upkeep.close()
        self._pool.shutdown(wait=False, cancel_futures=True)


def _drain(source: object) -> None:
    if not isinstance(source, socket.socket):
        return
    try:
        while source.recv(4096):
            pass
    except BlockingIOError:
        return
