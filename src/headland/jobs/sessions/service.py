"""What can be done with sessions: the rules between HTTP, rows and hosts."""

import asyncio
import contextlib
import secrets
import time
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Any

import msgspec
from sqlalchemy import Connection

from headland.database import Database
from headland.jobs import identity
from headland.jobs.batches import log
from headland.jobs.batches.access import Access, Caller, Right
from headland.jobs.batches.admission import takes_long
from headland.jobs.batches.errors import AlreadyStoppedError, NotFoundError, RejectedError
from headland.jobs.batches.output import OutputReader
from headland.jobs.batches.paths import PathRules
from headland.jobs.batches.service import now
from headland.jobs.batches.store import DuplicateNameError
from headland.jobs.environments.service import Environments
from headland.jobs.sessions import commission, host_calls, store
from headland.jobs.sessions.host_calls import HostSilentError
from headland.jobs.sessions.listing import Wanted
from headland.jobs.sessions.run_folder import SessionFolder
from headland.jobs.sessions.shown import shown, state_of
from headland.jobs.sessions.store import SessionRow
from headland.jobs.sessions.wire import Session, SessionRequest
from headland.jobs.spark_ui.run import Run, driver_ui
from headland.jobs.wakeup import wake_for_sessions
from headland.settings import Home, JobsSettings

#: Sessions of a page that are read at once.
_READ_AT_ONCE = 20

#: Seconds between looks at whether a session has ended.
_LOOK = 0.02

#: Seconds beyond `kill_grace` after which a deletion is answered even if processes still linger: it is on record,
#: and will be carried out.
_PATIENCE = 10.0


