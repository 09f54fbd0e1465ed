"""The control plane's application and its API as declared."""

import contextlib
from typing import cast

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from headland.control import wire
from headland.control.application import ControlApplication
from headland.control.errors import ControlError, MethodNotAllowedError
from headland.control.routes import (
    access,
    agreements,
    data,
    groups,
    instances,
    parts,
    providers,
    roles,
    subscriptions,
)
from headland.control.rows import subscriptions as rows
from headland.control.service import ControlService
from headland.database import DatabaseUnavailableError
from headland.http.answers import json_answer
from headland.http.failures import internal_error_text
from headland.http.openapi import Api
from headland.http.operations import Answer
from headland.security import AuthenticationError

OPERATIONS = (
    *subscriptions.OPERATIONS,
    *groups.OPERATIONS,
    *providers.OPERATIONS,
    *instances.OPERATIONS,
    *parts.OPERATIONS,
    *roles.OPERATIONS,
    *agreements.OPERATIONS,
    *access.OPERATIONS,
    *data.OPERATIONS,
)

CONTROL_API = Api(
    name="control",
    summary="Subscriptions, resource groups, instances and roles, as Azure Resource Manager speaks of them.",
    prefix="",
    operations=OPERATIONS,
    errors={
        401: Answer(
            "It is unknown who is calling.", wire.ErrorAnswer, {"WWW-Authenticate": "What is needed."}
        ),
        403: Answer("No role of the caller allows this.", wire.ErrorAnswer),
        503: Answer("The database can't be reached now; try again.", wire.ErrorAnswer),
    },
)

#: Codes by what is wrong with a token (`TokenError.kind`), of which the first is for whatever has no other.
_TOKEN_CODES = {
    "": "InvalidAuthenticationToken",
    "missing": "AuthenticationFailed",
    "expired": "ExpiredAuthenticationToken",
    "audience": "InvalidAuthenticationTokenAudience",
}


def control_app(service: ControlService) -> ControlApplication:
    """The control plane, to be mounted at the root of the public base."""
    return ControlApplication(
        OPERATIONS,
        {
            ControlError: _refused,
            AuthenticationError: _unauthenticated,
            DatabaseUnavailableError: _unavailable,
            HTTPException: _http_error,
            Exception: _internal,
        },
        service,
    )


def _answer(
    status: int, code: str, message: str, target: str | None = None, headers: dict[str, str] | None = None
) -> Response:
    details = [wire.ErrorBody(code, message, target)] if code == "MissingSubscriptionRegistration" else []
    return json_answer(wire.ErrorAnswer(wire.ErrorBody(code, message, target, details)), status, headers)


async def _refused(request: Request, error: Exception) -> Response:
    problem = cast("ControlError", error)
    if request.method == "HEAD":
        return Response(status_code=problem.status)
    headers = {"allow": problem.allowed} if isinstance(problem, MethodNotAllowedError) else {}
    return _answer(problem.status, problem.code, str(problem), problem.target, headers)


async def _unauthenticated(request: Request, error: Exception) -> Response:
    problem = cast("AuthenticationError", error)
    service = cast("ControlService", request.app.state.service)
    code = _TOKEN_CODES.get(problem.kind, _TOKEN_CODES[""])
    message = problem.message
    if problem.kind == "missing":
        message = f"Authentication failed. The 'Authorization' header is missing. {message}"
    elif problem.kind == "audience":
        known = "','".join(sorted(service.guard.audiences))
        message += f" It should exactly match one of the allowed audiences '{known}'."
    challenge = f'Bearer authorization_uri="{service.public_url}/{_tenant(request, service)}"'
    if service.guard.scope:
        challenge += f', scope="{service.guard.scope}"'
    if problem.kind != "missing":
        challenge += ', error="invalid_token", error_description="The token is not good here."'
    return _answer(401, code, message, None, {"www-authenticate": challenge, "x-ms-failure-cause": "gateway"})


def _tenant(request: Request, service: ControlService) -> str:
    """Whose tokens open what was asked for, where the path has a subscription that tells."""
    id_ = str(request.path_params.get("subscriptionId", "")).lower()
    found = None
    with contextlib.suppress(DatabaseUnavailableError):
        found = service.database.read(lambda connection: rows.find(connection, id_)) if id_ else None
    return found.tenant_id if found is not None else "common"


async def _unavailable(_: Request, __: Exception) -> Response:
    message = "The database can't be reached now; try again."
    return _answer(503, "ServiceUnavailable", message, None, {"retry-after": "1"})


async def _http_error(_: Request, error: Exception) -> Response:
    problem = cast("HTTPException", error)
    return _answer(problem.status_code, "NotFound", problem.detail, None, dict(problem.headers or {}))


async def _internal(request: Request, _: Exception) -> Response:
    text = internal_error_text(getattr(request.state, "request_id", None))
    return _answer(500, "InternalServerError", text)
