"""Messages between service, host and interpreters: a length in four bytes, most significant first, and so much JSON."""

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
    body = json.dumps(message, separators=(",", ":")).encode()
    return len(body).to_bytes(_HEAD, "big") + body


async def receive(reader: asyncio.StreamReader) -> dict[str, Any] | None:
    """The next message; None where the other side has gone.

    Raises:
        BrokenFrameError: as said.
    """
    try:
        size = int.from_bytes(await reader.readexactly(_HEAD), "big")
        return _decoded(await reader.readexactly(_checked(size)))
    except (asyncio.IncompleteReadError, ConnectionError):
        return None


def receive_now(source: socket.socket) -> dict[str, Any] | None:
    """The same for a thread that may wait."""
    head = _exactly(source, _HEAD)
    body = _exactly(source, _checked(int.from_bytes(head, "big"))) if head else b""
    return _decoded(body) if body else None


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


def _checked(size: int) -> int:
    if not 0 < size <= LONGEST:
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
