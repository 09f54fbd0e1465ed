"""Whether the server can be reached. Nobody but one thread waits for one that can't."""

import threading
from collections.abc import Callable
from typing import Any

import psycopg

#: Seconds between two tries.
_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 2.0


class Reach:
    """After a connection was refused, others are refused at once, until one has been had: callers share an event
    loop, and a server that does not answer would hold up all of them, one after another.
    """

    def __init__(self, connect: Callable[[], "psycopg.Connection[Any]"]) -> None:
        self._connect = connect
        self._problem: str | None = None
        self._changing = threading.Lock()
        self._closed = threading.Event()

    def connect(self) -> "psycopg.Connection[Any]":
        """A connection.

        Raises:
            psycopg.OperationalError: there is none to be had now.
        """
        problem = self._problem
        if problem is not None:
            raise psycopg.OperationalError(problem)
        try:
            return self._connect()
        except psycopg.OperationalError as error:
            self._lost(str(error))
            raise

    def close(self) -> None:
        """Try no more."""
        self._closed.set()

    def _lost(self, problem: str) -> None:
        with self._changing:
            if self._problem is None and not self._closed.is_set():
                self._problem = problem
                threading.Thread(target=self._watch, name="database-reach", daemon=True).start()

    def _watch(self) -> None:
        pause = _FIRST_PAUSE
        while not self._closed.wait(pause):
            try:
                self._connect().close()
            except psycopg.OperationalError as error:
                self._problem = str(error)
                pause = min(2 * pause, _LONGEST_PAUSE)
            else:
                break
        self._problem = None
