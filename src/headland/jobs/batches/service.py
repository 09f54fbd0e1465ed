"""What can be done with batches: the rules between HTTP and rows."""

import asyncio
import secrets
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path

import msgspec
from sqlalchemy import Connection

from headland.database import Database
from headland.jobs import identity
from headland.jobs.batches import log, record, store, submission
from headland.jobs.batches.access import Access, Caller, Right
from headland.jobs.batches.admission import admit, takes_long
from headland.jobs.batches.errors import (
    AlreadyEndedError,
    AlreadyStoppedError,
    BatchError,
    NotFoundError,
    RejectedError,
    StillEndingError,
)
from headland.jobs.batches.listing import EVERYTHING, PROGRESS, TIMES, Wanted
from headland.jobs.batches.log_following import Follower, Followers, Place, begin_at
from headland.jobs.batches.output import OutputReader
from headland.jobs.batches.paths import PathRules
from headland.jobs.batches.progress import ProgressReader
from headland.jobs.batches.states import State
from headland.jobs.batches.store import BatchRow, Shown
from headland.jobs.batches.submission_keys import SubmissionKey, create_once, find_submitted
from headland.jobs.batches.wire import BatchRequest, BatchTimes, Progress
from headland.jobs.environments.service import Environments
from headland.jobs.runner.run_directory import RunDirectory
from headland.jobs.spark_ui.run import Run, driver_ui
from headland.jobs.wakeup import wake
from headland.settings import Home, JobsSettings
from headland.storage import StorageError

#: Pages up to so many batches are made at once and remembered; longer ones would take up more memory than they save
#: time.
LONGEST_REMEMBERED = 100

#: Bytes of ends of logs of a page that is made at once, and batches in it whose ends of logs are still to be read.
_MOST_TOLD = 1 << 19
_MOST_LIVE = 50

#: Batches of a longer page that are read at once.
_READ_AT_ONCE = 20

#: Paths that storage is asked for before others have their turn.
_LOOKS_AT_ONCE = 32

#: What a page ends with.
_END = b"]}"

#: Seconds between looks at whether a deleted batch has gone.
_LOOK = 0.02

#: Seconds beyond `kill_grace` after which a deletion is answered even if its processes still linger:
#: it is on record, and will be carried out.
_PATIENCE = 10.0


def now() -> int:
    """Milliseconds since the epoch."""
    return time.time_ns() // 1_000_000


@dataclass(slots=True)
class _Page:
    """Batches of a list as they were in one state of the database."""

    total: int
    rows: list[Shown]
    #: The answer, if it says nothing that is not in the database.
    whole: bytes | None = None


class _Id(msgspec.Struct):
    """Of a record, which batch it is of."""

    id: int


class _RawPage(msgspec.Struct):
    """A page of records as they are."""

    total: int
    sessions: list[msgspec.Raw]


def _times(row: BatchRow) -> BatchTimes:
    return BatchTimes(row.id, row.created_at, row.started_at, row.finished_at)


def _is_worth_memory(page: _Page) -> bool:
    # An empty page is made in no time, and callers can think of any number of filters that give one.
    return bool(page.rows) and _is_light(page)


def _is_light(page: _Page) -> bool:
    """Whether the ends of logs in it, which programs write, are soon read and told."""
    live = sum(row.live is not None for row in page.rows)
    return live <= _MOST_LIVE and sum(len(row.log_tail or b"") for row in page.rows) < _MOST_TOLD


