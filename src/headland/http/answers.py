"""JSON answers, encoded once, with the content type that the job service's protocol names."""

from collections.abc import AsyncIterator, Mapping
from typing import Any

import msgspec
from starlette.responses import Response, StreamingResponse

JSON_UTF8 = "application/json; charset=UTF-8"

_CONTENT_TYPE = JSON_UTF8.encode()

#: Bytes of an answer that are put together before it is sent as it is made.
_AT_ONCE = 1 << 18

_encoder = msgspec.json.Encoder()


def json_answer(
    body: Any, status: int = 200, headers: Mapping[str, str] | None = None, media_type: str = JSON_UTF8
) -> Response:
    """`body` (anything msgspec encodes) as compact JSON in UTF-8."""
    return encoded_answer(_encoder.encode(body), status, headers, media_type)


def encoded_answer(
    content: bytes, status: int = 200, headers: Mapping[str, str] | None = None, media_type: str = JSON_UTF8
) -> Response:
    """`content`, which is JSON already."""
    if media_type != JSON_UTF8:
        return Response(content, status, headers, media_type)
    return _Json(content, status, headers)


async def streamed_answer(
    parts: AsyncIterator[bytes],
    media_type: str = JSON_UTF8,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """What comes in parts. A short answer is like any other; of a long one, few parts are in memory at a time."""
    first = bytearray()
    async for part in parts:
        first += part
        if len(first) > _AT_ONCE:
            return StreamingResponse(_all_of(first, parts), status, headers, media_type)
    return encoded_answer(bytes(first), status, headers, media_type)


async def _all_of(first: bytearray, parts: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    yield bytes(first)
    first.clear()
    async for part in parts:
        yield part


class _Json(Response):
    """An answer of which length, type and the headers given are all there is to say: Starlette's own looks for each
    of them in what it is given.
    """

    def init_headers(self, headers: Mapping[str, str] | None = None) -> None:
        self.raw_headers = [
            (b"content-length", b"%d" % len(self.body)),
            (b"content-type", _CONTENT_TYPE),
        ]
        if headers:
            self.raw_headers += [
                (name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()
            ]
