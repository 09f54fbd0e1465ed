"""Bodies over HTTP/2 that nobody reads: the answer is said at once, and ends when they have."""

import asyncio
from collections.abc import Iterator
from itertools import repeat

import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import Message

from headland.http import unread
from headland.http.application import Application
from headland.http.listener import Listener
from headland.http.operations import Answer, Operation


async def refuse(_request: Request) -> Response:
    return PlainTextResponse("no", 401)


async def read(request: Request) -> Response:
    return PlainTextResponse(str(len(await request.body())))


FINE = {200: Answer("Fine.")}
OPERATIONS = [
    Operation("POST", path, each, "", FINE) for path, each in (("/refuse", refuse), ("/read", read))
]
LISTENER = Listener("public", {}, [Application(OPERATIONS, {})], tls=True)
LAST: Message = {"type": "http.request", "body": b"x", "more_body": False}
MORE: Message = {**LAST, "more_body": True}
GONE: Message = {"type": "http.disconnect"}


def asked(path: str, body: Iterator[Message], version: str = "2") -> tuple[list[Message], list[Message]]:
    """What was sent, and what was received before the answer's end."""
    sent: list[Message] = []
    received: list[Message] = []

    async def receive() -> Message:
        message = next(body, None)
        if message is None:
            await asyncio.Event().wait()
        assert message is not None
        received.append(message)
        return message

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {"type": "http", "http_version": version, "method": "POST", "path": path, "headers": []}
    asyncio.run(LISTENER(scope, receive, send))
    return [message for message in sent if message["type"] == "http.response.body"], received


@pytest.mark.parametrize("end", [LAST, GONE])
def test_a_refusal_is_said_before_the_body_is_dropped(end: Message) -> None:
    sent, received = asked("/refuse", iter([MORE, MORE, end]))
    assert [(each.get("body", b""), each.get("more_body", False)) for each in sent] == [
        (b"no", True),
        (b"", False),
    ]
    assert received == [MORE, MORE, end]


def test_what_is_read_is_answered_as_ever() -> None:
    sent, received = asked("/read", iter([MORE, LAST]))
    assert [(each["body"], each.get("more_body", False)) for each in sent] == [(b"2", False)]
    assert len(received) == 2


def test_the_first_version_needs_none_of_it() -> None:
    sent, received = asked("/refuse", iter([MORE]), "1.1")
    assert (len(sent), received) == (1, [])


def test_not_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unread, "_MOST_DROPPED", 10)
    sent, received = asked("/refuse", repeat(MORE))
    assert (len(sent), len(received)) == (2, 10)
    monkeypatch.setattr(unread, "_LONGEST", 0.01)
    sent, received = asked("/refuse", iter([MORE]))
    assert (len(sent), len(received)) == (2, 1)
