"""Statements of sessions: handed to the host while there is one, read from its journal afterwards."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

from starlette.concurrency import iterate_in_threadpool

from headland.jobs.batches.access import Caller, Right
from headland.jobs.sessions.commission import statement_kind
from headland.jobs.sessions.errors import (
    AddFailedError,
    InactiveError,
    JobNotFoundError,
    JournalError,
    NotUpError,
    StatementNotFoundError,
)
from headland.jobs.sessions.host import session as host
from headland.jobs.sessions.host.journal import (
    AVAILABLE,
    CANCELLED,
    FINAL,
    JOBS,
    STATEMENTS,
    WAITING,
    Journal,
    Part,
    Statement,
)
from headland.jobs.sessions.host_calls import HostSilentError, ask, ask_long
from headland.jobs.sessions.service import Sessions
from headland.jobs.sessions.shown import state_of
from headland.jobs.sessions.states import State
from headland.jobs.sessions.store import SessionRow

#: Seconds for what a host has to ask its interpreters for.
_PATIENCE = 90.0


class Statements:
    """Run code in sessions."""

    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions

    def taking(self, reference: int | str, caller: Caller) -> SessionRow:
        """The session, for a caller who wants to have code run in it.

        Raises:
            NotUpError: it takes none.
        """
        row = self._sessions.find(reference, caller, Right.MODIFY)
        if row.finished_at is not None or row.unwanted:
            raise NotUpError(state_of(row, None))
        return row

    async def submit(
        self, row: SessionRow, code: bytes | Path, kind: str | None, list_: str = STATEMENTS
    ) -> tuple[int, AsyncIterator[bytes]]:
        """Have code run, which is JSON, or a file with that; number and record of the statement or job. Once this
        returns, it is in the session's journal.

        Raises:
            NotUpError: the session takes no statements.
            BadKindError: there is no such kind of statement.
            JournalError: the disk does not take it.
        """
        details: dict[str, Any] = {"file": str(code)} if isinstance(code, Path) else {"body": code}
        details |= {"list": list_, "kind": statement_kind(kind, row.kind)}
        try:
            folder = self._sessions.folder(row)
            told, shown = await ask_long(folder.path, "submit", patience=_PATIENCE, **details)
        except HostSilentError:
            raise NotUpError(state_of(row, None)) from None
        if told.get("failed"):
            raise JournalError(told["problem"])
        if shown is None:
            raise NotUpError(told["problem"])
        return told["id"], shown

    async def page(
        self, reference: int | str, start: int, size: int | None, caller: Caller, *, newest_first: bool
    ) -> AsyncIterator[bytes]:
        """How many statements there are, and the `size` from number `start` on; all, where no size is given. As all
        records here, in JSON, and piece by piece: code and output may be tens of megabytes long.
        """
        row = self._sessions.find(reference, caller, Right.VIEW)
        stop = None if size is None else max(0, start + size)
        start = max(0, start)
        wanted = {"start": start, "stop": stop, "newest_first": newest_first}
        with contextlib.suppress(HostSilentError):
            if (found := await self._shown(row, "statements", **wanted)) is not None:
                return found
        return await asyncio.to_thread(_read_page, self._journal(row), start, stop, newest_first)

    async def get(
        self, reference: int | str, number: int, caller: Caller, list_: str = STATEMENTS
    ) -> AsyncIterator[bytes]:
        """A statement or job.

        Raises:
            StatementNotFoundError, JobNotFoundError: there is none.
        """
        row = self._sessions.find(reference, caller, Right.VIEW)
        try:
            found = await self._shown(row, "find", list=list_, id=number)
        except HostSilentError:
            found = await asyncio.to_thread(_read_one, self._journal(row), list_, number)
        if found is None:
            raise JobNotFoundError(number) if list_ == JOBS else StatementNotFoundError
        return found

    async def cancel(
        self, reference: int | str, number: int, caller: Caller, list_: str = STATEMENTS
    ) -> None:
        """Stop a statement or job, if there is one that has not ended."""
        row = self._sessions.find(reference, caller, Right.MODIFY)
        await self._demand(row, "cancel", list=list_, id=number)

    async def interrupt(self, reference: int | str, caller: Caller) -> None:
        """Stop the statement that runs, and those that wait: none, where a session has ended or is not up yet."""
        row = self._sessions.find(reference, caller, Right.MODIFY)
        try:
            await self._told(row, "interrupt")
        except HostSilentError:
            if row.finished_at is None and not row.unwanted and row.state != State.STARTING:
                raise InactiveError from None

    async def complete(
        self, reference: int | str, code: str, cursor: int | None, kind: str | None, caller: Caller
    ) -> list[str]:
        """What can stand at the position `cursor` of `code`; at its end, where there is none."""
        row = self._sessions.find(reference, caller, Right.MODIFY)
        wanted = statement_kind(kind, row.kind)
        told = await self._demand(row, "complete", kind=wanted, code=code, cursor=cursor)
        candidates: list[str] = told["candidates"]
        return candidates

    async def add(self, row: SessionRow, what: str, path: str) -> None:
        """Give the session's application a `jar`, `pyfile` or `file`.

        Raises:
            InactiveError: it has none.
            AddFailedError: it does not take it.
        """
        told = await self._demand(row, "add", what=what, path=path)
        if "problem" in told:
            raise AddFailedError(told["problem"])

    async def _demand(self, row: SessionRow, question: str, **details: Any) -> dict[str, Any]:
        """What only a host can answer.

        Raises:
            InactiveError: there is none.
        """
        try:
            return await self._told(row, question, **details)
        except HostSilentError:
            raise InactiveError from None

    async def _told(self, row: SessionRow, question: str, **details: Any) -> dict[str, Any]:
        if row.finished_at is not None:
            raise HostSilentError
        return await ask(self._sessions.folder(row).path, question, patience=_PATIENCE, **details)

    async def _shown(self, row: SessionRow, question: str, **details: Any) -> AsyncIterator[bytes] | None:
        if row.finished_at is not None:
            raise HostSilentError
        folder = self._sessions.folder(row)
        _, pieces = await ask_long(folder.path, question, patience=_PATIENCE, **details)
        return pieces

    def _journal(self, row: SessionRow) -> Callable[[], Journal]:
        folder = self._sessions.folder(row)
        return lambda: _closed(host.read_journal(folder.journal), over=row.finished_at is not None)


def _closed(journal: Journal, *, over: bool) -> Journal:
    """The journal of a session without a host. Where that is `over`, so are its statements, whatever they were at."""
    if over:
        for statement in (each for listed in journal.lists.values() for each in listed):
            if statement.state not in FINAL:
                statement.state = CANCELLED if statement.state == WAITING else AVAILABLE
    return journal


def _read_page(
    read: Callable[[], Journal], start: int, stop: int | None, newest_first: bool
) -> AsyncIterator[bytes]:
    journal = read()
    listed = journal.statements[::-1] if newest_first else journal.statements
    shown = host.page(len(listed), [_read(journal, each) for each in listed[start:stop]])
    return iterate_in_threadpool(journal.pieces(shown))


def _read_one(read: Callable[[], Journal], list_: str, number: int) -> AsyncIterator[bytes] | None:
    journal = read()
    listed = journal.lists[list_]
    if number >= len(listed):
        return None
    return iterate_in_threadpool(journal.pieces(_read(journal, listed[number])))


def _read(journal: Journal, statement: Statement) -> list[Part]:
    if statement.state == AVAILABLE and statement.output_place is None:
        journal.lose(statement, _lost(statement))
    if statement.list == JOBS:
        return host.shown_job(journal, statement)
    return host.shown(journal, statement)


def _lost(statement: Statement) -> dict[str, Any]:
    """The output of one that has none, as its session ended first."""
    if statement.list == JOBS:
        return host.failed_job("The session ended while the job was running.")
    return {
        "status": "error",
        "execution_count": statement.id,
        "ename": "SessionEnded",
        "evalue": "The session ended while the statement was running.",
        "traceback": [],
    }
