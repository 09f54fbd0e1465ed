"""Middleware round every request: its id, one log line, its metrics, and an answer to what nobody foresaw."""

import re
import time
import uuid

import msgspec
import structlog
from prometheus_client import Counter, Histogram
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from headland.http.answers import JSON_UTF8
from headland.http.failures import internal_error_text

_log = structlog.get_logger("headland.http")

_REQUESTS = Counter("headland_http_requests", "Requests answered.", ["listener", "method", "route", "status"])
_SECONDS = Histogram(
    "headland_http_request_seconds",
    "Seconds from a request's first byte to its answer's last.",
    ["listener", "route"],
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30),
)

#: A caller's own id is taken over if it can't disturb a log.
_PLAIN_ID = re.compile(rb"[A-Za-z0-9._\-]{1,128}")


class RequestContext:
    """Outermost middleware. Query strings and bodies are never logged: either may hold a secret."""

    def __init__(self, app: ASGIApp, listener: str) -> None:
        self._app = app
        self._listener = listener

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = _request_id(scope)
        scope.setdefault("state", {})["request_id"] = request_id
        structlog.contextvars.bind_contextvars(request_id=request_id)
        started = time.perf_counter()
        status = 0

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], (b"x-request-id", request_id.encode())]
            await send(message)

        try:
            await self._app(scope, receive, send_with_id)
        except Exception:  # noqa: BLE001 - whatever it was, the caller gets an answer and the log the cause
            _log.exception("request.failed", method=scope["method"], path=scope["path"])
            if status == 0:
                await _answer_500(send_with_id, request_id)
        finally:
            self._record(scope, status, time.perf_counter() - started)
            structlog.contextvars.unbind_contextvars("request_id")

    def _record(self, scope: Scope, status: int, seconds: float) -> None:
        route = getattr(scope.get("route"), "path", None) or "unmatched"
        _REQUESTS.labels(self._listener, scope["method"], route, str(status)).inc()
        _SECONDS.labels(self._listener, route).observe(seconds)
        _log.info(
            "request",
            listener=self._listener,
            method=scope["method"],
            path=scope["path"],
            status=status,
            milliseconds=round(seconds * 1000, 2),
            principal=scope["state"].get("principal"),
        )


def _request_id(scope: Scope) -> str:
    for name, value in scope["headers"]:
        if name == b"x-request-id" and _PLAIN_ID.fullmatch(value):
            return str(value, "ascii")
    return str(uuid.uuid4())


async def _answer_500(send: Send, request_id: str) -> None:
    body = msgspec.json.encode({"msg": internal_error_text(request_id)})
    headers = [(b"content-type", JSON_UTF8.encode())]
    await send({"type": "http.response.start", "status": 500, "headers": headers})
    await send({"type": "http.response.body", "body": body})
