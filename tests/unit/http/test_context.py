"""What surrounds every request: ids, the log line, and an answer to what nobody foresaw."""

import asyncio

import httpx
import pytest
import structlog
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.types import Receive, Scope, Send

from headland.http.context import RequestContext
from headland.http.failures import internal_error


async def fine(_request: Request) -> Response:
    return PlainTextResponse("fine")


async def broken(_request: Request) -> Response:
    raise RuntimeError("the belt of the thresher is off")


def ask(app: object, path: str, **headers: str) -> tuple[httpx.Response, list[dict[str, object]]]:
    async def once() -> httpx.Response:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
            return await client.get(path, headers=headers)

    with structlog.testing.capture_logs() as logs:
        return asyncio.run(once()), [dict(line) for line in logs]


INNER = Starlette(
    routes=[Route("/fine/{what}", fine), Route("/broken", broken)],
    exception_handlers={Exception: internal_error},
)
APP = RequestContext(Starlette(routes=[Mount("/inner", INNER)]), "public")


def test_one_line_a_request_without_its_query() -> None:
    answer, logs = ask(APP, "/inner/fine/7?secret=1")
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
    answer, _ = ask(APP, "/inner/fine/7", **{"X-Request-Id": sent})
    assert (answer.headers["X-Request-Id"] == sent) is kept


def test_what_nobody_foresaw_is_json_and_tells_no_cause() -> None:
    answer, logs = ask(APP, "/inner/broken", **{"X-Request-Id": "r1"})
    assert answer.status_code == 500
    assert answer.json() == {"msg": "Internal error; the log has more under request id r1."}
    assert [line["event"] for line in logs] == ["request.failed", "request"]
    assert logs[0]["exc_info"]


def test_so_it_is_where_no_application_answers() -> None:
    async def nobody(_scope: Scope, _receive: Receive, _send: Send) -> None:
        raise RuntimeError("no one at home")

    answer, _ = ask(RequestContext(nobody, "private"), "/", **{"X-Request-Id": "r2"})
    assert (answer.status_code, answer.headers["Content-Type"]) == (500, "application/json; charset=UTF-8")
    assert answer.json() == {"msg": "Internal error; the log has more under request id r2."}


def test_routes_are_counted_by_their_pattern() -> None:
    from prometheus_client import REGISTRY

    before = REGISTRY.get_sample_value("headland_http_requests_total", LABELS) or 0
    ask(APP, "/inner/fine/8")
    ask(APP, "/inner/fine/9")
    assert REGISTRY.get_sample_value("headland_http_requests_total", LABELS) == before + 2


LABELS = {"listener": "public", "method": "GET", "route": "/fine/{what}", "status": "200"}
