"""Messages between service, host and interpreters: a length in four bytes, most significant first, and so much JSON.

Where the JSON has a member `body`, that is how many bytes follow: something long that is handed on as it is.
"""

import asyncio
import json
import socket
from typing import Any

#: Longest message: an output may be long, and something has to stop a peer that is out of step.
LONGEST = 1 << 30

_HEAD = 4


class BrokenFrameError(Exception):
    """What came is not a message."""


def encoded(message: dict[str, Any]) -> bytes:
    """A message as it goes over the socket."""
    head = json.dumps(message, separators=(",", ":")).encode()
    return len(head).to_bytes(_HEAD, "big") + head


def send(writer: asyncio.StreamWriter, message: dict[str, Any], body: bytes | None = None) -> None:
    """Send a message; `body` is what the other side finds under that name."""
    if body is None:
        writer.write(encoded(message))
    else:
        writer.write(encoded({**message, "body": len(body)}))
        writer.write(body)


async def receive(reader: asyncio.StreamReader) -> dict[str, Any] | None:
    """The next message; None where the other side has gone.

    Raises:
        BrokenFrameError: as said.
    """
    try:
        message = await receive_head(reader)
        if "body" in message:
            message["body"] = await reader.readexactly(_checked(message["body"]))
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
    return message


async def receive_head(reader: asyncio.StreamReader) -> dict[str, Any]:
    """The next message, but for its body: `body` is how many bytes of that follow.

    Raises:
        BrokenFrameError: as said.
        asyncio.IncompleteReadError: the other side has gone.
    """
    size = int.from_bytes(await reader.readexactly(_HEAD), "big")
    return _decoded(await reader.readexactly(_checked(size)))


def receive_now(source: socket.socket) -> dict[str, Any] | None:
    """The same for a thread that may wait."""
    head = _exactly(source, _HEAD)
    said = _exactly(source, _checked(int.from_bytes(head, "big"))) if head else b""
    if not said:
        return None
    message = _decoded(said)
    if "body" in message:
        message["body"] = _exactly(source, _checked(message["body"]))
        if not message["body"]:
            return None
    return message


def _exactly(source: socket.socket, size: int) -> bytes:
    """`size` bytes; none at all where the other side has gone."""
    parts, missing = [], size
    while missing:
        try:
            part = source.recv(min(missing, 1 << 20))
        except ConnectionError:
            return b""
        if not part:
            return b""
        parts.append(part)
        missing -= len(part)
    return b"".join(parts)


def _checked(size: Any) -> int:
    if not isinstance(size, int) or not 0 < size <= LONGEST:
        raise BrokenFrameError(f"a message of {size} bytes")
    return size


def _decoded(body: bytes) -> dict[str, Any]:
    try:
        message = json.loads(body)
    except ValueError as error:
        raise BrokenFrameError(str(error)) from None
    if not isinstance(message, dict):
        raise BrokenFrameError("a message that is no object")
    return message
