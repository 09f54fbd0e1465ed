"""Request bodies: a limit that holds while they stream in, and content encodings undone."""

import zlib
from email.message import Message

from starlette.requests import Request


class BodyError(Exception):
    """A body can't be taken. `status` is what HTTP has for it; the message is for the caller."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


async def read_body(request: Request, limit: int) -> bytes:
    """The whole body, decoded from `gzip` or `deflate`; any other content encoding is taken for none,
    since Livy's Java client sends `Content-Encoding: UTF-8`.

    Raises:
        BodyError: 413 above `limit` bytes, encoded or decoded; 400 where it is not what its encoding says.
    """
    declared = request.headers.get("content-length", "")
    if declared.isdigit() and int(declared) > limit:
        raise _too_large(limit)
    received = bytearray()
    async for chunk in request.stream():
        received += chunk
        if len(received) > limit:
            raise _too_large(limit)
    encoding = request.headers.get("content-encoding", "").strip().lower()
    if encoding in {"gzip", "deflate"} and received:
        return _decode(bytes(received), encoding, limit)
    return bytes(received)


def media_type_of(request: Request) -> tuple[str, dict[str, str]]:
    """Media type in lower case and its parameters; `""` where the request names none."""
    header = request.headers.get("content-type")
    if not header:
        return "", {}
    if ";" not in header:
        return header.strip().lower(), {}
    message = Message()
    message["content-type"] = header
    parameters = message.get_params(failobj=[], header="content-type")
    return message.get_content_type(), {name.lower(): value for name, value in parameters[1:]}


def _decode(body: bytes, encoding: str, limit: int) -> bytes:
    decoder = zlib.decompressobj(wbits=31 if encoding == "gzip" else 15)
    try:
        decoded = decoder.decompress(body, limit + 1)
    except zlib.error:
        raise BodyError(400, f"The body is not {encoding}, which Content-Encoding says it is.") from None
    if len(decoded) > limit:
        raise _too_large(limit)
    if not decoder.eof:
        raise BodyError(400, f"The body ends before its {encoding} encoding does.")
    return decoded


def _too_large(limit: int) -> BodyError:
    return BodyError(413, f"The body is larger than the {limit} bytes allowed.")
