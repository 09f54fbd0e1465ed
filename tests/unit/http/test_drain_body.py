"""Bodies that nobody reads, and bodies that do not come: the answer is said at once, and ends when they have."""

import asyncio
from collections.abc import Iterator
from itertools import repeat

import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import Message

from headland.http import drain_body
from headland.http.application import Application
from headland.http.drain_body import BodyPace
from headland.http.listener import Listener
from headland.http.operations import Answer, Operation


async def refuse(_request: Request) -> Response:
    return PlainTextResponse("no", 401)


async def refuse_without_words(_request: Request) -> Response:
    return Response(status_code=401)


async def read(request: Request) -> Response:
    return PlainTextResponse(str(len(await request.body())))


FINE = {200: Answer("Fine.")}
HANDLERS = {"/refuse": refuse, "/silent": refuse_without_words, "/read": read}
OPERATIONS = [Operation("POST", path, each, "", FINE) for path, each in HANDLERS.items()]
PACE = BodyPace(timeout=0.2, rate=1000)
LISTENER = Listener("public", {}, [Application(OPERATIONS, {})], tls=True, pace=PACE)
LAST: Message = {"type": "http.request", "body": b"x", "more_body": False}
MORE: Message = {**LAST, "more_body": True}
GONE: Message = {"type": "http.disconnect"}
VERSIONS = ["1.1", "2"]
CHUNKED = (b"transfer-encoding", b"chunked")


def asked(
    path: str, body: Iterator[Message], version: str = "2", *headers: tuple[bytes, bytes], pause: float = 0
) -> tuple[list[Message], list[Message]]:
    """What was sent, and what was received before the answer's end; `pause` is before each part of the body."""
    sent: list[Message] = []
    received: list[Message] = []

    async def receive() -> Message:
        message = next(body, None)
        if message is None:
            await asyncio.Event().wait()
        assert message is not None
        await asyncio.sleep(pause)
        received.append(message)
        return message

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "http_version": version,
        "method": "POST",
        "path": path,
        "headers": list(headers) or ([CHUNKED] if version == "1.1" else []),
    }
    asyncio.run(LISTENER(scope, receive, send))
    return sent, received


def parts(sent: list[Message]) -> list[tuple[bytes, bool]]:
    bodies = [message for message in sent if message["type"] == "http.response.body"]
    return [(each.get("body", b""), each.get("more_body", False)) for each in bodies]


@pytest.mark.parametrize("end", [LAST, GONE])
@pytest.mark.parametrize(
    ("version", "said"), [("2", [(b"no", True), (b"", False)]), ("1.1", [(b"n", True), (b"o", False)])]
)
def test_refusal_is_said_before_the_body_is_dropped(
    version: str, said: list[tuple[bytes, bool]], end: Message
) -> None:
    sent, received = asked("/refuse", iter([MORE, MORE, end]), version)
    assert parts(sent) == said
    assert received == [MORE, MORE, end]


def test_answer_without_a_word_ends_after_the_body() -> None:
    """HTTP/1.1 ends it with its head."""
    sent, received = asked("/silent", iter([MORE, LAST]), "1.1")
    assert (parts(sent), len(received)) == ([(b"", False)], 2)
    # One that is only announced would be asked for.
    sent, received = asked("/silent", iter([MORE, LAST]), "1.1", CHUNKED, (b"expect", b"100-continue"))
    assert (parts(sent), received) == ([(b"", False)], [])


@pytest.mark.parametrize("version", VERSIONS)
def test_body_that_is_read_is_answered_in_one(version: str) -> None:
    sent, received = asked("/read", iter([MORE, LAST]), version)
    assert (parts(sent), len(received)) == ([(b"2", False)], 2)


@pytest.mark.parametrize("header", [(b"content-length", b"0"), (b"accept", b"*/*")])
def test_request_without_a_body_is_not_waited_for(header: tuple[bytes, bytes]) -> None:
    sent, received = asked("/refuse", iter([MORE]), "1.1", header)
    assert (parts(sent), received) == ([(b"no", False)], [])


@pytest.mark.parametrize("version", VERSIONS)
def test_drain_ends_at_each_of_its_bounds(version: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drain_body, "_MOST_DROPPED", 10)
    sent, received = asked("/refuse", repeat(MORE), version)
    assert (len(parts(sent)), len(received)) == (2, 10)
    monkeypatch.setattr(drain_body, "_SILENCE", 0.01)
    sent, received = asked("/refuse", iter([MORE]), version)
    assert (len(parts(sent)), len(received)) == (2, 1)
    monkeypatch.setattr(drain_body, "_LONGEST", 0.03)
    sent, received = asked("/refuse", repeat(MORE), version, pause=0.005)
    assert (len(parts(sent)), len(received) < 8) == (2, True)


@pytest.mark.parametrize(("length", "closes"), [(1000, False), (5 << 30, True)])
def test_client_is_told_that_there_is_no_use_in_sending_gigabytes(length: int, closes: bool) -> None:
    sent, _ = asked("/refuse", iter([LAST]), "1.1", (b"content-length", b"%d" % length))
    assert ((b"connection", b"close") in sent[0]["headers"]) is closes
    sent, _ = asked("/read", iter([LAST]), "1.1", (b"content-length", b"%d" % length))
    assert (b"connection", b"close") not in sent[0]["headers"]
    sent, _ = asked("/refuse", iter([LAST]), "2", (b"content-length", b"%d" % length))
    assert (b"connection", b"close") not in sent[0]["headers"]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(("body", "pause"), [([MORE], 0.0), ([MORE] * 100, 0.02)])
def test_body_that_does_not_come_or_too_slowly_is_408(
    version: str, body: list[Message], pause: float
) -> None:
    sent, received = asked("/read", iter(body), version, pause=pause)
    assert sent[0]["status"] == 408
    assert len(received) < 50


def test_body_at_its_pace_is_waited_for() -> None:
    quick: Message = {"type": "http.request", "body": b"x" * 2000, "more_body": True}
    sent, received = asked("/read", iter([*[quick] * 20, LAST]), pause=0.03)
    assert (sent[0]["status"], len(received)) == (200, 21)
