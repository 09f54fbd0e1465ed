"""Request bodies that nobody has read, over HTTP/2.

When an answer ends before its request's body does, the stream is reset (RFC 9113 section 8.1), and clients such as curl
report the reset in the place of the status. So an answer is said, but does not end before the body has, or its client
has stopped sending it. What comes meanwhile is dropped.
"""

import asyncio
from collections.abc import Mapping

from starlette.types import Message, Receive, Scope, Send

#: Bytes that are dropped at the most, and seconds that it takes at the most: then the stream is reset after all.
_MOST_DROPPED, _LONGEST = 16 << 20, 10.0

_WITHOUT_BODY = frozenset({"GET", "HEAD"})


def may_be_left(scope: Scope, headers: Mapping[bytes, bytes]) -> bool:
    """Whether a request may have a body which, left unread, would spoil its answer."""
    if scope["method"] in _WITHOUT_BODY or scope.get("http_version") != "2":
        return False
    return headers.get(b"content-length") != b"0"


class Unread:
    """What an application receives of one request and sends for it."""

    def __init__(self, receive: Receive, send: Send) -> None:
        self._receive = receive
        self._send = send
        self._ended = False

    async def receive(self) -> Message:
        """As ASGI has it."""
        message = await self._receive()
        self._ended = not message.get("more_body", False)
        return message

    async def send(self, message: Message) -> None:
        """As ASGI has it."""
        if self._ended or message["type"] != "http.response.body" or message.get("more_body", False):
            await self._send(message)
            return
        await self._send({**message, "more_body": True})
        await self._drop()
        await self._send({"type": "http.response.body"})

    async def _drop(self) -> None:
        dropped = 0
        try:
            async with asyncio.timeout(_LONGEST):
                while not self._ended and dropped < _MOST_DROPPED:
                    dropped += len((await self.receive()).get("body", b""))
        except TimeoutError:
            return