class Batches:
    """Submit, look at, and end batches."""

    def __init__(
        self,
        database: Database,
        paths: PathRules,
        settings: JobsSettings,
        home: Home,
        clock: Callable[[], int] = now,
    ) -> None:
        self._database = database
        self._paths = paths
        self._settings = settings
        self.access = Access(settings)
        self._home = home
        self._environments = Environments(database, settings, home, clock)
        self._clock = clock
        self._output = OutputReader()
        self._followers = Followers(settings.max_followers)
        self._progress = ProgressReader()

    async def submit(
        self, request: BatchRequest, caller: Caller, key: str | None = None
    ) -> tuple[int, bytes]:
        """Put a batch into the queue; once this returns its id and record, it is on disk. With a `key` that this
        caller has sent before, those of the batch that came of it then.

        Raises:
            BatchError: a rule forbids it, or something that it names is not there.
        """
        if caller.acting_for is not None:
            request = msgspec.structs.replace(request, proxy_user=caller.acting_for)
        rules = self._settings, self._paths
        admitted = (
            await asyncio.to_thread(admit, request, *rules) if takes_long(request) else admit(request, *rules)
        )
        admitted = self._environments.resolve(admitted)
        caller.check_acts_for(admitted.proxy_user)
        once = SubmissionKey.of(key, caller.client_id, admitted) if key is not None else None
        if once is not None:
            # Before storage is asked: what a batch was made of may be gone when its submission is repeated.
            earlier = self._database.read(lambda connection: find_submitted(connection, once))
            if earlier is not None:
                return earlier.id, self._whole(earlier, caller)
        await self._look_for(admitted)
        new = store.NewBatch(
            run_key=secrets.token_hex(16),
            name=admitted.name,
            owner=caller.client_id,
            proxy_user=admitted.proxy_user,
            request=submission.encode(admitted),
            created_at=self._clock(),
            queue=admitted.queue,
            submitter=identity.encode(caller.principal),
        )
        try:
            row = await self._database.write(
                lambda connection: (
                    create_once(connection, new, once) if once else store.create(connection, new)
                )
            )
        except store.DuplicateNameError as error:
            raise RejectedError(
                f"Duplicate session name: Some({error.name}) for session {error.holder}"
            ) from None
        wake(self._home.controller_socket)
        return row.id, self._whole(row, caller)

    def get(self, reference: int | str, caller: Caller) -> bytes:
        """A `Batch`. Raises NotFoundError, as do all that follow, and NotAllowedError, as do those that need a
        right.
        """
        viewer = caller.sees_logs_of

        def look(connection: Connection) -> Shown | bytes | None:
            row = store.shown(connection, reference, viewer)
            return row if row is None or row.live is not None else self._wire(row)

        found = self._database.read_remembered(("batch", reference, viewer), look)
        if found is None:
            raise NotFoundError(str(reference))
        return found if isinstance(found, bytes) else self._wire(found)

    def state(self, reference: int | str, caller: Caller) -> tuple[int, str]:
        """Id and state alone."""
        found = self._database.read_remembered(
            ("state", reference), lambda connection: store.state(connection, reference)
        )
        if found is None:
            raise NotFoundError(str(reference))
        return found

    def times(self, reference: int | str) -> BatchTimes:
        """When it was submitted, started and ended, for anybody, as its state is."""
        found = self._database.read_remembered(
            ("times", reference), lambda connection: store.times(connection, reference)
        )
        if found is None:
            raise NotFoundError(str(reference))
        return BatchTimes(*found)

    def page(self, start: int, size: int, caller: Caller, wanted: Wanted = EVERYTHING) -> bytes | None:
        """A `BatchList` of the `size` batches from number `start` on; None where it is better made as a long one. A
        start below 0 shortens the page, as in Livy.
        """
        if size > LONGEST_REMEMBERED:
            return None
        size = max(0, min(size, start + size)) if start < 0 else max(0, size)
        first, viewer = max(0, start), caller.sees_logs_of

        def look(connection: Connection) -> _Page:
            if wanted == EVERYTHING:
                return _Page(store.total(connection), store.page(connection, first, size, viewer))
            rows = store.wanted_page(connection, wanted, first, size, viewer)
            return _Page(store.wanted_total(connection, wanted), rows)

        key = "batches", wanted, start, size, viewer
        page = self._database.read_remembered(key, look, rows=size, worth=_is_worth_memory)
        if page.whole is not None or not _is_light(page):
            return page.whole
        whole = record.page(start, page.total, map(self._wire, page.rows))
        if all(row.live is None for row in page.rows):
            page.whole = whole
        return whole

    async def long_page(
        self, include: frozenset[str], start: int, size: int, caller: Caller, wanted: Wanted = EVERYTHING
    ) -> AsyncIterator[bytes]:
        """The same for a page of any length, in parts that are read as they are asked for: batches that are deleted
        meanwhile are left out.
        """
        size = max(0, min(size, start + size)) if start < 0 else max(0, size)
        viewer = caller.sees_logs_of

        def look(connection: Connection) -> tuple[int, list[int]]:
            ids = store.wanted_ids(connection, wanted, max(0, start), size)
            return store.wanted_total(connection, wanted), ids

        def read(ids: list[int]) -> bytes:
            found, rows = self._database.read_snapshot(
                lambda connection: (
                    store.shown_of(connection, ids, viewer),
                    store.rows(connection, ids) if include else {},
                )
            )
            shown = ((row.id, self._wire(row)) for row in found)
            return b",".join(
                record.with_more(whole, self._more(include, rows.get(id_), caller)) if include else whole
                for id_, whole in shown
            )

        async def parts(total: int, ids: list[int]) -> AsyncIterator[bytes]:
            empty = record.page(start, total, ())
            before = empty.removesuffix(_END)
            for at in range(0, len(ids), _READ_AT_ONCE):
                if some := await asyncio.to_thread(read, ids[at : at + _READ_AT_ONCE]):
                    yield before + some
                    before = b","
            yield _END if before == b"," else empty

        return parts(*await asyncio.to_thread(self._database.read_snapshot, look))

    async def page_with(
        self, include: frozenset[str], start: int, size: int, caller: Caller, wanted: Wanted = EVERYTHING
    ) -> bytes | None:
        """A `BatchList` whose records say more, as `include` names it; else as `page`."""
        page = self.page(start, size, caller, wanted)
        if page is None:
            return None
        found = msgspec.json.decode(page, type=_RawPage)
        ids = [msgspec.json.decode(one, type=_Id).id for one in found.sessions]
        rows = self._database.read(lambda connection: store.rows(connection, ids))
        more = await asyncio.to_thread(lambda: [self._more(include, rows.get(id_), caller) for id_ in ids])
        batches = map(record.with_more, map(bytes, found.sessions), more)
        return record.page(start, found.total, batches)

    async def get_with(self, include: frozenset[str], reference: int | str, caller: Caller) -> bytes:
        """A `Batch` that says more, as `include` names it."""
        whole = self.get(reference, caller)
        row = self._row(msgspec.json.decode(whole, type=_Id).id)
        if row is None:
            raise NotFoundError(str(reference))
        return record.with_more(whole, await asyncio.to_thread(self._more, include, row, caller))

    async def log(
        self, reference: int | str, start: int | None, size: int, caller: Caller
    ) -> tuple[int, log.LogPage]:
        """The batch's id and a page of its log."""
        row = self._find(reference, caller, Right.VIEW)
        output = self._directory(row).output
        # In a thread: the first look at a long log reads all of it.
        return row.id, await asyncio.to_thread(log.page, row, output, self._output, start, size)

    async def follow(
        self, reference: int | str, start: int, last_event: str | None, caller: Caller
    ) -> AsyncIterator[bytes]:
        """The batch's log from line `start` on, or behind the event `last_event`, as server-sent events.

        Raises:
            BadNumberError: there is no such event.
            TooManyFollowersError: as many follow already as may.
        """
        self._followers.check()
        row = self._find(reference, caller, Right.VIEW)
        if last_event is None:
            ended, output = row.finished_at is not None, self._output_of(row)
            # In a thread, as in `log`.
            place = await asyncio.to_thread(begin_at, output, self._output, start, complete=ended)
        else:
            place = Place.parse(last_event)
        return self._followers.follow(Follower(lambda: self._row(row.id), self._output_of, place))

    async def progress(self, reference: int | str, caller: Caller) -> Progress:
        """Stages and tasks."""
        row = self._find(reference, caller, Right.VIEW)
        return await asyncio.to_thread(self._progress.progress, row, self._directory(row).events)

    def run(self, reference: int | str, caller: Caller) -> Run:
        """What Spark's pages are made from."""
        row = self._find(reference, caller, Right.VIEW)
        ui = driver_ui(row.app_info) if row.finished_at is None else None
        return Run(f"batch {row.id}", self._directory(row).events, ui)

    async def kill(self, reference: int | str, caller: Caller) -> None:
        """Stop a batch and keep its record. Returns when it has ended.

        Raises:
            AlreadyEndedError: there is nothing to stop.
            StillEndingError: it is being stopped, but that takes longer than a caller should wait.
        """
        row = self._find(reference, caller, Right.MODIFY)
        if row.finished_at is not None:
            raise AlreadyEndedError(f"Batch {row.id} has ended already: it is '{row.state}'.")
        at = self._clock()
        await self._database.write(lambda connection: store.request_kill(connection, row.id, at))
        if not await self._wait(row.id, lambda found: found is None or found.finished_at is not None):
            raise StillEndingError(f"Batch {row.id} is being stopped; look at its state.")

    async def delete(self, reference: int | str, caller: Caller) -> None:
        """Stop a batch if it runs, and forget it. Returns when its processes and files are gone."""
        row = self._find(reference, caller, Right.MODIFY)
        at = self._clock()
        if not await self._database.write(lambda connection: store.request_delete(connection, row.id, at)):
            raise AlreadyStoppedError(row.id)
        await self._wait(row.id, lambda found: found is None)
        self._output.forget(self._directory(row).output)

    def _more(
        self, include: frozenset[str], row: BatchRow | None, caller: Caller
    ) -> dict[str, BatchTimes | Progress | None]:
        """What `include` names of a batch; null of one that has gone meanwhile."""
        more: dict[str, BatchTimes | Progress | None] = {}
        if TIMES in include:
            more[TIMES] = _times(row) if row is not None else None
        if PROGRESS in include:
            # What has ended has come as far as it ever will, and a list of such is not worth a file each.
            runs = row is not None and row.state == State.RUNNING and caller.has(Right.VIEW, row)
            more[PROGRESS] = (
                self._progress.progress(row, self._directory(row).events) if row and runs else None
            )
        return more

    def _row(self, batch_id: int) -> BatchRow | None:
        return self._database.read(lambda connection: store.find(connection, batch_id))

    async def _wait(self, batch_id: int, done: Callable[[BatchRow | None], bool]) -> bool:
        deadline = time.monotonic() + self._settings.kill_grace + _PATIENCE
        told = False
        while time.monotonic() < deadline:
            # In a burst of calls the socket can be full, and after a crash nobody may listen yet.
            told = told or wake(self._home.controller_socket, batch_id)
            if done(self._database.read(lambda connection: store.get(connection, batch_id))):
                return True
            await asyncio.sleep(_LOOK)
        return False

    async def _look_for(self, admitted: submission.Submission) -> None:
        """Refuse at once what storage can tell is not there."""
        for number, path in enumerate(dict.fromkeys(admitted.paths)):
            if number % _LOOKS_AT_ONCE == _LOOKS_AT_ONCE - 1:
                # A folder's account answers at once: others have their turn.
                await asyncio.sleep(0)
            blob = self._paths.blob(path)
            if blob is None:
                continue
            try:
                await self._paths.storage.stat(blob)
            except StorageError as error:
                if error.status >= 500:
                    raise _StorageFailedError(str(error)) from error
                raise RejectedError(str(error)) from None

    def _find(self, reference: int | str, caller: Caller, right: Right) -> BatchRow:
        row = self._database.read(lambda connection: store.find(connection, reference))
        if row is None:
            raise NotFoundError(str(reference))
        caller.check(right, row)
        return row

    def _output_of(self, row: BatchRow) -> Path:
        return self._directory(row).output

    def _directory(self, row: BatchRow) -> RunDirectory:
        return RunDirectory(self._home.batches / row.run_key)

    def _whole(self, row: BatchRow, caller: Caller) -> bytes:
        live = None if row.log_tail is not None or row.claimed_by is None else row.run_key
        visible = caller.has(Right.VIEW, row)
        shown = Shown(row.id, row.record, row.log_tail if visible else None, live if visible else None)
        return self._wire(shown)

    def _wire(self, row: Shown) -> bytes:
        """A `Batch`."""
        tail = row.log_tail or log.NOTHING
        if row.live is not None:
            tail = log.live_tail(RunDirectory(self._home.batches / row.live).output)
        return record.whole(row.record, tail)


class _StorageFailedError(BatchError):
    """Cluster storage can't be asked now."""

    status = 503
