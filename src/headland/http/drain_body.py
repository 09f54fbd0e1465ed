"""Request bodies as a client sends them: they have to come, and what nobody reads is dropped.

An answer may end before its request's body does: a refusal needs no body. Over HTTP/2 the stream is then reset
(RFC 9113 section 8.1), and clients such as curl report the reset in the place of the status. Over HTTP/1.1 the
connection is closed while the client still sends, which tells it nothing but a broken connection (RFC 9112 section
9.6). So an answer is said at once, but ends only when the body has, its client has stopped sending, or a bound is
reached. What comes meanwhile is dropped.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from starlette.types import Message, Receive, Scope, Send

from headland.http.bodies import BodyError

#: Bytes that are dropped at the most, and seconds that it takes at the most: then the answer ends in any case.
_MOST_DROPPED, _LONGEST = 256 << 20, 60.0

#: Seconds of silence after which a client is taken to have stopped sending: it has read the answer, or has only
#: announced a body (`Expect: 100-continue`), which it does not send after a refusal.
_SILENCE, _SILENCE_EXPECTING = 0.5, 0.2

_WITHOUT_BODY = frozenset({"GET", "HEAD"})


@dataclass(frozen=True, slots=True)
class BodyPace:
    """How fast a body has to come. Only time is counted in which somebody waits for it."""

    #: Seconds until the first and the next bytes of it; and altogether, beside what the bytes that came allow.
    timeout: float = 30.0
    #: Bytes that allow it a further second.
    rate: int = 1024


def may_have_body(scope: Scope, headers: Mapping[bytes, bytes]) -> bool:
    """Whether a request has a body, or may have one: in HTTP/2 nothing needs to say so."""
    length = headers.get(b"content-length")
    if length is not None:
        return length != b"0"
    if scope.get("http_version") == "2":
        return scope["method"] not in _WITHOUT_BODY
    return b"transfer-encoding" in headers


class DrainBody:
    """What an application receives of one request and sends for it."""

    def __init__(
        self, receive: Receive, send: Send, scope: Scope, headers: Mapping[bytes, bytes], pace: BodyPace
    ) -> None:
        self._receive = receive
        self._send = send
        self._pace = pace
        self._resets = scope.get("http_version") == "2"
        self._expects = b"expect" in headers
        length = headers.get(b"content-length", b"")
        self._declared = int(length) if length.isdigit() else 0
        self._ended = False
        self._received = 0
        self._waited = 0.0

    async def receive(self) -> Message:
        """As ASGI has it.

        Raises:
            BodyError: 408, the body does not come, or too slowly.
        """
        if self._ended:
            return await self._receive()
        pace, clock = self._pace, asyncio.get_running_loop().time
        before = clock()
        patience = min(pace.timeout, pace.timeout + self._received / pace.rate - self._waited)
        try:
            async with asyncio.timeout(patience):
                message = await self._next()
        except TimeoutError:
            # Whoever has not sent it until now is not waited for again.
            self._ended = True
            raise BodyError(
                408,
                f"The body does not come: nothing for {pace.timeout:g} s, or less than {pace.rate} bytes a second.",
            ) from None
        self._waited += clock() - before
        return message

    async def send(self, message: Message) -> None:
        """As ASGI has it."""
        if self._ended:
            await self._send(message)
        elif message["type"] == "http.response.start":
            await self._send(self._closing(message))
        elif message["type"] != "http.response.body" or message.get("more_body", False):
            await self._send(message)
        else:
            await self._end(message)

    def _closing(self, start: Message) -> Message:
        """The head, which tells a client that reads while it sends that there is no use in going on."""
        if self._resets or start["status"] < 400 or self._declared <= _MOST_DROPPED:
            return start
        return {**start, "headers": [*start["headers"], (b"connection", b"close")]}

    async def _end(self, message: Message) -> None:
        body: bytes = message.get("body", b"")
        # In HTTP/1.1 an answer has ended with its last byte, whether or not that is said.
        first, last = (body, b"") if self._resets else (body[:-1], body[-1:])
        if first or self._resets:
            await self._send({**message, "body": first, "more_body": True})
        # Nothing was said yet: to wait for an announced body would ask for it.
        if first or self._resets or not self._expects:
            await self._drop()
        await self._send({"type": "http.response.body", "body": last})

    async def _drop(self) -> None:
        dropped = 0
        try:
            async with asyncio.timeout(_LONGEST):
                while not self._ended and dropped < _MOST_DROPPED:
                    expecting = self._expects and not self._received
                    async with asyncio.timeout(_SILENCE_EXPECTING if expecting else _SILENCE):
                        dropped += len((await self._next()).get("body", b""))
        except TimeoutError:
            return

    async def _next(self) -> Message:
        message = await self._receive()
        self._ended = not message.get("more_body", False)
        self._received += len(message.get("body", b""))
        return message
