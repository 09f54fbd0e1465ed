"""Growing pauses between attempts at what fails again and again."""

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock

#: Seconds of the first pause, and of the longest.
FIRST = 1.0
LONGEST = 60.0


@dataclass(slots=True)
class _Trouble:
    """What a batch suffers from."""

    reason: str
    pause: float
    until: float


@dataclass(slots=True)
class Pauses:
    """Batches whose last step failed. `clock` counts seconds."""

    clock: Callable[[], float]
    _troubles: dict[int, _Trouble] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def failed(self, batch_id: int, reason: str) -> bool:
        """Make the next pause; whether the reason is news."""
        with self._lock:
            former = self._troubles.get(batch_id)
            pause = FIRST if former is None else min(2 * former.pause, LONGEST)
            self._troubles[batch_id] = _Trouble(reason, pause, self.clock() + pause)
            return former is None or former.reason != reason

    def went_well(self, batch_id: int) -> bool:
        """Forget what was; whether there was anything."""
        with self._lock:
            return self._troubles.pop(batch_id, None) is not None

    def over(self, batch_id: int) -> bool:
        """Whether it is time for another attempt."""
        with self._lock:
            trouble = self._troubles.get(batch_id)
            return trouble is None or trouble.until <= self.clock()
