"""One writer thread with group commit.

A durable commit costs a flush of the disk, whatever its size. Writes that arrive while one commit is under
way share the next: each runs in a savepoint of its own, so one that fails undoes itself alone, and none is
acknowledged before the common commit has returned.
"""

import contextlib
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from sqlalchemy import Connection

from headland.database.errors import DatabaseUnavailableError
from headland.database.system import System

#: Above this the wait of the first write for the last one's turn costs more than another flush.
MOST_PER_COMMIT = 256

Change = Callable[[Connection], Any]
_Waiting = tuple[Change, "Future[Any]"]
#: A change's result, and the error that kept it from being made.
_Outcome = tuple[Any, Exception | None]


class GroupCommitWriter:
    """Runs changes one after another in a thread, and answers each once it is on disk."""

    def __init__(self, system: System) -> None:
        """The system's mark is changed after each commit, one that failed included, before anybody is answered."""
        self._system = system
        self._queue: queue.SimpleQueue[_Waiting | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="database-writer", daemon=True)
        self._started = threading.Lock()

    def submit(self, change: Change) -> "Future[Any]":
        """The change's result, or its error, once committed (or undone)."""
        if not self._thread.is_alive():
            with self._started:
                if not self._thread.is_alive():
                    self._thread.start()
        future: Future[Any] = Future()
        self._queue.put((change, future))
        return future

    def close(self) -> None:
        """Let what was submitted finish, then end the thread."""
        if self._thread.is_alive():
            self._queue.put(None)
            self._thread.join()

    def _run(self) -> None:
        closing = False
        while not closing:
            first = self._queue.get()
            if first is None:
                return
            group = [first]
            with contextlib.suppress(queue.Empty):
                while len(group) < MOST_PER_COMMIT:
                    following = self._queue.get_nowait()
                    if following is None:
                        closing = True
                        break
                    group.append(following)
            self._commit(group)

    def _commit(self, group: list[_Waiting]) -> None:
        group = [(change, future) for change, future in group if future.set_running_or_notify_cancel()]
        if not group:
            return
        changes = [change for change, _ in group]
        try:
            outcomes = self._system.write(lambda connection: self._made(connection, changes))
        except Exception as error:  # noqa: BLE001 - whatever it is: nothing of this group is on disk
            outcomes = [(None, error)] * len(group)
        self._system.changes.tell()
        told = [(result, problem and self._system.told(problem)) for result, problem in outcomes]
        if any(isinstance(problem, DatabaseUnavailableError) for _, problem in told):
            self._system.forget()
        for (_, future), (result, problem) in zip(group, told, strict=True):
            if problem is not None:
                future.set_exception(problem)
            else:
                future.set_result(result)

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
