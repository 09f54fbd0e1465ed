"""Numbers and times in words."""

import re
from datetime import UTC, datetime
from typing import Protocol

_CAPITAL = re.compile(r"(?<=[a-z0-9])[A-Z]")

_OF_MEMBER = re.compile(r"([a-z][A-Za-z]*): ((?:must|is|has|expired|comes)? ?)([a-z].*)", re.DOTALL)

#: Stands where there is nothing to say.
NOTHING = "\N{EN DASH}"


class Times(Protocol):
    """When something began and ended, in milliseconds since 1970."""

    @property
    def started_at(self) -> int | None: ...

    @property
    def ended_at(self) -> int | None: ...


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


def spaced(name: str) -> str:
    """A member's name as a title: `createdDateTime` is `Created date time`."""
    words = _CAPITAL.sub(lambda found: f" {found[0].lower()}", name)
    return words[:1].upper() + words[1:]


def plain(text: str) -> str:
    """What a service says of a member, as people say it: `userName: must be …` is `User name must be …`, and
    `userName: somebody has …` is `User name: somebody has …`.
    """
    found = _OF_MEMBER.fullmatch(text)
    if found is None:
        return text
    member, verb, rest = found.groups()
    return f"{spaced(member)}{' ' if verb else ': '}{verb}{rest}"


def took(times: Times, now: datetime) -> str:
    """How long something took, or has taken so far; a dash before it began."""
    if times.started_at is None:
        return NOTHING
    end = times.ended_at if times.ended_at is not None else now.timestamp() * 1000
    seconds = max(0.0, (end - times.started_at) / 1000)
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02d} min" if hours else f"{minutes} min {seconds:02d} s"


def number(value: float | None) -> str:
    """A number with as many digits as it needs, four after the point at most; a dash for none."""
    if value is None:
        return NOTHING
    if value and abs(value) < 0.001:
        return f"{value:.3g}"
    text = f"{value:,.4f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def megabytes(size: int | None) -> str:
    """A number of bytes; a dash for none."""
    if size is None:
        return NOTHING
    return f"{size / 1_000_000:,.1f} MB" if size >= 100_000 else f"{size / 1000:,.1f} kB"


def _time(at: datetime | str | int | None) -> datetime | None:
    if at is None or at == "":
        return None
    if isinstance(at, datetime):
        return at
    if isinstance(at, str):
        return datetime.fromisoformat(at).astimezone(UTC)
    return datetime.fromtimestamp(at / 1000, UTC)
