"""How often, and when again? For what may fail for reasons that time mends, and for others."""

from dataclasses import dataclass

#: Seconds before the second try; each further pause is four times the one before, up to `LONGEST`.
FIRST = 10.0
LONGEST = 3600.0

#: Failures in a row after which it is not tried again.
MOST = 8


@dataclass(slots=True)
class Tries:
    """The failures of one thing in a row."""

    failures: int = 0
    not_before: float = 0.0

    def due(self, now: float) -> bool:
        """Whether it may be tried; `now` is of a monotonic clock, in seconds."""
        return self.failures < MOST and now >= self.not_before

    def failed(self, now: float) -> float | None:
        """Note a failure; seconds until the next try, None if there is to be none."""
        self.failures += 1
        if self.failures >= MOST:
            return None
        pause = min(LONGEST, FIRST * 4.0 ** (self.failures - 1))
        self.not_before = now + pause
        return pause

    def succeeded(self) -> None:
        self.failures = 0
