"""The worker: does the jobs of all instances, one after the other, in a thread beside the requests.

Each public process has one. Of one instance's jobs only one is done at a time, by whichever worker holds the
instance's file (`Pending`); what a killed one has begun is begun again.
"""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import structlog
from sqlalchemy import Connection

from headland.database import DatabaseUnavailableError
from headland.farm.stores import NewerStoreError, Store, Stores
from headland.farm.work import rows
from headland.farm.work.cascade import CASCADE_DELETE
from headland.farm.work.kinds import Kind, WorkError
from headland.farm.work.pending import Pending
from headland.farm.work.rows import Job
from headland.farm.work.turns import StoppingError, Turns

#: Seconds after which a worker looks by itself for what another one has left undone.
LOOK = 5.0

#: Processes that may die of a job before it is given up.
MOST_ATTEMPTS = 5

#: The kinds of work that need nothing but a store, by the name that rows have.
KINDS = {kind.name: kind for kind in (CASCADE_DELETE,)}

_log = structlog.get_logger("headland.farm")

#: Something that is done for a store beside its jobs; whether more of it will be to be done.
Chore = Callable[[str, Store], bool]


@dataclass(frozen=True, slots=True)
class _Place:
    """A store that is being worked at."""

    key: str
    store: Store
    turns: Turns


class Worker:
    """Does what is pending."""

    def __init__(
        self,
        pending: Pending,
        stores: Stores,
        chores: Sequence[Chore] = (),
        clock: Callable[[], float] = time.time,
        *,
        kinds: Sequence[Kind] = (),
        rest: Callable[[float], None] = time.sleep,
    ) -> None:
        """`stores` are its own: they are opened and closed in its thread. `kinds` are those beside `KINDS`; `rest` is
        for `Turns`.
        """
        self._pending = pending
        self._stores = stores
        self._chores = chores
        self._clock = clock
        self._kinds = KINDS | {kind.name: kind for kind in kinds}
        self._rest = rest
        #: Jobs that this process has begun with, by store and id.
        self._begun: set[tuple[str, str]] = set()
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name="farm-worker", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Finish what can't be left as it is of the job under way, and end."""
        self._stopping = True
        self._pending.wake()
        if self._thread.is_alive():
            self._thread.join()

    def work(self) -> None:
        """Do all that is pending and that nobody else is at."""
        for key in self._pending.noted():
            with self._pending.alone(key) as alone:
                if alone and not self._stopping:
                    self._work_at(key)

    def _run(self) -> None:
        while not self._stopping:
            try:
                self.work()
            except Exception:  # noqa: BLE001 - the next look may go better
                _log.exception("worker.failed")
            self._pending.wait(LOOK)

    def _work_at(self, key: str) -> None:
        if not self._stores.has(key):
            self._pending.forget(key)
            return
        try:
            store = self._stores.open(key)
            place = _Place(key, store, Turns(store, lambda: self._stopping, self._rest))
            while not self._stopping and (job := place.store.read(rows.next_open)) is not None:
                self._do(place, job)
            for kind in self._kinds.values():
                kind.clear(place.turns)
            left = [chore for chore in self._chores if chore(key, place.store)]
            if not left and not self._stopping:
                self._pending.settle(key)
        except StoppingError:
            _log.info("worker.stops", store=key)
        except (DatabaseUnavailableError, NewerStoreError) as error:
            _log.warning("worker.waits", store=key, reason=str(error))
        finally:
            self._stores.close()

    def _do(self, place: _Place, job: Job) -> None:
        again = (place.key, job.id) in self._begun
        self._begun.add((place.key, job.id))
        place.store.write_and_wait(lambda c: rows.take(c, job.id, self._now(), again=again))
        if not again and job.attempts >= MOST_ATTEMPTS:
            text = f"Each of {job.attempts} processes that began with the job ended before it was done."
            self._give_up(place, job, "Interrupted", text)
            return
        _log.info("work.started", store=place.key, job=job.id, kind=job.kind, attempt=job.attempts + 1)
        try:
            self._finish(place, job)
        except StoppingError:
            place.store.write_and_wait(lambda c: rows.lay_down(c, job.id, self._now()))
            raise
        except WorkError as error:
            self._give_up(place, job, error.code, error.message)
        except DatabaseUnavailableError:
            raise
        except Exception:  # noqa: BLE001 - whatever it is, it is what became of the job
            _log.exception("work.broke", store=place.key, job=job.id, kind=job.kind)
            self._give_up(
                place, job, "InternalServerError", "The job ended by an error of the service's own."
            )

    def _finish(self, place: _Place, job: Job) -> None:
        kind = self._kinds[job.kind]
        last = kind.run(place.turns, kind.input_of(job.input))

        def end(connection: Connection) -> None:
            message = last(connection)
            rows.end(connection, job.id, self._now(), message)

        place.store.write_and_wait(end)
        self._begun.discard((place.key, job.id))
        _log.info("work.ended", store=place.key, job=job.id, kind=job.kind, state="Succeeded")

    def _give_up(self, place: _Place, job: Job, code: str, message: str) -> None:
        def end(connection: Connection) -> None:
            if (kind := self._kinds.get(job.kind)) is not None:
                kind.abandon(connection)
            rows.end(connection, job.id, self._now(), message, code)

        place.store.write_and_wait(end)
        self._begun.discard((place.key, job.id))
        _log.warning("work.ended", store=place.key, job=job.id, kind=job.kind, state="Failed", code=code)

    def _now(self) -> int:
        return int(self._clock() * 1000)
