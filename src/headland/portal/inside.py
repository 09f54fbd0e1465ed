"""The services, called from within the process: what a page does, the APIs do, with the rights of who is signed in.

A page has no way round an API's rules: what it reads and changes goes through the same operations as what programs
do, with their guard, their checks, their entries in the audit trail and their errors. No socket is between, and no
token: the caller is handed over in the request's scope.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import unquote, urlencode

import msgspec
from starlette.requests import Request
from starlette.types import Message, Receive, Scope, Send

from headland.security import Principal
from headland.security.guard import KNOWN_CALLER

T = TypeVar("T")

#: Parameters by name; one that comes more than once has several values.
Query = Mapping[str, str | Sequence[str]]

Asgi = Callable[[Scope, Receive, Send], Awaitable[None]]


class RefusedError(Exception):
    """A service refuses what a page asked of it."""

    def __init__(self, status: int, code: str, message: str, field: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        #: The protocol's own word for it, or "".
        self.code = code
        self.message = message
        #: Which field of the request was wrong, where that is told.
        self.field = field


@dataclass(frozen=True, slots=True)
class Answered:
    """What a service has answered."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def of(self, kind: type[T]) -> T:
        """The body, of which `kind` has the members that are wanted."""
        return msgspec.json.decode(self.body, type=kind)

    @property
    def document(self) -> dict[str, Any]:
        return msgspec.json.decode(self.body, type=dict[str, Any])


@dataclass(frozen=True, slots=True)
class Followed:
    """What a service is answering."""

    status: int
    headers: Mapping[str, str]
    #: The body, as it comes.
    pieces: AsyncIterator[bytes]


class Inside:
    """The services as one person reaches them, while one request of it is answered."""

    def __init__(self, listener: Asgi, request: Request, principal: Principal) -> None:
        self._listener = listener
        self._request = request
        self._principal = principal

    async def ask(
        self,
        method: str,
        path: str,
        *,
        query: Query | None = None,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answered:
        """What is answered to a request, whatever it is.

        Args:
            path: percent-encoded.
            body: what msgspec encodes as JSON, or the bytes themselves.
        """
        content = b"" if body is None else body if isinstance(body, bytes) else msgspec.json.encode(body)
        start: Message = {}
        received = bytearray()
        sent = False

        async def receive() -> Message:
            nonlocal sent
            if sent:
                # Nobody goes before the answer has come: one that is sent as it is made would end here.
                await asyncio.Event().wait()
            sent = True
            return {"type": "http.request", "body": content, "more_body": False}

        async def send(message: Message) -> None:
            if message["type"] == "http.response.start":
                start.update(message)
            else:
                received.extend(message.get("body", b""))

        scope = self._scope(method, path, query, content, headers)
        await self._listener(scope, receive, send)
        return Answered(start["status"], _texts(start["headers"]), bytes(received))

    async def call(self, method: str, path: str, **request: Any) -> Answered:
        """What is answered to a request that is granted; keywords are those of `ask`.

        Raises:
            RefusedError: it is not.
        """
        answered = await self.ask(method, path, **request)
        if answered.status >= 400:
            raise refused(answered)
        return answered

    @asynccontextmanager
    async def follow(
        self, path: str, *, query: Query | None = None, headers: Mapping[str, str] | None = None
    ) -> AsyncIterator[Followed]:
        """An answer to GET that is granted, its body piece by piece as it comes, for as long as somebody listens.

        Raises:
            RefusedError: it is not.
        """
        async with self.open(path, query=query, headers=headers) as followed:
            if followed.status >= 400:
                body = b"".join([piece async for piece in followed.pieces])
                raise refused(Answered(followed.status, followed.headers, body))
            yield followed

    async def call_within(self, most: int, path: str, *, query: Query | None = None) -> Answered | None:
        """What is answered to GET; None where that has more than `most` bytes.

        Raises:
            RefusedError: as `call`.
        """
        received = bytearray()
        async with self.follow(path, query=query) as followed:
            async for piece in followed.pieces:
                received += piece
                if len(received) > most:
                    return None
        return Answered(followed.status, followed.headers, bytes(received))

    @asynccontextmanager
    async def open(
        self, path: str, *, query: Query | None = None, headers: Mapping[str, str] | None = None
    ) -> AsyncIterator[Followed]:
        """An answer to GET, whatever it is, as `follow` has it.

        Raises:
            RefusedError: there is none.
        """
        pieces: asyncio.Queue[bytes | None] = asyncio.Queue(16)
        started: asyncio.Future[Message] = asyncio.get_running_loop().create_future()
        gone = asyncio.Event()

        async def receive() -> Message:
            await gone.wait()
            return {"type": "http.disconnect"}

        async def send(message: Message) -> None:
            if message["type"] == "http.response.start":
                started.set_result(message)
                return
            if piece := message.get("body", b""):
                await pieces.put(piece)
            if not message.get("more_body", False):
                await pieces.put(None)

        async def run() -> None:
            try:
                await self._listener(self._scope("GET", path, query, b"", headers), receive, send)
            finally:
                await pieces.put(None)

        async def body() -> AsyncIterator[bytes]:
            while (piece := await pieces.get()) is not None:
                yield piece

        task = asyncio.create_task(run())
        try:
            await asyncio.wait((task, started), return_when=asyncio.FIRST_COMPLETED)
            if not started.done():
                await task
                raise RefusedError(500, "", "Nothing was answered.")
            yield Followed(started.result()["status"], _texts(started.result()["headers"]), body())
        finally:
            gone.set()
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    def _scope(
        self,
        method: str,
        path: str,
        query: Query | None,
        content: bytes,
        headers: Mapping[str, str] | None,
    ) -> Scope:
        outer = self._request.scope
        # Operations that programs may change things by in a browser, too, ask for the header in between.
        wanted = {"x-requested-by": "headland-portal", "host": self._request.headers.get("host", "")}
        if content:
            wanted |= {"content-type": "application/json", "content-length": str(len(content))}
        wanted |= headers or {}
        return {
            "type": "http",
            "asgi": outer["asgi"],
            "http_version": "1.1",
            "method": method,
            "scheme": outer["scheme"],
            "path": unquote(path),
            "raw_path": path.encode(),
            "query_string": urlencode(query or {}, doseq=True).encode(),
            "root_path": "",
            "headers": [(name.encode(), said.encode("latin-1")) for name, said in wanted.items()],
            "client": outer.get("client"),
            "server": outer.get("server"),
            "state": {"request_id": outer.get("state", {}).get("request_id")},
            KNOWN_CALLER: self._principal,
        }


async def passed_on(opened: AsyncExitStack, followed: Followed) -> AsyncIterator[bytes]:
    """The body of an answer, behind which is closed what was `opened` for it."""
    async with opened:
        async for piece in followed.pieces:
            yield piece


def refused(answered: Answered) -> RefusedError:
    """The error that an answer tells of, in whichever service's form."""
    try:
        body = msgspec.json.decode(answered.body) if answered.body else {}
    except msgspec.DecodeError:
        body = {}
    said = body if isinstance(body, dict) else {}
    error = said.get("error")
    if isinstance(error, dict):
        return RefusedError(
            answered.status, str(error.get("code", "")), str(error.get("message", "")), error.get("target")
        )
    message = str(said.get("msg", "")) or f"The service answered with status {answered.status}."
    return RefusedError(answered.status, "", message)


def _texts(headers: Any) -> dict[str, str]:
    return {bytes(name).decode().lower(): bytes(said).decode("latin-1") for name, said in headers}
