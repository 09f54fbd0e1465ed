"""Request bodies: a limit that holds while they stream in, and content encodings undone."""

import zlib
from email.message import Message

from starlette.requests import ClientDisconnect, Request

from headland.http.headers import header

#: The setting that says how long most bodies may be.
MAX_BODY = "server.max_body"

#: Characters: parameters are read in a time that grows with their square.
_LONGEST_MEDIA_TYPE = 1_024


class BodyError(Exception):
    """A body can't be taken. `status` is what HTTP has for it; the message is for the caller."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


async def read_body(request: Request, limit: int, setting: str = MAX_BODY) -> bytes:
    """The whole body, decoded from `gzip` or `deflate`; any other content encoding is taken for none,
    since Livy's Java client sends `Content-Encoding: UTF-8`. `setting` is what says the limit, if one does.

    Raises:
        BodyError: 413 above `limit` bytes, encoded or decoded; 400 where it is not what its encoding says.
        starlette.requests.ClientDisconnect: the caller went away.
    """
    declared = header(request.scope, b"content-length") or ""
    if declared.isdigit() and int(declared) > limit:
        raise too_large(limit, setting)
    received = await _received(request, limit, setting)
    encoding = header(request.scope, b"content-encoding")
    if encoding is None or not received:
        return received
    encoding = encoding.strip().lower()
    return _decode(received, encoding, limit, setting) if encoding in {"gzip", "deflate"} else received


async def _received(request: Request, limit: int, setting: str) -> bytes:
    """The body as it came. Starlette's own stream would take several times as long for one that comes at once."""
    received = bytearray()
    while True:
        message = await request.receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        chunk: bytes = message.get("body", b"")
        if len(received) + len(chunk) > limit:
            raise too_large(limit, setting)
        more = message.get("more_body", False)
        if not more and not received:
            return chunk
        received += chunk
        if not more:
            return bytes(received)


def media_type_of(request: Request) -> tuple[str, dict[str, str]]:
    """Media type in lower case and its parameters; `""` where the request names none. Raises as `parse_media_type`."""
    return parse_media_type(header(request.scope, b"content-type") or "")


def parse_media_type(content_type: str) -> tuple[str, dict[str, str]]:
    """The same of the header's text.

    Raises:
        BodyError: 415, it is longer than any with parameters is.
    """
    if ";" not in content_type:
        return content_type.strip().lower(), {}
    if len(content_type) > _LONGEST_MEDIA_TYPE:
        raise BodyError(415, f"Content-Type is longer than {_LONGEST_MEDIA_TYPE} characters.")
    message = Message()
    message["content-type"] = content_type
    parameters = message.get_params(failobj=[], header="content-type")
    return message.get_content_type(), {name.lower(): value for name, value in parameters[1:]}


def _decode(body: bytes, encoding: str, limit: int, setting: str) -> bytes:
    decoder = zlib.decompressobj(wbits=31 if encoding == "gzip" else 15)
    try:
        decoded = decoder.decompress(body, limit + 1)
    except zlib.error:
        raise BodyError(400, f"The body is not {encoding}, which Content-Encoding says it is.") from None
    if len(decoded) > limit:
        raise too_large(limit, setting)
    if not decoder.eof:
        raise BodyError(400, f"The body ends before its {encoding} encoding does.")
    return decoded


def too_large(limit: int, setting: str, what: str = "body") -> BodyError:
    """What came is larger than `setting` allows; than may be, where that is "" and no setting says so."""
    allowed = f"that {setting} allows" if setting else "allowed"
    return BodyError(413, f"The {what} is larger than the {limit} bytes {allowed}.")
