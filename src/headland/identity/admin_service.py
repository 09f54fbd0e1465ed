"""What the routes of tenants and applications work with: the caller's right, the body's form, changes that are
put on record, and errors as answers.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar, cast

import structlog
from sqlalchemy import Connection
from starlette.requests import Request

from headland.audit import Change, actor_of
from headland.database import Database
from headland.http.bodies import BodyError, media_type_of, read_body
from headland.http.validation import decode_json
from headland.identity import errors, tenants
from headland.identity.records import Tenant
from headland.security import Guard, Principal
from headland.settings import Settings

T = TypeVar("T")

JSON = "application/json"

_log = structlog.get_logger("headland.identity")

#: Status of what the rules refuse.
STATUS: Mapping[type[errors.IdentityError], int] = {
    errors.InvalidFieldError: 400,
    errors.ForbiddenError: 403,
    errors.ApplicationNotFoundError: 404,
    errors.NotOperatorError: 403,
    errors.SecretNotFoundError: 404,
    errors.CertificateNotFoundError: 404,
    errors.TenantNotFoundError: 404,
    errors.PersonNotFoundError: 404,
    errors.SessionNotFoundError: 404,
    errors.LastAdministratorError: 409,
    errors.CertificateTakenError: 409,
    errors.TenantNameTakenError: 409,
    errors.UserNameTakenError: 409,
    errors.TenantNotEmptyError: 409,
    errors.KeyPendingError: 409,
}


def _nothing(_connection: Connection, _tenant_id: str) -> None:
    """No other service keeps anything for tenants."""


@dataclass(frozen=True)
class AdminService:
    """The state behind the routes."""

    database: Database
    settings: Settings
    guard: Guard
    #: What other services keep for a tenant.
    belongings: tenants.Belongings = _nothing
    #: Seconds since 1970.
    clock: Callable[[], float] = time.time

    def now(self) -> int:
        """Milliseconds since 1970."""
        return int(self.clock() * 1000)


def service_of(request: Request) -> AdminService:
    return cast("AdminService", request.app.state.service)


async def administrator(request: Request) -> Principal:
    """The caller, who may administer at least its own tenant.

    Raises:
        AuthenticationError: it is unknown who is calling.
        ForbiddenError: it is no administrator.
    """
    principal = await service_of(request).guard.authenticate(request)
    if principal is None or not principal.tenant_administrator:
        raise errors.ForbiddenError
    return principal


async def operator(request: Request) -> Principal:
    """The caller, who may administer the whole deployment.

    Raises:
        AuthenticationError: it is unknown who is calling.
        ForbiddenError: it is no administrator.
        NotOperatorError: it is one of another tenant than the first.
    """
    principal = await administrator(request)
    if not principal.administrator:
        raise errors.NotOperatorError
    return principal


async def body_of(request: Request, kind: type[T]) -> T:
    """The request's body.

    Raises:
        BodyError: it is too large, or of another media type.
        BodyInvalidError: it is not JSON, or a field is unknown, missing or of another type.
    """
    content = await read_body(request, service_of(request).settings.server.max_body)
    media_type, _ = media_type_of(request)
    if media_type not in {"", JSON}:
        raise BodyError(415, f"Send the body as {JSON}, not as '{media_type}'.")
    return decode_json(content, kind)


@dataclass(frozen=True, slots=True)
class Place:
    """The tenant of which an operation is."""

    tenant: Tenant
    #: Whether it is the caller's own.
    own: bool


def place_of(connection: Connection, principal: Principal, request: Request) -> Place:
    """The tenant that `?tenant=` names, by id or name, else the caller's own.

    Raises:
        ForbiddenError: the caller is of another issuer.
        TenantNotFoundError: there is none that the caller may see.
    """
    own = tenants.of(connection, principal)
    named = request.query_params.get("tenant")
    tenant = tenants.find(connection, principal, named) if named else own
    return Place(tenant, tenant == own)


async def carry_out(
    request: Request, principal: Principal, rule: Callable[[Connection], tuple[T, Change | None]]
) -> T:
    """What `rule` returns, once all that it has changed is committed; then it is told of.

    Every change that an administrator makes goes through here: it is on record in the audit trail by the same
    transaction, and there is no change without that.

    Args:
        rule: makes the change, and says what has changed, or None.
    """
    service, actor = service_of(request), actor_of(request, principal)
    now = service.now()

    def recorded(connection: Connection) -> tuple[T, Change | None]:
        made, change = rule(connection)
        if change is not None:
            change.put_on_record(connection, actor, now)
        return made, change

    made, change = await service.database.write(recorded)
    if change is not None:
        _log.info(change.action, tenant=change.tenant_id, target=change.target, by=principal.client_id)
    return made
