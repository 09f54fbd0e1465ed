"""Answer with a blob."""

from collections.abc import Mapping
from email.utils import formatdate

from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from headland.http.ranges import Span
from headland.storage.blobs import BlobInfo, BlobReader


def blob_headers(info: BlobInfo) -> dict[str, str]:
    """What GET and HEAD say of a blob (RFC 9110 section 8)."""
    headers = {
        "accept-ranges": "bytes",
        "content-length": str(info.size),
        "content-type": "application/octet-stream",
        "last-modified": formatdate(info.modified / 1000, usegmt=True),
    }
    if info.etag:
        quoted = info.etag.startswith(('"', 'W/"'))
        headers["etag"] = info.etag if quoted else f'"{info.etag}"'
    return headers


class BlobResponse(StreamingResponse):
    """Streams a blob, and closes it whatever becomes of the client."""

    def __init__(
        self, reader: BlobReader, headers: Mapping[str, str] | None = None, span: Span | None = None
    ) -> None:
        """`headers` stand in the place of those that blobs have; `span` is the part that the reader has."""
        shown = dict(blob_headers(reader.info) if headers is None else headers)
        if span is not None:
            shown |= span.headers(int(shown["content-length"]))
        super().__init__(reader, 200 if span is None else 206, headers=shown)
        self._reader = reader

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            await self._reader.close()
