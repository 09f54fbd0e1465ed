"""JSON answers, encoded once, with the content type that the job service's protocol names."""

from collections.abc import Mapping
from typing import Any

import msgspec
from starlette.responses import Response

JSON_UTF8 = "application/json; charset=UTF-8"

_CONTENT_TYPE = JSON_UTF8.encode()

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
    if headers or media_type != JSON_UTF8:
        return Response(content, status, headers or None, media_type)
    return _Plain(content, status)


class _Plain(Response):
    """An answer of which there is no more to say than its length."""

    def init_headers(self, headers: Mapping[str, str] | None = None) -> None:
        self.raw_headers = [
            (b"content-length", b"%d" % len(self.body)),
            (b"content-type", _CONTENT_TYPE),
        ]
