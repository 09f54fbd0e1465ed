"""Statements of sessions: handed to the host while there is one, read from its journal afterwards."""

import asyncio
from collections.abc import Callable
from typing import Any

from headland.jobs.batches.access import Caller, Right
from headland.jobs.sessions.commission import statement_kind
from headland.jobs.sessions.errors import (
    AddFailedError,
    InactiveError,
    JournalError,
    NotUpError,
    StatementNotFoundError,
)
from headland.jobs.sessions.host.journal import AVAILABLE, CANCELLED, FINAL, WAITING, Journal, Statement
from headland.jobs.sessions.host.session import read_journal
from headland.jobs.sessions.host.session import shown as statement_shown
from headland.jobs.sessions.host_calls import HostSilentError, ask
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

    async def submit(
        self, reference: int | str, code: str, kind: str | None, caller: Caller
    ) -> tuple[int, dict[str, Any]]:
        """Have code run; the session's id, and the statement. Once this returns, it is in the session's journal.

        Raises:
            NotUpError: the session takes no statements.
            BadKindError: there is no such kind of statement.
            JournalError: the disk does not take it.
        """
        row = self._sessions.find(reference, caller, Right.MODIFY)
        wanted = statement_kind(kind, row.kind)
        if row.finished_at is not None or row.unwanted:
            raise NotUpError(state_of(row, None))
        try:
            told = await ask(self._sessions.folder(row).path, "submit", kind=wanted, code=code)
        except HostSilentError:
            raise NotUpError(state_of(row, None)) from None
        if told.get("failed"):
            raise JournalError(told["problem"])
        if "problem" in told:
            raise NotUpError(told["problem"])
        return row.id, told["statement"]

    async def page(
        self, reference: int | str, start: int, size: int | None, caller: Caller, *, newest_first: bool
    ) -> tuple[int, list[dict[str, Any]]]:
        """How many statements there are, and the `size` from number `start` on; all, where no size is given."""
        row = self._sessions.find(reference, caller, Right.VIEW)
        stop = None if size is None else max(0, start + size)
        start = max(0, start)
        try:
            told = await self._told(row, "statements", start=start, stop=stop, newest_first=newest_first)
        except HostSilentError:
            return await asyncio.to_thread(_read_page, self._journal(row), start, stop, newest_first)
        return told["total"], told["statements"]

    async def get(self, reference: int | str, number: int, caller: Caller) -> dict[str, Any]:
        """A statement.

        Raises:
            StatementNotFoundError: there is none.
        """
        row = self._sessions.find(reference, caller, Right.VIEW)
        try:
            found = (await self._told(row, "statement", id=number))["statement"]
        except HostSilentError:
            found = await asyncio.to_thread(_read_one, self._journal(row), number)
        if found is None:
            raise StatementNotFoundError
        statement: dict[str, Any] = found
        return statement

    async def cancel(self, reference: int | str, number: int, caller: Caller) -> None:
        """Stop a statement, if there is one that has not ended."""
        row = self._sessions.find(reference, caller, Right.MODIFY)
        await self._demand(row, "cancel", id=number)

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

    def _journal(self, row: SessionRow) -> Callable[[], Journal]:
        folder = self._sessions.folder(row)
        return lambda: _closed(read_journal(folder.journal), over=row.finished_at is not None)


def _closed(journal: Journal, *, over: bool) -> Journal:
    """The journal of a session without a host. Where that is `over`, so are its statements, whatever they were at."""
    if over:
        for statement in journal.statements:
            if statement.state not in FINAL:
                statement.state = CANCELLED if statement.state == WAITING else AVAILABLE
    return journal


def _read_page(
    read: Callable[[], Journal], start: int, stop: int | None, newest_first: bool
) -> tuple[int, list[dict[str, Any]]]:
    journal = read()
    listed = journal.statements[::-1] if newest_first else journal.statements
    return len(listed), [_read(journal, each) for each in listed[start:stop]]


def _read_one(read: Callable[[], Journal], number: int) -> dict[str, Any] | None:
    journal = read()
    return _read(journal, journal.statements[number]) if number < len(journal.statements) else None


def _read(journal: Journal, statement: Statement) -> dict[str, Any]:
    output = journal.output(statement)
    if statement.state == AVAILABLE and output is None:
        output = {
            "status": "error",
            "execution_count": statement.id,
            "ename": "SessionEnded",
            "evalue": "The session ended while the statement was running.",
            "traceback": [],
        }
    return statement_shown(statement, output, 1.0 if statement.state in FINAL else 0.0)
