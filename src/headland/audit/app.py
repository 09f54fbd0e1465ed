"""The trail's API as declared, and as an application."""

from typing import cast

from starlette.requests import Request
from starlette.responses import Response

from headland.audit import routes, wire
from headland.audit.routes import AuditService
from headland.database import Database, DatabaseUnavailableError
from headland.http.answers import json_answer
from headland.http.application import Application
from headland.http.openapi import Api
from headland.http.operations import Answer
from headland.security import AuthenticationError, Guard

AUDIT_API = Api(
    name="audit",
    summary="The trail of administrative changes: who did what, when, and from where.",
    prefix=routes.PREFIX,
    operations=routes.OPERATIONS,
    errors={
        401: Answer(
            "It is unknown who is calling.", wire.AuditProblem, {"WWW-Authenticate": "What is needed."}
        ),
        403: Answer("The caller is no administrator.", wire.AuditProblem),
        503: Answer("The database can't be reached now; try again.", wire.AuditProblem),
    },
)


def audit_app(database: Database, guard: Guard) -> Application:
    """To be mounted at `AUDIT_API.prefix`."""
    return Application(
        AUDIT_API.operations,
        {
            AuthenticationError: _unauthenticated,
            routes.NotAllowedError: _not_allowed,
            routes.BadParameterError: _bad_parameter,
            DatabaseUnavailableError: _unavailable,
        },
        service=AuditService(database, guard),
    )


async def _unauthenticated(_: Request, error: Exception) -> Response:
    problem = cast("AuthenticationError", error)
    return json_answer(wire.AuditProblem(problem.message), 401, {"www-authenticate": problem.challenge})


async def _not_allowed(_: Request, __: Exception) -> Response:
    return json_answer(wire.AuditProblem("Only an administrator may read the audit trail."), 403)


async def _bad_parameter(_: Request, error: Exception) -> Response:
    return json_answer(wire.AuditProblem(str(error)), 400)


async def _unavailable(_: Request, __: Exception) -> Response:
    return json_answer(
        wire.AuditProblem("The database can't be reached now; try again."), 503, {"retry-after": "1"}
    )
