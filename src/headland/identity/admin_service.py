"""What the routes of applications work with: the caller's right, the body's form, and errors as answers."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar, cast

from sqlalchemy import Connection
from starlette.requests import Request

from headland.database import Database
from headland.http.bodies import BodyError, media_type_of, read_body
from headland.http.validation import decode_json
from headland.identity import errors, store
from headland.identity.records import Tenant
from headland.security import Guard, Principal
from headland.settings import Settings

T = TypeVar("T")

JSON = "application/json"

#: Status of what the rules refuse.
STATUS: Mapping[type[errors.IdentityError], int] = {
    errors.InvalidFieldError: 400,
    errors.ForbiddenError: 403,
    errors.ApplicationNotFoundError: 404,
    errors.SecretNotFoundError: 404,
    errors.LastAdministratorError: 409,
    errors.KeyPendingError: 409,
}


@dataclass(frozen=True)
class AdminService:
    """The state behind the routes."""

    database: Database
    settings: Settings
    guard: Guard
    #: Seconds since 1970.
    clock: Callable[[], float] = time.time

    def now(self) -> int:
        """Milliseconds since 1970."""
        return int(self.clock() * 1000)


def service_of(request: Request) -> AdminService:
    return cast("AdminService", request.app.state.service)


async def administrator(request: Request) -> Principal:
    """The caller, who may administer.

    Raises:
        AuthenticationError: it is unknown who is calling.
        ForbiddenError: it is no administrator.
    """
    principal = await service_of(request).guard.authenticate(request)
    if principal is None or not principal.administrator:
        raise errors.ForbiddenError
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


def tenant_of(connection: Connection, principal: Principal) -> Tenant:
    """The caller's tenant.

    Raises:
        ForbiddenError: it is a tenant of another issuer.
    """
    found = next((t for t in store.tenants(connection) if t.id == principal.tenant_id), None)
    if found is None:
        raise errors.ForbiddenError
    return found
