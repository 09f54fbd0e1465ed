"""What surrounds every request: ids, the log line, headers, compression, and an answer to what nobody foresaw."""

import asyncio

import httpx
import pytest
import structlog
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import Message

from headland.http.application import Application
from headland.http.listener import SMALLEST_COMPRESSED, Hosts, Listener
from headland.http.operations import Answer, Handler, Operation

LONG = "rye " * SMALLEST_COMPRESSED


async def fine(_request: Request) -> Response:
    return PlainTextResponse("fine")


async def long(_request: Request) -> Response:
    return PlainTextResponse(LONG)


async def blob(_request: Request) -> Response:
    return Response(LONG, media_type="application/octet-stream")


async def broken(_request: Request) -> Response:
    raise RuntimeError("the belt of the thresher is off")


async def interrupted(_request: Request) -> Response:
    class Interrupted(Response):
        async def __call__(self, scope, receive, send):
            await send({"type": "http.response.start", "status": 200, "headers": []})
            raise RuntimeError("the belt of the thresher is off")

    return Interrupted()


def application(handlers: dict[str, Handler]) -> Application:
    answers = {200: Answer("Fine.")}
    return Application([Operation("GET", path, one, "", answers) for path, one in handlers.items()], {})


def ask(
    path: str, method: str = "GET", listener: Listener | None = None, **headers: str
) -> tuple[httpx.Response, list[dict[str, object]]]:
    asked = listener or LISTENER

    async def once() -> httpx.Response:
        transport = httpx.ASGITransport(asked, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
            answer = await client.request(method, path, headers={"accept-encoding": "identity", **headers})
        asked.traffic.tell()
        return answer

    with structlog.testing.capture_logs() as logs:
        return asyncio.run(once()), [dict(line) for line in logs]


INNER = {"/fine/{what}": fine, "/broken": broken, "/interrupted": interrupted, "/long": long, "/blob": blob}
LISTENER = Listener(
    "public",
    {"/inner": application(INNER)},
    [application({"/health": fine}), application({"/{tenant}/token": fine})],
    tls=True,
)


def test_one_line_a_request_without_its_query() -> None:
    answer, logs = ask("/inner/fine/7?secret=1")
    (line,) = logs
    assert answer.text == "fine"
    assert {name: line[name] for name in ("event", "listener", "method", "path", "status")} == {
        "event": "request",
        "listener": "public",
        "method": "GET",
        "path": "/inner/fine/7",
        "status": 200,
    }
    assert "secret" not in str(line)


@pytest.mark.parametrize(
    ("sent", "kept"), [("field-7", True), ("a" * 128, True), ("a" * 129, False), ("a b", False)]
)
def test_a_plain_request_id_is_kept(sent: str, kept: bool) -> None:
    answer, _ = ask("/inner/fine/7", **{"X-Request-Id": sent})
    assert (answer.headers["X-Request-Id"] == sent) is kept


def test_ids_that_are_made_differ() -> None:
    made = {ask("/health")[0].headers["X-Request-Id"] for _ in range(3)}
    assert len(made) == 3


def test_what_nobody_foresaw_is_json_and_tells_no_cause() -> None:
    answer, logs = ask("/inner/broken", **{"X-Request-Id": "r1"})
    assert (answer.status_code, answer.headers["Content-Type"]) == (500, "application/json; charset=UTF-8")
    assert answer.json() == {"msg": "Internal error; the log has more under request id r1."}
    assert [line["event"] for line in logs] == ["request.failed", "request"]
    assert logs[0]["exc_info"]


def test_so_it_is_where_the_rendering_of_an_error_fails() -> None:
    async def renders(_request: Request, _error: Exception) -> Response:
        raise RuntimeError("out of ink")

    app = Application([], {HTTPException: renders})
    answer, logs = ask("/x", listener=Listener("private", {}, [app], tls=False), **{"X-Request-Id": "r2"})
    assert answer.json() == {"msg": "Internal error; the log has more under request id r2."}
    assert [line["event"] for line in logs] == ["request.failed", "request"]


def test_an_answer_that_breaks_off_is_logged_and_not_answered_twice() -> None:
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "GET", "path": "/inner/interrupted", "headers": []}

    async def interrupt() -> None:
        await LISTENER(scope, receive, send)
        LISTENER.traffic.tell()

    with structlog.testing.capture_logs() as logs:
        asyncio.run(interrupt())
    assert [message.get("status") for message in sent] == [200]
    assert [line["event"] for line in logs] == ["request.failed", "request"]


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/inner/long", 200),
        ("/inner/health", 404),
        ("/inner/token", 404),
        ("/innermost/token", 200),
        ("/inner", 404),
        ("/health", 200),
        ("/oats/token", 200),
        ("/oats", 404),
        ("/", 404),
    ],
)
def test_a_prefix_then_the_root_decide_who_answers(path: str, status: int) -> None:
    assert ask(path)[0].status_code == status


