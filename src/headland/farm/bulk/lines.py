"""Lines of a body that streams in: no more of it is held than one line may be long, and what arrived at once."""

import zlib
from collections.abc import AsyncIterator
from typing import NamedTuple

from headland.http.bodies import BodyError

_BOM = b"\xef\xbb\xbf"

#: Bytes that a piece of a compressed body becomes at once.
_AT_ONCE = 1 << 18


class Line(NamedTuple):
    """A line of a body."""

    #: From 1.
    number: int
    #: None where it was too long to be held.
    text: bytes | None


class LineReader:
    """Makes lines of what arrives. Empty ones count, and are passed over."""

    def __init__(self, longest: int, first: int = 1) -> None:
        """`longest` line that is held, in bytes. Lines are counted from `first`."""
        self._longest = longest
        self._rest = bytearray()
        self._too_long = False
        self._start = self._next = first

    @property
    def read(self) -> int:
        """Number of the last line that was read."""
        return self._next - 1

    def feed(self, data: bytes) -> list[Line]:
        """The lines that end in `data`."""
        first, *others = data.split(b"\n")
        self._add(first)
        if not others:
            return []
        lines = self._end()
        *whole, rest = others
        for part in whole:
            lines += self._line(part if len(part) <= self._longest else None)
        self._add(rest)
        return lines

    def end(self) -> list[Line]:
        """The last line, if it ends with the body."""
        return self._end() if self._rest or self._too_long else []

    def _add(self, part: bytes) -> None:
        if len(self._rest) + len(part) > self._longest:
            self._too_long = True
            self._rest.clear()
        elif not self._too_long:
            self._rest += part

    def _end(self) -> list[Line]:
        text = None if self._too_long else bytes(self._rest)
        self._too_long = False
        self._rest.clear()
        return self._line(text)

    def _line(self, text: bytes | None) -> list[Line]:
        number, self._next = self._next, self._next + 1
        if text is None:
            return [Line(number, None)]
        if number == self._start:
            text = text.removeprefix(_BOM)
        return [Line(number, text)] if text and not text.isspace() else []


async def unzipped(body: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """A body that was compressed by gzip, in pieces that are never much larger than what arrived.

    Raises:
        BodyError: 400 where it is not gzip's, or ends too soon.
    """
    decoder = zlib.decompressobj(wbits=31)
    try:
        async for piece in body:
            waiting = piece
            while waiting:
                yield decoder.decompress(waiting, _AT_ONCE)
                waiting = decoder.unconsumed_tail
                if decoder.eof and decoder.unused_data:
                    # Files that were joined are joined bodies (RFC 1952 section 2.2).
                    waiting, decoder = decoder.unused_data, zlib.decompressobj(wbits=31)
        while more := decoder.decompress(decoder.unconsumed_tail, _AT_ONCE):
            yield more
    except zlib.error:
        raise BodyError(400, "The body is not gzip, which Content-Encoding says it is.") from None
    if not decoder.eof:
        raise BodyError(400, "The body ends before its gzip encoding does.")
