"""A session: statements and jobs that wait, the one that runs, and the interpreters that run them."""

import asyncio
import contextlib
import json
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from headland.jobs.sessions.host.journal import (
    AVAILABLE,
    CANCELLED,
    CANCELLING,
    FINAL,
    JOBS,
    RUNNING,
    WAITING,
    Journal,
    Part,
    Statement,
)
from headland.jobs.sessions.host.processes import Interpreter, InterpreterGoneError
from headland.jobs.sessions.kinds import INTERPRETERS

#: Seconds that an interpreter gets to say how far a statement has come.
_PROGRESS_PATIENCE = 1.0

#: Seconds that it gets to complete a name, or to take on an archive.
_CALL_PATIENCE = 60.0

StartInterpreter = Callable[[str], Awaitable[Interpreter]]


class RefusedError(Exception):
    """What was asked for can't be had; the message says why."""


@dataclass(slots=True)
class _Language:
    """An interpreter, from its start on."""

    interpreter: Interpreter | None = None
    ready: bool = False
    #: How it ended, if it has.
    ended: str | None = None
    #: Whether it is there, and its application is not.
    lost: bool = False


class Session:
    """All that the host knows. Lives on one event loop; nothing here waits for anything but interpreters."""

    def __init__(
        self,
        journal: Journal,
        start: StartInterpreter,
        first: str,
        on_ready: Callable[[dict[str, Any]], None],
        *,
        cancel_patience: float,
    ) -> None:
        """`first` names the interpreter that the session begins with; `on_ready` is told what that one says of the
        application.
        """
        self._journal = journal
        self._start = start
        self._first = first
        self._on_ready = on_ready
        self._cancel_patience = cancel_patience
        self._languages: dict[str, _Language] = {}
        self._waiting: deque[Statement] = deque()
        #: What an interpreter is at, however it stands with the statement by now.
        self._current: Statement | None = None
        self._active_at = _now()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._progress = 0.0
        #: What the application was given since its start: what it is, and where.
        self._added: list[tuple[str, str]] = []
        self.stopping = False
        self.application: dict[str, Any] = {}
        #: Set when the first interpreter has ended before it was ready.
        self.failed = asyncio.Event()

    @property
    def state(self) -> str:
        """As Livy has it (`livy.md` section 4.1)."""
        if self.stopping:
            return "shutting_down"
        if not self.application:
            return "starting"
        if self._current is not None or self._waiting:
            return "busy"
        languages = self._languages.values()
        return "error" if any(language.ended or language.lost for language in languages) else "idle"

    def about(self) -> dict[str, Any]:
        """State and application; since when it has been idle, in milliseconds since the epoch."""
        idle = self._current is None and not self._waiting
        return {"state": self.state, **self.application, "idle_since": self._active_at if idle else None}

    def touch(self) -> None:
        """Somebody has use for the session."""
        self._active_at = _now()

    async def begin(self) -> None:
        """Start the first interpreter."""
        await self._have(self._first)

    def submit(self, list_: str, kind: str, code: bytes) -> Statement:
        """Take a statement or job on, whose code is JSON: once this returns, it is on disk.

        Raises:
            RefusedError: the session is not up. The message is its state.
            OSError: it can't be put on record.
        """
        if self.stopping or not self.application:
            raise RefusedError(self.state)
        statement = self._journal.accept(kind, code, _now(), list_)
        self.touch()
        self._waiting.append(statement)
        self._in_background(self._next())
        return statement

    def cancel(self, list_: str, number: int) -> None:
        """Stop a statement or job, if there is one to stop."""
        statement = self.find(list_, number)
        if statement is not None:
            self._cancel(statement)

    def _cancel(self, statement: Statement) -> None:
        self.touch()
        if statement.state == WAITING:
            if statement is not self._current:  # whose interpreter is being started
                self._waiting.remove(statement)
            self._journal.end(statement, CANCELLED, None, _now())
        elif statement.state == RUNNING:
            statement.state = CANCELLING
            interpreter = self._interpreter_of(statement)
            if interpreter is not None:
                interpreter.tell(do="cancel", list=statement.list, id=statement.id)
            self._in_background(self._give_up(statement))

    def interrupt(self) -> None:
        """Stop the statement that runs, and those that wait."""
        for statement in [*self._waiting, *([self._current] if self._current is not None else ())]:
            self._cancel(statement)

    async def complete(self, kind: str, code: str, cursor: int | None) -> list[str]:
        """What can stand at `cursor`, or at the code's end. Nothing, where that kind's interpreter is not there."""
        self.touch()
        language = self._languages.get(INTERPRETERS[kind])
        if language is None or not language.ready or language.interpreter is None:
            return []
        try:
            found: list[str] = await language.interpreter.ask(
                _CALL_PATIENCE, do="complete", kind=kind, code=code, cursor=cursor
            )
        except InterpreterGoneError:
            return []
        return found

    async def add(self, what: str, path: str) -> None:
        """Give the application an archive or file.

        Raises:
            RefusedError: it does not take it, or there is none.
        """
        self.touch()
        ready = [language for language in self._languages.values() if language.ready and not language.ended]
        if not ready:
            raise RefusedError(f"Session is in state {self.state}")
        # Interpreters that are started meanwhile take it on by themselves.
        self._added.append((what, path))
        for language in ready:
            if language.interpreter is not None:
                try:
                    await language.interpreter.ask(_CALL_PATIENCE, do="add", what=what, path=path)
                except InterpreterGoneError as error:
                    self._added.remove((what, path))
                    raise RefusedError(str(error)) from None

    def find(self, list_: str, number: int) -> Statement | None:
        listed = self._journal.lists[list_]
        return listed[number] if 0 <= number < len(listed) else None

    @property
    def statements(self) -> list[Statement]:
        return self._journal.statements

    def pieces(self, parts: list[Part]) -> Iterator[bytes]:
        """What is shown, as it is read."""
        return self._journal.pieces(parts)

    async def shown(self, statement: Statement) -> list[Part]:
        """A statement or job as it goes over the wire."""
        progress = 0.0
        if statement.list == JOBS:
            # Its interpreter may be being started.
            return shown_job(self._journal, statement, begun=statement is self._current)
        if statement.state not in FINAL and statement is self._current:
            progress = await self._asked_progress(statement)
        return shown(self._journal, statement, progress)

    def stop(self) -> None:
        """No cell runs from here on."""
        self.stopping = True
        for language in self._languages.values():
            if language.interpreter is not None:
                language.interpreter.kill()

    async def gone(self) -> None:
        """Wait for the ends of what `stop` has ended."""
        languages = self._languages.values()
        interpreters = [each.interpreter for each in languages if each.interpreter is not None]
        await asyncio.gather(*(interpreter.ended() for interpreter in interpreters))

    async def _asked_progress(self, statement: Statement) -> float:
        interpreter = self._interpreter_of(statement)
        if interpreter is not None:
            # Where it does not say, what was known last will do.
            with contextlib.suppress(InterpreterGoneError):
                self._progress = await interpreter.ask(
                    _PROGRESS_PATIENCE, do="progress", list=statement.list, id=statement.id
                )
        return self._progress if statement is self._current else float(statement.completed > 0)

    async def _next(self) -> None:
        """Run what waits, unless something runs."""
        if self._current is not None or not self._waiting or self.stopping:
            return
        statement = self._current = self._waiting.popleft()
        self._progress = 0.0
        language = await self._have(INTERPRETERS[statement.kind])
        if language.ready and language.interpreter is not None and not language.ended:
            self._run(statement, language.interpreter)
        elif language.ended:
            self._interpreter_died(statement, language.ended)

    def _run(self, statement: Statement, interpreter: Interpreter) -> None:
        if statement.state == WAITING:
            self._journal.start(statement, _now())
            code = self._journal.code(statement)
            interpreter.tell(code, do="run", list=statement.list, id=statement.id, kind=statement.kind)
        else:
            self._done()

    async def _have(self, name: str) -> _Language:
        """The interpreter of this name, which is started if need be."""
        if (language := self._languages.get(name)) is not None:
            return language
        language = self._languages[name] = _Language()
        try:
            language.interpreter = await self._start(name)
        except OSError as error:
            self._ended(language, name, f"it can't be started: {error}")
        else:
            self._in_background(self._follow(language, name, language.interpreter))
        return language

    async def _follow(self, language: _Language, name: str, interpreter: Interpreter) -> None:
        async def heard(message: dict[str, Any]) -> None:
            self._hear(language, message)

        self._ended(language, name, await interpreter.follow(heard))

    def _hear(self, language: _Language, message: dict[str, Any]) -> None:
        if message["event"] == "ready":
            self._in_background(self._take_on(language, message))
            return
        if message["event"] == "application":
            language.lost = message["lost"]
            return
        statement = self.find(message["list"], message["id"])
        if statement is not None and statement.state in {RUNNING, CANCELLING}:
            state = CANCELLED if statement.state == CANCELLING else AVAILABLE
            self._journal.end(statement, state, message["output"], _now())
        self._done()

    async def _take_on(self, language: _Language, message: dict[str, Any]) -> None:
        """An interpreter is there: give it what the others were given before, then what it is to run."""
        interpreter = language.interpreter
        if interpreter is None:
            return
        # The list may grow meanwhile.
        for what, path in self._added:
            with contextlib.suppress(InterpreterGoneError):
                await interpreter.ask(_CALL_PATIENCE, do="add", what=what, path=path)
        language.ready = True
        self.touch()
        if not self.application:
            self.application = {"app_id": message["app_id"], "ui_url": message["ui_url"]}
            self._on_ready(self.application)
        current = self._current
        if current is not None and self._languages.get(INTERPRETERS[current.kind]) is language:
            self._run(current, interpreter)

    def _ended(self, language: _Language, name: str, how: str) -> None:
        language.ended = how
        if name == self._first and not language.ready:
            self.failed.set()
        current = self._current
        if current is not None and INTERPRETERS[current.kind] == name:
            self._interpreter_died(current, how)

    def _interpreter_died(self, statement: Statement, how: str) -> None:
        if statement.state in {WAITING, RUNNING}:
            self._journal.end(statement, AVAILABLE, died(statement, how), _now())
        elif statement.state == CANCELLING:
            self._journal.end(statement, CANCELLED, None, _now())
        self._done()

    async def _give_up(self, statement: Statement) -> None:
        """Let what can't be stopped go its way: its session stays busy, but its statement is over."""
        await asyncio.sleep(self._cancel_patience)
        if statement.state == CANCELLING:
            self._journal.end(statement, CANCELLED, None, _now())

    def _done(self) -> None:
        self._current = None
        self.touch()
        self._in_background(self._next())

    def _interpreter_of(self, statement: Statement) -> Interpreter | None:
        language = self._languages.get(INTERPRETERS[statement.kind])
        return language.interpreter if language is not None and not language.ended else None

    def _in_background(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def shown(journal: Journal, statement: Statement, progress: float = 0.0) -> list[Part]:
    """A statement as it goes over the wire. `progress` is of one that has not ended."""
    progress = 1.0 if statement.state in FINAL else progress
    return [
        b'{"id":%d,"code":' % statement.id,
        journal.code_part(statement),
        b',"state":"%s","output":' % statement.state.encode(),
        journal.output_part(statement),
        b',"progress":%s,"started":%d,"completed":%d}'
        % (json.dumps(progress).encode(), statement.started, statement.completed),
    ]


def page(total: int, statements: list[list[Part]]) -> list[Part]:
    """A page of statements as it goes over the wire."""
    parts: list[Part] = [b'{"total_statements":%d,"statements":[' % total]
    for number, statement in enumerate(statements):
        parts += [b",", *statement] if number else statement
    return [*parts, b"]}"]


def shown_job(journal: Journal, job: Statement, *, begun: bool = False) -> list[Part]:
    """A job as it goes over the wire: its output, which says how it ended, behind its number."""
    if job.state == AVAILABLE:
        output = journal.output_part(job)
        # Without its opening brace.
        rest = output[1:] if isinstance(output, bytes) else (output[0] + 1, output[1] - 1)
        return [b'{"id":%d,' % job.id, rest]
    state = "CANCELLED" if job.state in {CANCELLING, CANCELLED} else "STARTED" if begun else "QUEUED"
    return [b'{"id":%d,"state":"%s","result":null,"error":null}' % (job.id, state.encode())]


def failed_job(error: str) -> dict[str, Any]:
    """The output of a job that gave no result."""
    return {"state": "FAILED", "result": None, "error": error}


def died(statement: Statement, how: str) -> dict[str, Any]:
    """The output of a statement or job whose interpreter has ended."""
    if statement.list == JOBS:
        return failed_job(f"Interpreter died:\n{how}")
    return {
        "status": "error",
        "execution_count": statement.id,
        "ename": "Error",
        "evalue": f"Interpreter died:\n{how}",
        "traceback": [],
    }


def _now() -> int:
    return time.time_ns() // 1_000_000


def read_journal(path: Path) -> Journal:
    """The journal of a session that may be over."""
    journal = Journal(path)
    journal.read()
    return journal
