"""Ranges of bytes, as RFC 9110 has them."""

import pytest
from starlette.requests import Request

from headland.http.ranges import RangeError, Span, span_asked

ETAG, MODIFIED = '"x"', "Sun, 06 Nov 1994 08:49:37 GMT"


def asked(whole: int = 100, method: str = "GET", **headers: str) -> Span | None:
    raw = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    request = Request({"type": "http", "method": method, "headers": raw})
    return span_asked(request, whole, etag=ETAG, modified=MODIFIED)


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("bytes=0-0", Span(0, 0)),
        ("bytes=0-", Span(0, 99)),
        ("bytes=10-19", Span(10, 19)),
        ("bytes=90-1000", Span(90, 99)),
        ("bytes=-1", Span(99, 99)),
        ("bytes=-1000", Span(0, 99)),
        ("BYTES= 5-6 ", Span(5, 6)),
        # Whatever is no single range is answered by the whole.
        ("bytes=0-1,5-6", None),
        ("bytes=5-4", None),
        ("bytes=-", None),
        ("bytes=a-b", None),
        ("bytes=0-" + "9" * 30, None),
        ("lines=0-1", None),
        ("", None),
    ],
)
def test_a_range(text: str, span: Span | None) -> None:
    assert asked(range=text) == span


@pytest.mark.parametrize(
    ("text", "whole"), [("bytes=100-", 100), ("bytes=-0", 100), ("bytes=0-", 0), ("bytes=-1", 0)]
)
def test_a_range_that_has_nothing(text: str, whole: int) -> None:
    with pytest.raises(RangeError) as caught:
        asked(whole, range=text)
    assert caught.value.content_range == f"bytes */{whole}"


@pytest.mark.parametrize(
    ("known", "holds"),
    [
        (ETAG, True),
        (MODIFIED, True),
        ('"y"', False),
        ('W/"x"', False),
        ("Mon, 07 Nov 1994 08:49:37 GMT", False),
    ],
)
def test_if_range(known: str, *, holds: bool) -> None:
    assert asked(range="bytes=0-1", if_range=known) == (Span(0, 1) if holds else None)


def test_only_get_has_ranges() -> None:
    assert asked(range="bytes=0-1", method="HEAD") is None
