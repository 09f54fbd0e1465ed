"""Form bodies: `application/x-www-form-urlencoded` and `multipart/form-data` (RFC 7578).

The body has been read as a whole, within its limit. Each field may stand once (RFC 6749 section 3.2). A part
that names a file is a field like any other: `requests.get(…, files={name: value})` sends them so.
"""

from typing import TYPE_CHECKING
from urllib.parse import unquote_plus

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header

if TYPE_CHECKING:
    from python_multipart.multipart import MultipartCallbacks

URLENCODED = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data"

#: The protocol has about ten fields, and clients add a few of their own.
MOST_FIELDS = 64


class FormError(Exception):
    """A body is not the form that it should be. The message never quotes it: it holds a secret."""


def parse_urlencoded(body: bytes) -> dict[str, str]:
    """The fields of a urlencoded form.

    Raises:
        FormError: it is not one, or a field is repeated.
    """
    fields = _Fields()
    try:
        for pair in body.decode().split("&"):
            if not pair:
                continue
            name, equals, value = pair.partition("=")
            if not equals:
                raise FormError("The body is not a urlencoded form.")
            fields.add(_unquoted(name), _unquoted(value))
    except UnicodeDecodeError:
        raise FormError("The body is not UTF-8.") from None
    return fields.found


def parse_multipart(body: bytes, boundary: str) -> dict[str, str]:
    """The fields of a multipart form.

    Raises:
        FormError: it is not one, or a field is repeated.
    """
    if not boundary:
        raise FormError(f"The media type {MULTIPART} names no boundary.")
    parts = _Parts()
    try:
        parser = MultipartParser(boundary.encode("latin-1", "replace"), parts.callbacks())
        parser.write(body)
        parser.finalize()
    except FormParserError:
        raise FormError("The body is not a multipart form.") from None
    except UnicodeDecodeError:
        raise FormError("The body is not UTF-8.") from None
    if not parts.ended:
        raise FormError("The body ends before its last boundary.")
    return parts.fields.found


def _unquoted(text: str) -> str:
    # Most are nothing but plain characters, and to find that out here costs a tenth.
    return unquote_plus(text, errors="strict") if "%" in text or "+" in text else text


class _Fields:
    """Fields as they are found."""

    def __init__(self) -> None:
        self.found: dict[str, str] = {}

    def add(self, name: str, value: str) -> None:
        if name in self.found:
            raise FormError(f"The parameter '{name}' is repeated.")
        if len(self.found) == MOST_FIELDS:
            raise FormError(f"The body has more than {MOST_FIELDS} parameters.")
        self.found[name] = value


class _Parts:
    """Takes what the parser finds, part by part."""

    def __init__(self) -> None:
        self.fields = _Fields()
        self.ended = False
        self._clear()

    def callbacks(self) -> "MultipartCallbacks":
        return {
            "on_part_begin": self._clear,
            "on_header_field": self._header_field,
            "on_header_value": self._header_value,
            "on_header_end": self._header_end,
            "on_headers_finished": self._headers_finished,
            "on_part_data": self._part_data,
            "on_part_end": self._part_end,
            "on_end": self._end,
        }

    def _clear(self) -> None:
        self._header = bytearray()
        self._header_text = bytearray()
        self._disposition = b""
        self._name = ""
        self._value = bytearray()

    def _header_field(self, data: bytes, start: int, end: int) -> None:
        self._header += data[start:end]

    def _header_value(self, data: bytes, start: int, end: int) -> None:
        self._header_text += data[start:end]

    def _header_end(self) -> None:
        if self._header.lower() == b"content-disposition":
            self._disposition = bytes(self._header_text)
        self._header.clear()
        self._header_text.clear()

    def _headers_finished(self) -> None:
        kind, options = parse_options_header(self._disposition)
        if kind != b"form-data" or b"name" not in options:
            raise FormError("A part of the body has no name.")
        self._name = options[b"name"].decode()

    def _part_data(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]

    def _part_end(self) -> None:
        self.fields.add(self._name, self._value.decode())

    def _end(self) -> None:
        self.ended = True
