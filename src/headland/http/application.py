"""An API as an ASGI application: a table of routes, and a table from errors to answers."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from starlette.datastructures import State
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from headland.http.bodies import BodyError
from headland.http.failures import body_error, client_gone, http_error, internal_error
from headland.http.operations import Handler, Operation, any_of, routes_of

#: Bytes of a request's headers. Of path and query the server takes 64 KiB.
_MOST_HEADERS = 1 << 16

#: What is answered to an error.
Renderer = Callable[[Request, Exception], Awaitable[Response]]

_DEFAULTS: Mapping[type[Exception], Renderer] = {
    BodyError: body_error,
    ClientDisconnect: client_gone,
    HTTPException: http_error,
    Exception: internal_error,
}


class Application:
    """Answers one API's operations, wherever it is mounted (`root_path`).

    One look into one table stands for Starlette's nest of middleware, mounts and routes, which took a third of
    the time of a request for one batch. Requests and responses are Starlette's. Handlers reach
    `state` as `request.app.state`.
    """

    def __init__(
        self,
        operations: Sequence[Operation],
        errors: Mapping[type[Exception], Renderer],
        *,
        ignore_case: bool = False,
        compressed: bool = True,
        policy: str | None = None,
        headers: Sequence[tuple[bytes, bytes]] = (),
        **state: Any,
    ) -> None:
        """`errors` is asked for an error's own class, then for those it descends from. An error that only
        `Exception` matches was not foreseen: its caller gets the answer, and the server the error.

        With `ignore_case`, fixed segments of paths are the same in whatever case they come. `compressed` says
        whether long answers are compressed for callers that take it: not where they are secret and random. `policy`
        is what browsers may do with the answers (`Content-Security-Policy`), where it is not the listener's own.
        `headers` are on every answer, beside the listener's.
        """
        self.state = State(state)
        self.compressed = compressed
        self.policy = policy
        self.headers = headers
        self._errors = {**_DEFAULTS, **errors}
        routes = routes_of(operations, ignore_case=ignore_case)
        # Looked up as it is spelled: where case does not count, each path is a pattern.
        self._fixed = {route.path: route for route in routes if not (ignore_case or route.pattern.groups)}
        self._patterns = [route for route in routes if ignore_case or route.pattern.groups]
        self._any_pattern = any_of([route.pattern for route in self._patterns])

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope["app"] = self
        request = Request(scope, receive, send)
        try:
            _check_headers(scope)
            response = await self._handler(scope)(request)
        except Exception as error:
            kind = next(kind for kind in type(error).__mro__ if kind in self._errors)
            answer = await self._errors[kind](request, error)
            await answer(scope, receive, send)
            if kind is Exception:
                raise
            return
        await response(scope, receive, send)

    def knows(self, path: str) -> bool:
        """Whether it has anything at `path`, by whatever method."""
        return self._has(self._as_known(path))

    def _as_known(self, path: str) -> str:
        """A path as operations spell it. Where nothing is known by several slashes at its beginning, they are one: a
        base may end with a slash itself, as that of Livy's Python client does.
        """
        return "/" + path.lstrip("/") if path.startswith("//") and not self._has(path) else path

    def _has(self, path: str) -> bool:
        if path in self._fixed:
            return True
        return self._any_pattern is not None and self._any_pattern.match(path) is not None

    def _handler(self, scope: Scope) -> Handler:
        """Raises HTTPException: 404, or 405 where the path has operations, but none by this method."""
        path = self._as_known(scope["path"][len(scope.get("root_path", "")) :])
        method = scope["method"]
        allowed = None
        if (fixed := self._fixed.get(path)) is not None:
            scope["route"], scope["path_params"] = fixed.path, {}
            if (handler := fixed.handlers.get(method)) is not None:
                return handler
            allowed = fixed.allowed
        for route in self._patterns:
            if (match := route.pattern.match(path)) is not None:
                scope["route"], scope["path_params"] = route.path, match.groupdict()
                if (handler := route.handlers.get(method)) is not None:
                    return handler
                allowed = allowed or route.allowed
        if allowed is None:
            raise HTTPException(404)
        raise HTTPException(405, headers={"allow": allowed})


def _check_headers(scope: Scope) -> None:
    """Raises BodyError: 431, they are too long."""
    if sum(len(name) + len(value) for name, value in scope["headers"]) > _MOST_HEADERS:
        raise BodyError(431, f"The headers are longer than {_MOST_HEADERS} bytes.")
