"""A line of the service's log before it is written."""

from datetime import UTC, datetime
from typing import Any

#: Fields by name.
Entry = dict[str, Any]


def timestamp(at: float) -> str:
    """Seconds since the epoch as RFC 3339 has them, to the millisecond."""
    return f"{datetime.fromtimestamp(at, UTC).isoformat(timespec='milliseconds')[:-6]}Z"
