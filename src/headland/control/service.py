"""What the routes work with: the caller and its body, and the one way by which anything is changed."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Protocol, TypeVar, cast

import structlog
from sqlalchemy import Connection
from starlette.requests import Request

from headland.audit import Change, actor_of
from headland.control.authorization import RoleAuthorizer
from headland.control.directory import Directory
from headland.control.errors import (
    BadParameterError,
    ContentTooLargeError,
    InvalidContentError,
    RequestTimeoutError,
    UnsupportedMediaTypeError,
)
from headland.control.terms import Terms
from headland.database import Database
from headland.http.bodies import BodyError, media_type_of, read_body
from headland.http.validation import BodyInvalidError, decode_json
from headland.security import Guard, Principal
from headland.settings import Settings

T = TypeVar("T")


class HasId(Protocol):
    """What roles may be held at."""

    @property
    def id(self) -> str: ...


Listed = TypeVar("Listed", bound=HasId)

_JSON = "application/json"

_log = structlog.get_logger("headland.control")


def _nobody() -> None:
    """Nobody waits for work."""


@dataclass(frozen=True)
class ControlService:
    """The state behind the routes."""

    database: Database
    settings: Settings
    guard: Guard
    authorizer: RoleAuthorizer
    directory: Directory
    terms: Terms
    #: Tells the deployer that there may be something to do.
    wake: Callable[[], None] = field(default=_nobody)
    #: Seconds since 1970.
    clock: Callable[[], float] = time.time

    @property
    def public_url(self) -> str:
        return self.settings.server.public_url

    def now(self) -> int:
        """Milliseconds since 1970."""
        return int(self.clock() * 1000)

    async def change(self, request: Request, rule: Callable[[Connection], tuple[T, Change | None]]) -> T:
        """What `rule` returns, once all that it has changed is committed. Whatever the control plane changes for a
        caller, it changes here: it is on record in the audit trail by the same transaction.

        Args:
            rule: makes the change, and says what has changed, or None.

        Raises:
            ControlError: the rule refuses; nothing was changed.
            DatabaseUnavailableError: the database can't be written now.
        """
        actor, now = actor_of(request, caller(request)), self.now()

        def recorded(connection: Connection) -> tuple[T, Change | None]:
            made, change = rule(connection)
            if change is not None:
                change.put_on_record(connection, actor, now)
            return made, change

        made, change = await self.database.write(recorded)
        if change is not None:
            _log.info(change.action, target=change.target, by=actor.client_id)
        self.wake()
        return made

    def read(self, query: Callable[[Connection], T]) -> T:
        """What `query` returns, of one state of the database."""
        return self.database.read_snapshot(query)


def service_of(request: Request) -> ControlService:
    return cast("ControlService", request.app.state.service)


def caller(request: Request) -> Principal:
    """Who is calling: the guard has seen to it."""
    return cast("Principal", request.state.caller)


def visible(request: Request, action: str, listed: Iterable[Listed]) -> list[Listed]:
    """What of a list the caller may do `action` on."""
    allows, principal = service_of(request).authorizer.allows, caller(request)
    return [item for item in listed if allows(principal, action, item.id)]


def path(request: Request, name: str) -> str:
    """A parameter of the path."""
    return str(request.path_params[name])


def subscription_of(request: Request) -> str:
    """The id of the subscription in the path, as it is kept."""
    return path(request, "subscriptionId").lower()


def version_of(request: Request) -> str:
    """The request's `api-version`, which the guard has checked."""
    return request.query_params["api-version"]


def expanded(request: Request, known: frozenset[str]) -> frozenset[str]:
    """What `$expand` names, in lower case.

    Raises:
        BadParameterError: it names something else than `known`.
    """
    names = frozenset(
        name.strip().lower() for name in request.query_params.get("$expand", "").split(",") if name.strip()
    )
    if names - known:
        raise BadParameterError(
            "$expand", f"it names {', '.join(sorted(known))}, and not {', '.join(sorted(names - known))}"
        )
    return names


async def body_of(request: Request, kind: type[T], *, optional: bool = False) -> T:
    """The request's body; nothing is taken for an empty object where it is optional.

    Raises:
        ContentTooLargeError, UnsupportedMediaTypeError: it is too large, or not JSON by its own word.
        RequestTimeoutError: it does not come.
        InvalidContentError: it is not JSON, or a field is missing or of another type.
    """
    try:
        content = await read_body(request, service_of(request).settings.server.max_body)
    except BodyError as error:
        if error.status == 413:
            raise ContentTooLargeError(error.message) from None
        if error.status == 408:
            raise RequestTimeoutError(error.message) from None
        raise InvalidContentError(error.message) from None
    media_type, _ = media_type_of(request)
    if content and media_type not in {"", _JSON}:
        raise UnsupportedMediaTypeError(f"Send the body as {_JSON}, not as '{media_type}'.")
    if optional and not content.strip():
        content = b"{}"
    try:
        return decode_json(content, kind)
    except BodyInvalidError as error:
        raise InvalidContentError(str(error), error.field or None) from None
