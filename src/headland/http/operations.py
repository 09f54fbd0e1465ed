"""An operation of an API, declared once: its route and its OpenAPI entry come from the declaration."""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import compile_path

Handler = Callable[[Request], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class Parameter:
    """A query parameter or header."""

    name: str
    type: Any
    summary: str
    required: bool = False
    place: str = "query"


@dataclass(frozen=True, slots=True)
class Answer:
    """What an operation answers with one status."""

    summary: str
    #: A Struct, None for no body, or a media type other than JSON.
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Operation:
    """One method on one path."""

    method: str
    path: str
    handler: Handler
    summary: str
    #: Status to answer; errors that every operation of a service shares are declared beside the service.
    answers: Mapping[int, Answer]
    #: Struct of the request's body, or None.
    body: Any = None
    #: Media types in which the body may come.
    media_types: Sequence[str] = ("application/json",)
    parameters: Sequence[Parameter] = ()
    #: Types of the path's parameters, where they are not those that the service's usually have.
    segments: Mapping[str, Any] = field(default_factory=dict)
    #: Whether it is Headland's own addition to the protocol the service speaks.
    addition: bool = False
    #: Whether a bearer token is demanded.
    guarded: bool = True
    #: What role-based access control calls it; None where roles have no say in it.
    action: str | None = None
    #: Whether callers who have that right only for something inside get that of it.
    filtered: bool = False


@dataclass(frozen=True, slots=True)
class Route:
    """The operations on one path, ready to be looked up."""

    path: str
    pattern: re.Pattern[str]
    #: By method; HEAD is answered by GET's where it has none of its own.
    handlers: Mapping[str, Handler]

    @property
    def allowed(self) -> str:
        """What `Allow` names."""
        return ", ".join(sorted(self.handlers))


def routes_of(operations: Sequence[Operation], *, ignore_case: bool = False) -> list[Route]:
    """A route each path, in the order of the declarations.

    A path is reached with one trailing slash, too, where it ends in a fixed segment: some clients send it.
    With `ignore_case`, fixed segments are the same in whatever case they come.
    """
    by_path: dict[str, dict[str, Handler]] = {}
    for operation in operations:
        by_path.setdefault(operation.path, {})[operation.method] = operation.handler
    routes = []
    for path, handlers in by_path.items():
        if "GET" in handlers:
            handlers.setdefault("HEAD", handlers["GET"])
        spellings = [path] if path.endswith(("}", "/")) else [path, path + "/"]
        # Parameters are text as it comes: no operation declares another convertor than `path`.
        routes += [Route(spelling, _pattern(spelling, ignore_case), handlers) for spelling in spellings]
    return routes


def any_of(patterns: Sequence[re.Pattern[str]]) -> re.Pattern[str] | None:
    """What matches wherever one of them does, in a fraction of the time of one after the other; None for none. They
    have the same flags.
    """
    if not patterns:
        return None
    # Without names: two may have a parameter of the same one.
    plain = [re.sub(r"\(\?P<\w+>", "(?:", pattern.pattern) for pattern in patterns]
    return re.compile("|".join(plain), patterns[0].flags)


def _pattern(path: str, ignore_case: bool) -> re.Pattern[str]:
    pattern = compile_path(path)[0]
    return re.compile(pattern.pattern, re.IGNORECASE) if ignore_case else pattern
