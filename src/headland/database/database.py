"""Run store functions: plain functions that take a connection and return rows.

Reads run in the caller's own thread, writes go through the one writer of the process. What is in one place or
another, SQLite's file or PostgreSQL's schema, is the `System`'s matter.
"""

import asyncio
import threading
import time
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine

from headland.database.errors import DatabaseUnavailableError
from headland.database.sqlite import SqliteSystem
from headland.database.system import System, is_postgresql
from headland.database.writer import GroupCommitWriter

T = TypeVar("T")

#: Rows that a thread remembers at the most, of one state of the database.
MOST_REMEMBERED = 6400

#: Seconds after which the database is asked whether what is remembered is still so, though no process of this
#: machine said otherwise: one may have been killed before it could.
LONGEST_UNASKED = 1.0


@dataclass(slots=True, eq=False)
class _Remembered:
    """What a thread has read of one state of the database."""

    mark: bytes | None
    version: Hashable
    #: When the database was asked last (monotonic).
    asked_at: float
    answers: dict[Hashable, Any] = field(default_factory=dict)
    rows: int = 0


class Database:
    """Rows that belong together: those of a home, or of one store."""

    def __init__(
        self,
        url: str,
        busy_timeout: float = 10.0,
        most_remembered: int = MOST_REMEMBERED,
        system: System | None = None,
    ) -> None:
        """Nothing is touched before something is asked for.

        Args:
            busy_timeout: seconds that a write waits for those of other processes.
            most_remembered: rows that each thread remembers at the most.
            system: what has the rows; None for the main rows in the database of the URL.
        """
        self.url = url
        self._most_remembered = most_remembered
        self._system = system or _system_of(url, busy_timeout)
        self._writer = GroupCommitWriter(self._system)
        self._own = threading.local()

    @classmethod
    def at(cls, file: Path, busy_timeout: float = 10.0, most_remembered: int = MOST_REMEMBERED) -> "Database":
        """The SQLite database in `file`."""
        return cls(f"sqlite:///{file}", busy_timeout, most_remembered)

    @property
    def engines(self) -> Sequence[Engine]:
        """Whatever is executed is executed by one of these, for those who watch."""
        return self._system.engines

    def read(self, query: Callable[[Connection], T]) -> T:
        """What `query` returns. Short queries only: the caller's thread waits. Each of its statements sees
        what was committed before it. `query` may run again where a connection was lost.

        Raises:
            DatabaseUnavailableError: the database can't be read now.
        """
        return self._asked(partial(self._system.read, query))

    def read_snapshot(self, query: Callable[[Connection], T]) -> T:
        """`read` for several statements that must see the same."""
        return self._asked(partial(self._system.read_snapshot, query))

    def snapshot(self) -> AbstractContextManager[Connection]:
        """A connection of the caller's own that sees one state of the database until it is given back: for long
        reads, by whatever threads, one after the other.

        Raises:
            DatabaseUnavailableError: the database can't be read now.
        """
        return self._system.snapshot()

    def read_remembered(
        self,
        key: Hashable,
        query: Callable[[Connection], T],
        rows: int | Callable[[T], int] = 1,
        worth: Callable[[T], bool] | None = None,
    ) -> T:
        """What `read_snapshot(query)` returns, or returned under this key when it was last asked for, if
        nothing has been committed since, by whatever process. What it returns, of some `rows`, is not to be changed;
        how many, a function of it may say. It is remembered if it is `worth` that. None is not: of what is not
        there, callers can name any number.
        """
        # Looked up before it is asked: what is committed in between belongs to what is remembered next.
        remembered = self._remembered()
        try:
            result: T = remembered.answers[key]
        except KeyError:
            result = self.read_snapshot(query)
            if result is not None and (worth is None or worth(result)):
                remembered.answers[key] = result
                remembered.rows += max(1, rows if isinstance(rows, int) else rows(result))
        return result

    def version(self) -> Hashable:
        """Another one after each commit, by whatever process: what was read is still so while it stays. It is
        this thread's own, and must be looked up before what it stands for is read.

        Raises:
            DatabaseUnavailableError: the database can't be read now.
        """
        return self._remembered()

    def _remembered(self) -> _Remembered:
        """What this thread may still believe."""
        kept: _Remembered | None = getattr(self._own, "remembered", None)
        mark, now = self._system.changes.mark, time.monotonic()
        same = kept is not None and kept.mark == mark and kept.rows <= self._most_remembered
        if kept is not None and same and mark is not None and now - kept.asked_at < LONGEST_UNASKED:
            return kept
        version = self._asked(self._system.version)
        if kept is not None and same and kept.version == version:
            kept.asked_at = now
            return kept
        made = self._own.remembered = _Remembered(mark, version, now)
        return made

    def _asked(self, ask: Callable[[], T]) -> T:
        try:
            return ask()
        except DatabaseUnavailableError:
            # What is there next time may be another one.
            self._own.__dict__.clear()
            raise

    async def write(self, change: Callable[[Connection], T]) -> T:
        """What `change` returns, once it is committed and flushed to disk. From its first statement on nobody else
        writes: what it reads is so until it has written.

        `change` may run again after a failure, so it does nothing but statements on its connection; and after one
        of them has failed, no further ones without a savepoint.

        Raises:
            DatabaseUnavailableError: the database can't be written now; nothing of the change was kept.
        """
        result: T = await self._writer.submit_from(asyncio.get_running_loop(), change)
        return result

    def write_and_wait(self, change: Callable[[Connection], T]) -> T:
        """`write` for callers without an event loop."""
        result: T = self._writer.submit(change).result()
        return result

    def write_behind(
        self, change: Callable[[Connection], object], failed: Callable[[BaseException], None]
    ) -> None:
        """Have `change` made soon, for callers that go on without it; `close` waits for it.

        `failed` is told, in the writer's thread, of the error that kept it from being made.
        """

        def told(future: Future[object]) -> None:
            error = future.exception()
            if error is not None:
                failed(error)

        self._writer.submit(change).add_done_callback(told)

    def close(self) -> None:
        """Finish writes under way and close every connection."""
        self._writer.close()
        self._own = threading.local()
        self._system.close()


def _system_of(url: str, busy_timeout: float) -> System:
    if is_postgresql(url):
        from headland.database.postgresql import PostgresServer  # noqa: PLC0415 - few need its driver

        return PostgresServer(url, busy_timeout).main()
    return SqliteSystem(url, busy_timeout)