class Sessions:
    """Start, look at, and end sessions."""

    def __init__(
        self,
        database: Database,
        paths: PathRules,
        settings: JobsSettings,
        home: Home,
        clock: Callable[[], int] = now,
    ) -> None:
        self._database = database
        self.paths = paths
        self.settings = settings
        self.access = Access(settings)
        self._home = home
        self._environments = Environments(database, settings, home, clock)
        self._clock = clock
        self._output = OutputReader()

    async def create(self, request: SessionRequest, caller: Caller) -> Session:
        """Have a session started; once this returns its record, it is on disk.

        Raises:
            BatchError: a rule forbids it.
        """
        if caller.acting_for is not None:
            request = msgspec.structs.replace(request, proxy_user=caller.acting_for)
        rules = self.settings, self.paths
        if takes_long(request):
            wanted = await asyncio.to_thread(commission.commission, request, *rules)
        else:
            wanted = commission.commission(request, *rules)
        asked = self._environments.resolve(wanted.submission)
        wanted = msgspec.structs.replace(wanted, submission=asked)
        caller.check_acts_for(asked.proxy_user)
        new = store.NewSession(
            run_key=secrets.token_hex(16),
            name=asked.name,
            owner=caller.client_id,
            proxy_user=asked.proxy_user,
            kind=wanted.kind,
            request=commission.encode(wanted),
            created_at=self._clock(),
            submitter=identity.encode(caller.principal),
        )
        try:
            row = await self._database.write(lambda connection: store.create(connection, new))
        except DuplicateNameError as error:
            raise RejectedError(
                f"Duplicate session name: Some({error.name}) for session {error.holder}"
            ) from None
        wake_for_sessions(self._home.controller_socket)
        return await self._shown(row, caller)

    async def get(self, reference: int | str, caller: Caller) -> Session:
        """The record. Raises NotFoundError, as do all that follow, and NotAllowedError, as do those that need a
        right.
        """
        return await self._shown(self.find(reference, caller, Right.SEE), caller)

    async def page(self, start: int, size: int, caller: Caller, wanted: Wanted) -> AsyncIterator[bytes]:
        """A `SessionList` of the `size` sessions from number `start` on, in parts that are read as they are asked for:
        sessions that are deleted meanwhile are left out. A start below 0 shortens the page, as in Livy.
        """
        size = max(0, min(size, start + size)) if start < 0 else max(0, size)

        def look(connection: Connection) -> tuple[int, list[int]]:
            return store.total(connection, wanted), store.ids(connection, wanted, max(0, start), size)

        total, ids = await asyncio.to_thread(self._database.read_snapshot, look)
        yield b'{"from":%d,"total":%d,"sessions":[' % (start, total)
        before = b""
        for at in range(0, len(ids), _READ_AT_ONCE):
            some = ids[at : at + _READ_AT_ONCE]
            rows = await asyncio.to_thread(self._database.read, partial(store.rows, ids=some))
            told = await asyncio.gather(*map(self.about, rows))
            for row, about in zip(rows, told, strict=True):
                # One after the other: each may have a configuration of a megabyte.
                yield before + await asyncio.to_thread(self._encoded, row, about, caller)
                before = b","
        yield b"]}"

    async def state(self, reference: int | str, caller: Caller) -> tuple[int, str]:
        """Id and state alone."""
        row = self.find(reference, caller, Right.SEE)
        return row.id, state_of(row, await self.about(row))

    async def log(
        self, reference: int | str, start: int | None, size: int, caller: Caller
    ) -> tuple[int, log.LogPage]:
        """The session's id and a page of its log."""
        row = self.find(reference, caller, Right.VIEW)
        output = self.folder(row).output
        return row.id, await asyncio.to_thread(log.page, row, output, self._output, start, size)

    def run(self, reference: int | str, caller: Caller) -> Run:
        """What Spark's pages are made from."""
        row = self.find(reference, caller, Right.VIEW)
        ui = driver_ui(row.app_info) if row.finished_at is None else None
        return Run(f"session {row.id}", self.folder(row).events, ui)

    async def connect(self, reference: int | str, caller: Caller) -> Session:
        """The record; from here on its idle time counts anew."""
        row = self.find(reference, caller, Right.MODIFY)
        if row.finished_at is None:
            with contextlib.suppress(HostSilentError):
                await host_calls.ask(self.folder(row).path, "touch")
        return await self._shown(row, caller)

    async def stop(self, reference: int | str, caller: Caller) -> None:
        """End a session and keep its record. Returns when it has ended; at once if it has before."""
        row = self.find(reference, caller, Right.MODIFY)
        at = self._clock()
        reason = "The session was stopped on request."
        await self._database.write(lambda connection: store.request_stop(connection, row.id, at, reason))
        await self._wait(row.id, lambda found: found is None or found.finished_at is not None)

    async def delete(self, reference: int | str, caller: Caller) -> None:
        """End a session, and forget it. Returns when its processes and files are gone."""
        row = self.find(reference, caller, Right.MODIFY)
        at = self._clock()
        if not await self._database.write(lambda connection: store.request_delete(connection, row.id, at)):
            raise AlreadyStoppedError(row.id)
        await self._wait(row.id, lambda found: found is None)
        self._output.forget(self.folder(row).output)

    def find(self, reference: int | str, caller: Caller, right: Right) -> SessionRow:
        """The row, for a caller that has the right."""
        row = self._database.read(lambda connection: store.find(connection, reference))
        if row is None:
            raise NotFoundError(str(reference))
        caller.check(right, row, "session")
        if row.finished_at is None:
            # Whoever asks for a session by its id has use for it: the heartbeat of Livy's clients.
            self.folder(row).beat()
        return row

    def folder(self, row: SessionRow) -> SessionFolder:
        return SessionFolder(self._home.sessions / row.run_key)

    async def about(self, row: SessionRow) -> dict[str, Any] | None:
        """As `host_calls.about`."""
        return await host_calls.about(self.folder(row).path, row)

    async def _shown(self, row: SessionRow, caller: Caller) -> Session:
        return self._shown_by(row, await self.about(row), caller)

    def _encoded(self, row: SessionRow, about: dict[str, Any] | None, caller: Caller) -> bytes:
        return msgspec.json.encode(self._shown_by(row, about, caller))

    def _shown_by(self, row: SessionRow, about: dict[str, Any] | None, caller: Caller) -> Session:
        lines = row.log_tail or (log.NOTHING if row.claimed_by is None else self._live_tail(row))
        return shown(row, about, lines, in_full=caller.has(Right.VIEW, row))

    def _live_tail(self, row: SessionRow) -> bytes:
        return log.live_tail(self.folder(row).output)

    async def _wait(self, session_id: int, done: Callable[[SessionRow | None], bool]) -> None:
        deadline = time.monotonic() + self.settings.kill_grace + _PATIENCE
        told = False
        while time.monotonic() < deadline:
            told = told or wake_for_sessions(self._home.controller_socket)
            if done(self._database.read(lambda connection: store.get(connection, session_id))):
                return
            await asyncio.sleep(_LOOK)
