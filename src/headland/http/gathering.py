"""Things to be dealt with soon, some dozens at once: one at a time would cost a request more than what it is about."""

import asyncio
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")

#: Seconds that something may wait, and how many may.
PAUSE = 0.05
MOST_WAITING = 256


class Gathering(Generic[T]):
    """What waits in an event loop's thread. It belongs to that thread alone."""

    def __init__(self, deal: Callable[[list[T]], None]) -> None:
        """`deal` gets what has waited, in the order in which it came; never nothing."""
        self._deal = deal
        self._waiting: list[T] = []
        self._timer: asyncio.TimerHandle | None = None

    def add(self, item: T) -> None:
        """Have it dealt with soon. Called in a running event loop."""
        self._waiting.append(item)
        if len(self._waiting) >= MOST_WAITING:
            self.flush()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(PAUSE, self.flush)

    def flush(self) -> None:
        """Deal with all that waits."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        dealt, self._waiting = self._waiting, []
        if dealt:
            self._deal(dealt)
