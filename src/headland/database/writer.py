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

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import OperationalError

#: Above this the wait of the first write for the last one's turn costs more than another flush.
MOST_PER_COMMIT = 256

Change = Callable[[Connection], Any]
_Waiting = tuple[Change, "Future[Any]"]


class GroupCommitWriter:
    """Runs changes one after another in a thread, and answers each once it is on disk."""

    def __init__(self, engine: Engine, committed: Callable[[], None]) -> None:
        """`committed` is called after each commit, one that failed included, before anybody is answered."""
        self._engine = engine
        self._committed = committed
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
        outcomes: list[tuple[Future[Any], Any, BaseException | None]] = []
        try:
            with self._engine.begin() as connection:
                for change, future in group:
                    if not future.set_running_or_notify_cancel():
                        continue
                    if len(group) == 1:
                        # Alone it is undone with the transaction, and needs no savepoint.
                        outcomes.append((future, change(connection), None))
                        continue
                    outcomes.append((future, *_by_itself(connection, change)))
        except Exception as error:  # noqa: BLE001 - likewise: nothing of this group is on disk
            self._committed()
            self._engine.dispose()
            for _, future in group:
                if not future.done():
                    future.set_exception(error)
            return
        self._committed()
        if any(isinstance(problem, OperationalError) for _, _, problem in outcomes):
            # The file that is open may not be the one that is there next time.
            self._engine.dispose()
        for future, result, problem in outcomes:
            if problem is not None:
                future.set_exception(problem)
            else:
                future.set_result(result)


def _by_itself(connection: Connection, change: Change) -> tuple[Any, Exception | None]:
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
        if not driver.in_transaction:
            # Full or unwritable: SQLite has undone the transaction, with all that was in it before, and would
            # commit by itself what came after.
            raise
        driver.execute("ROLLBACK TO change")
        problem = error
    driver.execute("RELEASE change")
    return result, problem
