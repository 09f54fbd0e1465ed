"""One writer thread with group commit.

A durable commit costs a flush of the disk, whatever its size. Writes that arrive while one commit is under
way share the next: each runs in a savepoint of its own, so one that fails undoes itself alone, and none is
acknowledged before the common commit has returned. What an event loop submits while it goes round once arrives
together, and is answered together: each word between threads costs as much as a statement.
"""

import asyncio
import contextlib
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from sqlalchemy import Connection

from headland.database.errors import DatabaseUnavailableError
from headland.database.system import System

#: A commit with so many in it takes no more: the wait of the first write for the last one's turn would cost more than
#: another flush.
MOST_PER_COMMIT = 256

Change = Callable[[Connection], Any]
_Future = Future[Any] | asyncio.Future[Any]
_Waiting = tuple[Change, _Future]
#: A change's result, and the error that kept it from being made.
_Outcome = tuple[Any, Exception | None]


class GroupCommitWriter:
    """Runs changes one after another in a thread, and answers each once it is on disk."""

    def __init__(self, system: System) -> None:
        """The system's mark is changed after each commit, one that failed included, before anybody is answered."""
        self._system = system
        #: Those in one list arrived together.
        self._queue: queue.SimpleQueue[list[_Waiting] | None] = queue.SimpleQueue()
        #: What event loops have submitted since they went round last.
        self._arriving: dict[asyncio.AbstractEventLoop, list[_Waiting]] = {}
        self._thread = threading.Thread(target=self._run, name="database-writer", daemon=True)
        self._started = threading.Lock()

    def submit(self, change: Change) -> "Future[Any]":
        """The change's result, or its error, once committed (or undone)."""
        self._start()
        future: Future[Any] = Future()
        self._queue.put([(change, future)])
        return future

    def submit_from(self, loop: asyncio.AbstractEventLoop, change: Change) -> "asyncio.Future[Any]":
        """The same for a caller in an event loop. The change is made though its future be cancelled."""
        # Now, and not when it arrives: of a writer that is closed, the caller is to be told.
        self._start()
        future: asyncio.Future[Any] = loop.create_future()
        arriving = self._arriving.get(loop)
        if arriving is None:
            arriving = self._arriving[loop] = []
            loop.call_soon(self._arrived, loop)
        arriving.append((change, future))
        return future

    def close(self) -> None:
        """Let what was submitted finish, then end the thread."""
        for loop in list(self._arriving):
            self._arrived(loop)
        if self._thread.is_alive():
            self._queue.put(None)
            self._thread.join()

    def _arrived(self, loop: asyncio.AbstractEventLoop) -> None:
        arriving = self._arriving.pop(loop, [])
        for start in range(0, len(arriving), MOST_PER_COMMIT):
            self._queue.put(arriving[start : start + MOST_PER_COMMIT])

    def _start(self) -> None:
        if not self._thread.is_alive():
            with self._started:
                if not self._thread.is_alive():
                    self._thread.start()

    def _run(self) -> None:
        closing = False
        while not closing:
            first = self._queue.get()
            if first is None:
                return
            group = list(first)
            with contextlib.suppress(queue.Empty):
                while len(group) < MOST_PER_COMMIT:
                    following = self._queue.get_nowait()
                    if following is None:
                        closing = True
                        break
                    group.extend(following)
            self._commit(group)

    def _commit(self, group: list[_Waiting]) -> None:
        changes = [change for change, _ in group]
        try:
            outcomes = self._system.write(lambda connection: self._made(connection, changes))
        except Exception as error:  # noqa: BLE001 - whatever it is: nothing of this group is on disk
            outcomes = [(None, error)] * len(group)
        self._system.changes.tell()
        told = [(result, problem and self._system.told(problem)) for result, problem in outcomes]
        if any(isinstance(problem, DatabaseUnavailableError) for _, problem in told):
            self._system.forget()
        _answer([future for _, future in group], told)

    def _made(self, connection: Connection, changes: list[Change]) -> list[_Outcome]:
        if len(changes) == 1:
            # Alone it is undone with the transaction, and needs no savepoint.
            return [(changes[0](connection), None)]
        return [self._made_by_itself(connection, change) for change in changes]

    def _made_by_itself(self, connection: Connection, change: Change) -> _Outcome:
        """The change's result or its error; with an error, nothing of it is left.

        Raises:
            Exception: the change's error, where the whole transaction is gone.
        """
        # A savepoint by the driver: through SQLAlchemy it costs more than most changes.
        driver: Any = connection.connection.driver_connection
        driver.execute("SAVEPOINT change")
        problem = result = None
        try:
            result = change(connection)
        except Exception as error:
            if not self._system.lives(connection):
                raise
            driver.execute("ROLLBACK TO change")
            problem = error
        driver.execute("RELEASE change")
        return result, problem


def _answer(futures: list[_Future], outcomes: list[_Outcome]) -> None:
    by_loop: dict[asyncio.AbstractEventLoop, list[tuple[_Future, _Outcome]]] = {}
    for future, outcome in zip(futures, outcomes, strict=True):
        if isinstance(future, asyncio.Future):
            by_loop.setdefault(future.get_loop(), []).append((future, outcome))
        else:
            _settle([(future, outcome)])
    for loop, answers in by_loop.items():
        # In a loop that is closed, nobody waits any more.
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(_settle, answers)


def _settle(answers: list[tuple[_Future, _Outcome]]) -> None:
    for future, (result, problem) in answers:
        if future.done():
            # Its caller has gone away.
            continue
        if problem is not None:
            future.set_exception(problem)
        else:
            future.set_result(result)
