"""Time strings as Spark and Livy have them: `90s`, `2h`, `500`, which are milliseconds (`livy.md` section 1.2)."""

import re

from headland.jobs.batches.errors import RejectedError

_TIME = re.compile(r"(-?[0-9]+)([a-z]+)?")

#: Seconds of each unit.
_UNITS = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0}


def seconds_of(text: str) -> float:
    """A time string in seconds.

    Raises:
        RejectedError: it is malformed, or not above 0.
    """
    match = _TIME.fullmatch(text.strip().lower())
    if match is None or len(match[1]) > 15:
        raise RejectedError(f"Invalid time string: {text[:80]}")
    unit = match[2] or "ms"
    if unit not in _UNITS:
        raise RejectedError(f'Invalid suffix: "{unit[:80]}"')
    if int(match[1]) <= 0:
        raise RejectedError(f"Invalid value: {match[1]}")
    return int(match[1]) * _UNITS[unit]
