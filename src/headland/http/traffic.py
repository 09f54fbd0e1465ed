"""What a listener has answered: logged, counted and timed, some dozens of requests at once.

One at a time that took a third of a short request, most of it since what it needs drives what the next request
needs out of the processor's caches.
"""

from collections import Counter as Tally
from collections.abc import Callable, Sequence

import structlog
from msgspec import UNSET
from msgspec.structs import asdict
from prometheus_client import Counter, Histogram

from headland.http.answered import Answered
from headland.http.gathering import Gathering

_log = structlog.get_logger("headland.http")

_REQUESTS = Counter("headland_http_requests", "Requests answered.", ["listener", "method", "route", "status"])
_SECONDS = Histogram(
    "headland_http_request_seconds",
    "Seconds from a request's first byte to its answer's last.",
    ["listener", "route"],
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30),
)
#: Methods that are counted by name; a caller can think of any number of others.
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


def _log_each(told: Sequence[Answered]) -> None:
    for one in told:
        said = asdict(one)
        _log.info(**{name: said[name] for name in said if name != "level" and said[name] is not UNSET})


class Traffic:
    """What one listener has answered in this process, and has not told of yet."""

    def __init__(self, listener: str, write: Callable[[Sequence[Answered]], None] | None = None) -> None:
        """`write` writes lines of the log; without it they are logged one by one."""
        self._listener = listener
        self._write = write or _log_each
        self._waiting: Gathering[Answered] = Gathering(self._tell)
        self._counters: dict[tuple[str, str, int], Counter] = {}
        self._times: dict[str, Histogram] = {}

    def add(self, answered: Answered) -> None:
        """Have it told of soon. Called in a running event loop."""
        self._waiting.add(answered)

    def tell(self) -> None:
        """Log, count and time all that waits."""
        self._waiting.flush()

    def _tell(self, told: Sequence[Answered]) -> None:
        self._count(told)
        self._write(told)

    def _count(self, told: Sequence[Answered]) -> None:
        tally = Tally(
            (one.method if one.method in _METHODS else "other", one.route, one.status) for one in told
        )
        for (method, route, status), number in tally.items():
            counter = self._counters.get((method, route, status))
            if counter is None:
                counter = _REQUESTS.labels(self._listener, method, route, str(status))
                self._counters[method, route, status] = counter
                self._times[route] = _SECONDS.labels(self._listener, route)
            counter.inc(number)
        for one in told:
            self._times[one.route].observe(one.milliseconds / 1000)
