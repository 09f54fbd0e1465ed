"""What can be done with batches: the rules between HTTP and rows."""

import asyncio
import secrets
import time
from collections.abc import Callable

import msgspec

from headland.database import Database
from headland.jobs.batches import log, store, submission
from headland.jobs.batches.admission import admit
from headland.jobs.batches.errors import (
    AlreadyEndedError,
    BatchError,
    NotFoundError,
    RejectedError,
    StillEndingError,
)
from headland.jobs.batches.output import OutputReader
from headland.jobs.batches.paths import PathRules
from headland.jobs.batches.progress import ProgressReader
from headland.jobs.batches.store import BatchRow
from headland.jobs.batches.wire import AppInfo, Batch, BatchRequest, Progress
from headland.jobs.runner.run_directory import RunDirectory
from headland.jobs.wakeup import wake
from headland.security import Principal
from headland.settings import Home, JobsSettings
from headland.storage import StorageError

#: Seconds between looks at whether a deleted batch has gone.
_LOOK = 0.02

#: Seconds beyond `kill_grace` after which a deletion is answered even if its processes still linger:
#: it is on record, and will be carried out.
_PATIENCE = 10.0


def now() -> int:
    """Milliseconds since the epoch."""
    return time.time_ns() // 1_000_000


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
        self._home = home
        self._clock = clock
        self._output = OutputReader()
        self._progress = ProgressReader()

    async def submit(self, request: BatchRequest, principal: Principal | None) -> Batch:
        """Put a batch into the queue; once this returns, it is on disk.

        Raises:
            BatchError: a rule forbids it, or something that it names is not there.
        """
        admitted = admit(request, self._settings, self._paths)
        await self._look_for(admitted)
        new = store.NewBatch(
            run_key=secrets.token_hex(16),
            name=admitted.name,
            owner=principal.client_id if principal else None,
            proxy_user=admitted.proxy_user,
            request=submission.encode(admitted),
            created_at=self._clock(),
            queue=admitted.queue,
        )
        try:
            row = await self._database.write(lambda connection: store.create(connection, new))
        except store.DuplicateNameError as error:
            raise RejectedError(
                f"Duplicate session name: Some({error.name}) for session {error.holder}"
            ) from None
        wake(self._home.controller_socket)
        return self._wire(row)

    def get(self, reference: int | str) -> Batch:
        """Raises NotFoundError, as do all that follow."""
        return self._wire(self._find(reference))

    def state(self, reference: int | str) -> tuple[int, str]:
        """Id and state alone."""
        row = self._find(reference)
        return row.id, row.state

    def page(self, start: int, size: int) -> tuple[int, list[Batch]]:
        """How many there are in all, and `size` of them from number `start` on. A start below 0 shortens
        the page, as in Livy.
        """
        size = max(0, min(size, start + size)) if start < 0 else max(0, size)
        total, rows = self._database.read_snapshot(
            lambda connection: (store.total(connection), store.page(connection, max(0, start), size))
        )
        return total, [self._wire(row) for row in rows]

    async def log(self, reference: int | str, start: int | None, size: int) -> tuple[int, log.LogPage]:
        """The batch's id and a page of its log."""
        row = self._find(reference)
        output = self._directory(row).output
        # In a thread: the first look at a long log reads all of it.
        return row.id, await asyncio.to_thread(log.page, row, output, self._output, start, size)

    async def progress(self, reference: int | str) -> Progress:
        """Stages and tasks."""
        row = self._find(reference)
        return await asyncio.to_thread(self._progress.progress, row, self._directory(row).events)

    async def kill(self, reference: int | str) -> None:
        """Stop a batch and keep its record. Returns when it has ended.

        Raises:
            AlreadyEndedError: there is nothing to stop.
            StillEndingError: it is being stopped, but that takes longer than a caller should wait.
        """
        row = self._find(reference)
        if row.finished_at is not None:
            raise AlreadyEndedError(f"Batch {row.id} has ended already: it is '{row.state}'.")
        at = self._clock()
        await self._database.write(lambda connection: store.request_kill(connection, row.id, at))
        if not await self._wait(row.id, lambda found: found is None or found.finished_at is not None):
            raise StillEndingError(f"Batch {row.id} is being stopped; look at its state.")

    async def delete(self, reference: int | str) -> None:
        """Stop a batch if it runs, and forget it. Returns when its processes and files are gone."""
        row = self._find(reference)
        at = self._clock()
        if not await self._database.write(lambda connection: store.request_delete(connection, row.id, at)):
            raise NotFoundError(str(reference))
        await self._wait(row.id, lambda found: found is None)
        self._output.forget(self._directory(row).output)

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
        for path in admitted.paths:
            blob = self._paths.blob(path)
            if blob is None:
                continue
            try:
                await self._paths.storage.stat(blob)
            except StorageError as error:
                if error.status >= 500:
                    raise _StorageFailedError(str(error)) from error
                raise RejectedError(str(error)) from None

    def _find(self, reference: int | str) -> BatchRow:
        row = self._database.read(lambda connection: store.find(connection, reference))
        if row is None:
            raise NotFoundError(str(reference))
        return row

    def _directory(self, row: BatchRow) -> RunDirectory:
        return RunDirectory(self._home.batches / row.run_key)

    def _wire(self, row: BatchRow) -> Batch:
        lines = log.kept_lines(row)
        return Batch(
            id=row.id,
            name=row.name,
            owner=row.owner,
            proxy_user=row.proxy_user,
            state=row.state,
            app_id=row.app_id,
            app_info=msgspec.json.decode(row.app_info, type=AppInfo) if row.app_info else AppInfo(),
            # A path is made only where a file is read: on a page of batches it would cost as much as all else.
            log=log.last_lines(row, self._directory(row).output) if lines is None else lines,
        )


class _StorageFailedError(BatchError):
    """Cluster storage can't be asked now."""

    status = 503
