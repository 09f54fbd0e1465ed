"""The control plane's ASGI application: paths as its clients write them, and the headers that they look for."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from headland.control import provider
from headland.control.errors import (
    InvalidResourceNamespaceError,
    InvalidResourceTypeError,
    MethodNotAllowedError,
    MissingSubscriptionError,
)
from headland.control.guarding import guarded
from headland.control.service import ControlService
from headland.http.application import Application, Renderer
from headland.http.operations import Operation, routes_of
from headland.http.request_ids import PLAIN_ID, new_id

#: First segments of the control plane's paths.
_OWN: Final = frozenset({"subscriptions", "providers", "tenants", "control"})
_METHODS: Final = ("GET", "HEAD", "PUT", "POST", "PATCH", "DELETE")
_ANYTHING: Final = "/{rest:path}"
_SLASHES: Final = re.compile("/{2,}")
_AT_ROOT: Final = re.compile("/providers/Microsoft\\.Authorization/", re.IGNORECASE)
_PROVIDER: Final = re.compile(r".*/providers/([^/]+)(?:/([^/]+))?", re.IGNORECASE | re.DOTALL)


class ControlApplication(Application):
    """Answers whatever begins with a segment of the control plane's, and the rest of it with its own errors.

    Clients write ids and fixed segments in whatever case, double slashes where a part of an id is empty, and
    the root as a scope in several ways.
    """

    def __init__(
        self,
        operations: Sequence[Operation],
        errors: Mapping[type[Exception], Renderer],
        service: ControlService,
    ) -> None:
        self._routes = routes_of(operations, ignore_case=True)
        everything = [Operation(method, _ANYTHING, self._unmatched, "", {}) for method in _METHODS]
        super().__init__(guarded([*operations, *everything]), errors, ignore_case=True, service=service)

    def knows(self, path: str) -> bool:
        return path.lstrip("/").partition("/")[0].lower() in _OWN

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope["path"] = _plain(scope["path"])
        headers = _headers(scope)

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *headers]
            await send(message)

        await super().__call__(scope, receive, send_with_headers)

    async def _unmatched(self, request: Request) -> Response:
        path = str(request.url.path)
        allowed = sorted(
            {method for route in self._routes if route.pattern.match(path) for method in route.handlers}
        )
        if allowed:
            raise MethodNotAllowedError(request.method, ", ".join(allowed))
        match = _PROVIDER.match(path)
        if match is None:
            raise MissingSubscriptionError
        namespace, kind = match.groups()
        known = provider.NAMESPACES.get(namespace.lower())
        if known is None:
            raise InvalidResourceNamespaceError(namespace)
        raise InvalidResourceTypeError(
            kind or "", known, request.query_params.get("api-version", ""), provider.VERSIONS
        )


def _plain(path: str) -> str:
    """One slash where there are several; a role of the root has an empty scope before its provider."""
    path = _SLASHES.sub("/", path)
    return "/" + path if _AT_ROOT.match(path) else path


def _headers(scope: Scope) -> list[tuple[bytes, bytes]]:
    """By these, clients and people tell requests apart."""
    sent: dict[bytes, bytes] = dict(scope["headers"])
    own = str(scope.get("state", {}).get("request_id") or new_id()).encode()
    correlation = sent.get(b"x-ms-correlation-request-id", b"")
    shown = correlation if PLAIN_ID.fullmatch(correlation) else own
    headers = [
        (b"x-ms-request-id", own),
        (b"x-ms-correlation-request-id", shown),
        (b"x-ms-routing-request-id", b"HEADLAND:" + own),
        (b"cache-control", b"no-cache"),
    ]
    client = sent.get(b"x-ms-client-request-id", b"")
    if sent.get(b"x-ms-return-client-request-id", b"").lower() == b"true" and PLAIN_ID.fullmatch(client):
        headers.append((b"x-ms-client-request-id", client))
    return headers
