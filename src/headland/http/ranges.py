"""Parts of what is answered: single ranges of bytes (RFC 9110 section 14)."""

import re
from typing import NamedTuple

from starlette.requests import Request

_SINGLE = re.compile(r"bytes=[ \t]*(\d{0,19})-(\d{0,19})[ \t]*", re.ASCII | re.IGNORECASE)


class Span(NamedTuple):
    """Bytes of something, the first and the last included."""

    first: int
    last: int

    @property
    def size(self) -> int:
        return self.last - self.first + 1

    def headers(self, whole: int) -> dict[str, str]:
        """What an answer with these of `whole` bytes says of them."""
        return {"content-range": f"bytes {self.first}-{self.last}/{whole}", "content-length": str(self.size)}


class RangeError(Exception):
    """None of the bytes that were asked for is there: 416. Of how many there are, `content_range` tells."""

    def __init__(self, asked: str, whole: int) -> None:
        super().__init__(f"The range '{asked[:80]}' has none of the {whole} bytes that there are.")
        self.content_range = f"bytes */{whole}"


def span_asked(request: Request, whole: int, *, etag: str | None, modified: str | None = None) -> Span | None:
    """The part of `whole` bytes that a request asks for; None for all of them. `etag` and `modified` are the headers of
    the answer, to which `If-Range` is held.

    Several ranges, and whatever else is no single one of bytes, are answered with all, as section 14.2 allows.

    Raises:
        RangeError: there are none such.
    """
    asked = request.headers.get("range")
    if asked is None or request.method != "GET" or not _still(request, etag, modified):
        return None
    found = _SINGLE.fullmatch(asked.strip())
    if found is None or not any(found.groups()):
        return None
    first, last = (int(text) if text else None for text in found.groups())
    if first is None:
        # The last so many.
        if not last or not whole:
            raise RangeError(asked, whole)
        return Span(max(0, whole - last), whole - 1)
    if last is not None and last < first:
        return None
    if first >= whole:
        raise RangeError(asked, whole)
    return Span(first, whole - 1 if last is None else min(last, whole - 1))


def _still(request: Request, etag: str | None, modified: str | None) -> bool:
    """Whether it is what the caller has a part of (section 13.1.5); a weak eTag does not tell."""
    known = request.headers.get("if-range")
    if known is None:
        return True
    known = known.strip()
    if known.startswith("W/"):
        return False
    return known in {each for each in (etag, modified) if each is not None}
