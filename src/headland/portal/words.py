"""Numbers and times in words."""

from datetime import UTC, datetime

#: Stands where there is nothing to say.
NOTHING = "\N{EN DASH}"

_STEPS = ((60, "s"), (60, "min"), (24, "h"), (365, "d"), (10_000, "y"))


def moment(at: datetime | str | int | None) -> str:
    """A time to the second, in UTC; a dash for none. Numbers are milliseconds since 1970."""
    found = _time(at)
    return found.strftime("%Y-%m-%d %H:%M:%S") if found is not None else NOTHING


def age(at: datetime | str | int | None, now: datetime) -> str:
    """How long ago it was, in its largest unit: `3 min`."""
    found = _time(at)
    if found is None:
        return NOTHING
    number = max(0.0, (now - found).total_seconds())
    for length, unit in _STEPS:
        if number < length:
            return f"{number:.0f} {unit}"
        number /= length
    return f"{number:.0f} y"


def size(number: int) -> str:
    """Bytes, in the unit that leaves few digits."""
    value = float(number)
    for unit in ("B", "kB", "MB", "GB"):
        if value < 1000:
            return f"{value:.0f} {unit}" if unit == "B" or value >= 100 else f"{value:.1f} {unit}"
        value /= 1000
    return f"{value:.1f} TB"


def _time(at: datetime | str | int | None) -> datetime | None:
    if at is None or at == "":
        return None
    if isinstance(at, datetime):
        return at
    if isinstance(at, str):
        return datetime.fromisoformat(at).astimezone(UTC)
    return datetime.fromtimestamp(at / 1000, UTC)
