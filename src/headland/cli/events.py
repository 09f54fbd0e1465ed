"""Server-sent events, as a client reads them (WHATWG HTML, section 9.2.6)."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

#: The media type of a stream of them.
EVENTS = "text/event-stream"


@dataclass(frozen=True, slots=True)
class Event:
    """One event. Its name is empty where the service gave it none."""

    name: str
    data: str
    #: The last id told by then: who comes back with it gets what comes after.
    id: str


def events(chunks: Iterable[bytes]) -> Iterator[Event]:
    """The events of a stream. One that the stream's end cuts short is none."""
    name, last, data = "", "", list[str]()
    for line in _lines(chunks):
        if not line:
            if data:
                yield Event(name, "\n".join(data), last)
            name, data = "", []
            continue
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "data":
            data.append(value)
        elif field == "event":
            name = value
        elif field == "id":
            last = value


def _lines(chunks: Iterable[bytes]) -> Iterator[str]:
    """Lines end with a line feed here: httpx's end at whatever Unicode takes for a line's end, too."""
    rest = b""
    for chunk in chunks:
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            yield line.removesuffix(b"\r").decode("utf-8", "replace")
