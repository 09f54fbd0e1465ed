"""The two applications of the identity service, and their APIs as declared."""

import time
from collections.abc import Callable
from typing import cast

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from headland.database import Database, DatabaseUnavailableError
from headland.http.answers import json_answer
from headland.http.application import Application
from headland.http.bodies import BodyError
from headland.http.openapi import Api
from headland.http.operations import Answer
from headland.http.validation import BodyInvalidError
from headland.identity import (
    application_routes,
    credential_routes,
    discovery_routes,
    key_routes,
    refusals,
    tenant_routes,
    token_routes,
    wire,
)
from headland.identity.admin_service import STATUS, AdminService
from headland.identity.errors import IdentityError
from headland.identity.issuer import Issuer
from headland.identity.people import routes as people_routes
from headland.identity.refusals import TokenRefusedError
from headland.identity.service import TokenService, refused
from headland.security import AuthenticationError
from headland.settings import Settings

TOKEN_API = Api(
    name="identity",
    summary="Access tokens and discovery, as Microsoft Entra ID speaks them.",
    prefix="",
    operations=(*token_routes.OPERATIONS, *discovery_routes.OPERATIONS),
    errors={
        400: Answer("The request is refused.", wire.TokenRefusal),
        503: Answer("The database can't be reached now; try again.", wire.TokenRefusal),
    },
)

ADMIN_API = Api(
    name="applications",
    summary="Tenants, the applications that may call this deployment with their secrets and certificates, the "
    "people who may sign in to the portal, and the keys that sign tokens.",
    prefix=application_routes.PREFIX,
    operations=(
        *application_routes.OPERATIONS,
        *credential_routes.OPERATIONS,
        *tenant_routes.OPERATIONS,
        *people_routes.OPERATIONS,
        *key_routes.OPERATIONS,
    ),
    errors={
        401: Answer("It is unknown who is calling.", wire.Problem, {"WWW-Authenticate": "What is needed."}),
        403: Answer("The caller is no administrator.", wire.Problem),
        503: Answer("The database can't be reached now; try again.", wire.Problem),
    },
)


def identity_app(
    database: Database, settings: Settings, issuer: Issuer, clock: Callable[[], float] = time.time
) -> Application:
    """Token endpoints and discovery, to be mounted at the root of the public base after everything else."""
    return Application(
        TOKEN_API.operations,
        {
            TokenRefusedError: _refused,
            DatabaseUnavailableError: _unavailable_in_form,
            HTTPException: _http_error_in_form,
            Exception: _internal_in_form,
        },
        # Nothing of a token can be made shorter, and what is secret is not to show in the length of an answer.
        compressed=False,
        service=TokenService(database, settings, issuer, clock),
    )


def identity_admin_app(service: AdminService) -> Application:
    """Headland's API of tenants, applications and credentials, to be mounted at `ADMIN_API.prefix`."""
    return Application(
        ADMIN_API.operations,
        {
            AuthenticationError: _unauthenticated,
            IdentityError: _rule,
            BodyError: _body,
            BodyInvalidError: _body_invalid,
            DatabaseUnavailableError: _unavailable,
            HTTPException: _http_error,
        },
        service=service,
    )


async def _refused(request: Request, error: Exception) -> Response:
    return refused(request, cast("TokenRefusedError", error))


async def _unavailable_in_form(request: Request, _: Exception) -> Response:
    return refused(request, TokenRefusedError(refusals.UNAVAILABLE))


async def _internal_in_form(request: Request, _: Exception) -> Response:
    return refused(request, TokenRefusedError(refusals.INTERNAL))


async def _http_error_in_form(request: Request, error: Exception) -> Response:
    problem = cast("HTTPException", error)
    if problem.status_code != 405:
        return await _http_error(request, error)
    allowed = (problem.headers or {})["allow"]
    answer = refused(
        request, TokenRefusedError(refusals.WRONG_METHOD, allowed=allowed, method=request.method)
    )
    answer.headers["allow"] = allowed
    return answer


async def _http_error(request: Request, error: Exception) -> Response:
    problem = cast("HTTPException", error)
    if problem.status_code == 405:
        allowed = (problem.headers or {})["allow"]
        message = f"{request.method} is not allowed here; {allowed} is."
        return json_answer(wire.Problem(message), 405, {"allow": allowed})
    if problem.status_code == 404:
        return json_answer(wire.Problem(f"There is nothing at {request.url.path}."), 404)
    return json_answer(wire.Problem(problem.detail), problem.status_code, problem.headers)


async def _unauthenticated(_: Request, error: Exception) -> Response:
    problem = cast("AuthenticationError", error)
    return json_answer(wire.Problem(problem.message), 401, {"www-authenticate": problem.challenge})


async def _rule(_: Request, error: Exception) -> Response:
    return json_answer(wire.Problem(str(error)), STATUS[type(cast("IdentityError", error))])


async def _body(_: Request, error: Exception) -> Response:
    problem = cast("BodyError", error)
    return json_answer(wire.Problem(problem.message), problem.status)


async def _body_invalid(_: Request, error: Exception) -> Response:
    return json_answer(wire.Problem(str(error)), 400)


async def _unavailable(_: Request, __: Exception) -> Response:
    return json_answer(
        wire.Problem("The database can't be reached now; try again."), 503, {"retry-after": "1"}
    )
