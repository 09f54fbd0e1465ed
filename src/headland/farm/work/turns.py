"""Long work at a store that others use meanwhile: a short transaction, then a rest, and so on."""

import time
from collections.abc import Callable
from typing import TypeVar

from sqlalchemy import Connection

from headland.farm.stores import Store

T = TypeVar("T")

#: A rest is so many times as long as the transaction before it was, but not longer than so many seconds. Whoever waits
#: for an SQLite file only looks now and then whether it is free: it should be more often than not.
_RESTS, _LONGEST_REST = 2, 0.2


class StoppingError(Exception):
    """The process is about to end: what is not done yet is left to the next one."""


class Turns:
    """Takes turns with whoever else writes to a store."""

    def __init__(self, store: Store, stopping: Callable[[], bool], rest: Callable[[float], None]) -> None:
        self.store = store
        self._stopping = stopping
        self._rest = rest

    def go_on(self) -> None:
        """Raises StoppingError if there is no time for anything else."""
        if self._stopping():
            raise StoppingError

    def take(self, change: Callable[[Connection], T]) -> T:
        """What `change` returns, once it is on disk; others have had time for theirs by then.

        Raises:
            StoppingError: it was not begun with.
            DatabaseUnavailableError: as `Database.write`.
        """
        self.go_on()
        began = time.monotonic()
        result = self.store.write_and_wait(change)
        self._rest(min(_RESTS * (time.monotonic() - began), _LONGEST_REST))
        return result
