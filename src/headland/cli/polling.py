"""Ask again and again: in growing intervals, up to a deadline, through a service's restart."""

from collections.abc import Callable
from typing import TypeVar

from headland.cli.errors import CliError
from headland.cli.surroundings import Surroundings

T = TypeVar("T")

SHORTEST, LONGEST, GROWTH = 0.2, 1.0, 1.5

#: Seconds for which a service may be away. Batches outlive the service, so watching them does, too.
PATIENCE = 300.0


class PollTimeoutError(Exception):
    """The deadline has passed."""


class Polling:
    """The rhythm of one wait."""

    def __init__(
        self, surroundings: Surroundings, announce: Callable[[str], None], timeout: float | None = None
    ) -> None:
        self._clock = surroundings.monotonic
        self._sleep = surroundings.sleep
        self._announce = announce
        self._deadline = None if timeout is None else self._clock() + timeout
        self._interval = SHORTEST
        self._away_since: float | None = None

    def ask(self, call: Callable[[], T]) -> T:
        """What `call` returns, repeated while the service is away.

        Raises:
            CliError: a fault that does not pass, or has not passed in five minutes.
            PollTimeoutError: the deadline passed meanwhile.
        """
        while True:
            try:
                answer = call()
            except CliError as error:
                self._bear(error)
                self.pause()
            else:
                self._away_since = None
                return answer

    def pause(self) -> None:
        """Wait a little longer than the last time.

        Raises:
            PollTimeoutError: the deadline has passed.
        """
        interval = self._interval
        if self._deadline is not None:
            interval = min(interval, self._deadline - self._clock())
            if interval <= 0:
                raise PollTimeoutError
        self._sleep(interval)
        self._interval = min(self._interval * GROWTH, LONGEST)

    def heard(self) -> None:
        """The service is there, and something has happened."""
        self._away_since = None
        self.hurry()

    def hurry(self) -> None:
        """Begin with short intervals again: something has happened."""
        self._interval = SHORTEST

    def _bear(self, error: CliError) -> None:
        if not error.passing:
            raise error
        if self._away_since is None:
            self._away_since = self._clock()
            self._announce(f"{error.problem}; still trying")
        elif self._clock() - self._away_since > PATIENCE:
            raise error
