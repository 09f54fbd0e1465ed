"""Answers of lines: an import's account while its body still comes, and an export."""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack
from typing import IO

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from headland.farm.bulk.wire import Event, encode_event
from headland.farm.stores import Store
from headland.storage.threads import finish_in_thread

#: Lines of JSON have no registered media type. This is the usual one; the others are taken for it.
NDJSON = "application/x-ndjson"
JSON_LINES = frozenset({NDJSON, "application/ndjson", "application/jsonl", "application/jsonlines"})

#: Bytes of an account that wait in memory, and not in a file, for a client that does not read yet.
_IN_MEMORY = 1 << 20
_AT_ONCE = 1 << 16


class _LinesResponse(Response):
    """An answer of which nobody knows yet how long it is."""

    media_type = NDJSON

    def __init__(self, store: Store, headers: Mapping[str, str]) -> None:
        super().__init__(headers=headers)
        # From now on, since the request is dealt with before its answer is sent.
        self._using = ExitStack()
        self._using.enter_context(store.busy())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._using:
            await self._tell(send)

    async def _tell(self, send: Send) -> None:
        raise NotImplementedError

    def init_headers(self, headers: Mapping[str, str] | None = None) -> None:
        super().init_headers(headers)
        del self.headers["content-length"]

    async def _begin(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})


class AccountResponse(_LinesResponse):
    """Tells of an import as it goes.

    Many clients send all of a body before they read anything. Were the import to wait for them, neither would go
    on; so what is told waits for them, in a file where it is much.
    """

    def __init__(self, store: Store, events: AsyncIterator[Event], headers: Mapping[str, str]) -> None:
        super().__init__(store, headers)
        self._events = events

    async def _tell(self, send: Send) -> None:
        await self._begin(send)
        with tempfile.SpooledTemporaryFile(_IN_MEMORY) as file:
            account = _Account(file)
            telling = asyncio.create_task(account.tell(send))
            try:
                async for event in self._events:
                    account.add(encode_event(event) + b"\n")
                account.end()
                await telling
            finally:
                telling.cancel()


class _Account:
    """Lines that wait to be sent."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._sent = 0
        self._news = asyncio.Event()
        self._ended = False

    def add(self, line: bytes) -> None:
        self._file.seek(0, 2)
        self._file.write(line)
        self._news.set()

    def end(self) -> None:
        self._ended = True
        self._news.set()

    async def tell(self, send: Send) -> None:
        """Send what there is, until it has ended."""
        while True:
            await self._news.wait()
            self._news.clear()
            while waiting := self._waiting():
                await send({"type": "http.response.body", "body": waiting, "more_body": True})
            if self._ended:
                await send({"type": "http.response.body", "body": b"", "more_body": False})
                return

    def _waiting(self) -> bytes:
        self._file.seek(self._sent)
        data = self._file.read(_AT_ONCE)
        self._sent += len(data)
        return data


class ExportResponse(_LinesResponse):
    """Sends lines as they are read. Where reading fails the answer breaks off, and is not taken for a whole one."""

    def __init__(
        self,
        store: Store,
        lines: AbstractContextManager[Iterator[bytes]],
        headers: Mapping[str, str],
        *,
        head_only: bool,
    ) -> None:
        """`lines` of the store are opened, read and closed in threads, one after the other."""
        super().__init__(store, headers)
        self._lines = lines
        self._head_only = head_only

    async def _tell(self, send: Send) -> None:
        lines = await finish_in_thread(self._lines.__enter__)
        try:
            await self._begin(send)
            while not self._head_only and (some := await finish_in_thread(next, lines, None)) is not None:
                await send({"type": "http.response.body", "body": some, "more_body": True})
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            await finish_in_thread(self._lines.__exit__, None, None, None)
