"""A request that was answered, as the service's log tells of it."""

from datetime import UTC, datetime
from functools import lru_cache

import msgspec
from msgspec import UNSET, UnsetType


# Hundreds wait to be told of: the garbage collector need not look through them, for they refer to nothing.
class Answered(msgspec.Struct, frozen=True, gc=False):
    """A line of the log. Query strings and bodies are not among it: either may hold a secret."""

    timestamp: str
    listener: str
    method: str
    path: str
    #: The path as it was declared: there is a number of these.
    route: str
    status: int
    milliseconds: float
    #: Client id of the caller, where one was shown.
    principal: str | None
    request_id: str
    #: The job through which the caller acts, where it does.
    job: str | UnsetType = UNSET
    event: str = "request"
    level: str = "info"


def timestamp(at: float) -> str:
    """Seconds since the epoch as RFC 3339 has them, to the millisecond."""
    second = int(at)
    return f"{_second(second)}.{int((at - second) * 1000):03d}Z"


@lru_cache(8)
def _second(at: int) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat()[:-6]