def test_headers_for_browsers_are_on_every_answer() -> None:
    for path in ("/health", "/nowhere", "/inner/broken"):
        headers = ask(path)[0].headers
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Strict-Transport-Security"]
    plain = Listener("private", {}, [application({"/health": fine})], tls=False)
    assert "Strict-Transport-Security" not in ask("/health", listener=plain)[0].headers


def test_long_answers_are_compressed_for_those_who_take_it() -> None:
    packed, plain = (ask("/inner/long", **{"accept-encoding": how})[0] for how in ("gzip, br", "identity"))
    assert (packed.headers["Content-Encoding"], packed.text) == ("gzip", LONG)
    assert "Content-Encoding" not in plain.headers
    assert plain.text == LONG
    assert "Content-Encoding" not in ask("/inner/blob", **{"accept-encoding": "gzip"})[0].headers
    assert "Content-Encoding" not in ask("/health", **{"accept-encoding": "gzip"})[0].headers


def test_an_application_may_want_its_answers_as_they_are() -> None:
    operations = [Operation("GET", "/long", long, "", {200: Answer("Fine.")})]
    listener = Listener("public", {}, [Application(operations, {}, compressed=False)], tls=True)
    answer, _ = ask("/long", listener=listener, **{"accept-encoding": "gzip"})
    assert ("Content-Encoding" in answer.headers, answer.text) == (False, LONG)


def test_routes_are_counted_by_their_pattern() -> None:
    before = counted(**LABELS)
    ask("/inner/fine/8")
    ask("/inner/fine/9")
    assert counted(**LABELS) == before + 2


def test_methods_that_nobody_knows_are_counted_as_one() -> None:
    labels = {"method": "other", "route": "/health", "status": "405"}
    before = counted(**LABELS | labels)
    for method in ("BREW", "WHEN"):
        assert ask("/health", method)[0].status_code == 405
    assert counted(**LABELS | labels) == before + 2


LABELS = {"listener": "public", "method": "GET", "route": "/fine/{what}", "status": "200"}


def counted(**labels: str) -> float:
    from prometheus_client import REGISTRY

    return REGISTRY.get_sample_value("headland_http_requests_total", labels) or 0


@pytest.mark.parametrize(
    ("host", "name"),
    [
        (b"meadow.farms.example", "meadow"),
        (b"Meadow.Farms.Example:8443", "meadow"),
        (b"meadow.farms.example.", "meadow"),
        (b"farms.example", None),
        (b".farms.example", None),
        (b"a.meadow.farms.example", None),
        (b"meadow.farms.example.org", None),
        (b"own.farms.example:8443", None),
        (b"[::1]:8443", None),
        (b"[::1]", None),
        (b"", None),
        (b"\xff", None),
    ],
)
def test_names_of_hosts(host: bytes, name: str | None) -> None:
    hosts = Hosts("farms.example", Application([], {}), "name", own="own.farms.example")
    assert hosts.name_in(host) == name
