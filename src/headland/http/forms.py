"""Forms with a file (`multipart/form-data`, RFC 7578), read while they come in: only text is held in memory."""

from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header

from headland.http.bodies import BodyError, too_large

if TYPE_CHECKING:
    from python_multipart.multipart import MultipartCallbacks

MULTIPART = "multipart/form-data"

#: The largest form has about 15 parts; unknown ones are passed over.
_MOST_PARTS = 64


@dataclass(frozen=True, slots=True)
class Part:
    """The head of a part."""

    name: str
    #: Without folders; None where it is not said.
    file_name: str | None
    #: In lower case.
    media_type: str | None


@dataclass(frozen=True, slots=True)
class Form:
    """What a form has beside its file, whose bytes are dealt with."""

    #: Text by the names of parts.
    fields: dict[str, str]
    file: Part | None


#: Takes a file's bytes, all of them.
TakeFile = Callable[[Part, AsyncIterator[bytes]], Awaitable[None]]

#: The head of a part, some of its bytes, or its end.
_Event = Part | bytes | None


async def read_form(
    body: AsyncIterator[bytes],
    boundary: str,
    most_text: int,
    take_file: TakeFile,
    file_part: str = "file",
    *,
    setting: str = "",
) -> Form:
    """Read a form to its end. `most_text` is how many bytes all parts but the file may have together, and `setting`
    what says so, if one does; `file_part` names the part with the file, in whatever case.

    Raises:
        BodyError: 400 where it is no form, or ends before its end; 413 where its text is too long. And what
            `take_file` raises.
    """
    if not boundary:
        raise BodyError(400, f"The media type {MULTIPART} names no boundary.")
    fields: dict[str, str] = {}
    file: Part | None = None
    parts, left = 0, most_text
    events = _events(body, boundary)
    async for event in events:
        if not isinstance(event, Part):
            raise BodyError(400, "The body is not a multipart form.")
        parts += 1
        if parts > _MOST_PARTS:
            raise BodyError(400, f"The form has more than {_MOST_PARTS} parts.")
        if event.name.lower() == file_part:
            if file is not None:
                raise BodyError(400, "The form has more than one file.")
            file = event
            await take_file(event, _bytes_of(events))
            continue
        text = bytearray()
        async for data in _bytes_of(events):
            left -= len(data)
            if left < 0:
                raise too_large(most_text, setting, "form's text")
            text += data
        if event.name in fields:
            raise BodyError(400, f"The form has the part '{event.name[:80]}' more than once.")
        fields[event.name] = _decoded(bytes(text), event.name)
    return Form(fields, file)


async def _bytes_of(events: AsyncIterator[_Event]) -> AsyncIterator[bytes]:
    """The bytes of the part that has begun, up to its end."""
    async for event in events:
        if not isinstance(event, bytes):
            return
        yield event


async def _events(body: AsyncIterator[bytes], boundary: str) -> AsyncIterator[_Event]:
    found = _Found()
    # A form has few headers, and none is long.
    parser = MultipartParser(boundary.encode("latin-1", "replace"), found.callbacks())
    try:
        async for chunk in body:
            if chunk:
                parser.write(chunk)
            while found.events:
                yield found.events.popleft()
        parser.finalize()
    except FormParserError:
        raise BodyError(400, "The body is not a multipart form.") from None
    if not found.ended:
        raise BodyError(400, "The body ends before its last boundary.")


class _Found:
    """Takes what the parser finds."""

    def __init__(self) -> None:
        self.events: deque[_Event] = deque()
        self.ended = False
        self._headers: dict[bytes, bytes] = {}
        self._name = bytearray()
        self._value = bytearray()

    def callbacks(self) -> "MultipartCallbacks":
        return {
            "on_part_begin": self._headers.clear,
            "on_header_field": self._header_field,
            "on_header_value": self._header_value,
            "on_header_end": self._header_end,
            "on_headers_finished": self._headers_finished,
            "on_part_data": self._part_data,
            "on_part_end": self._part_end,
            "on_end": self._end,
        }

    def _header_field(self, data: bytes, start: int, end: int) -> None:
        self._name += data[start:end]

    def _header_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]

    def _header_end(self) -> None:
        self._headers[bytes(self._name).lower()] = bytes(self._value)
        self._name.clear()
        self._value.clear()

    def _headers_finished(self) -> None:
        kind, options = parse_options_header(self._headers.get(b"content-disposition", b""))
        if kind != b"form-data" or b"name" not in options:
            raise BodyError(400, "A part of the form has no name.")
        file_name = options.get(b"filename")
        media_type, _ = parse_options_header(self._headers.get(b"content-type", b""))
        name = _decoded(options[b"name"], "name")
        shown = None if file_name is None else _last_segment(_decoded(file_name, name))
        self.events.append(Part(name, shown or None, media_type.decode("latin-1").lower() or None))

    def _part_data(self, data: bytes, start: int, end: int) -> None:
        self.events.append(data[start:end])

    def _part_end(self) -> None:
        self.events.append(None)

    def _end(self) -> None:
        self.ended = True


def _decoded(text: bytes, name: str) -> str:
    try:
        return text.decode()
    except UnicodeDecodeError:
        raise BodyError(400, f"The form's part '{name[:80]}' is not UTF-8.") from None


def _last_segment(file_name: str) -> str:
    """Folders are the sender's own (RFC 7578 section 4.2)."""
    return file_name.replace("\\", "/").rpartition("/")[2]
