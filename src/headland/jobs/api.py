"""The job service as an application: operations, and how errors look in Livy's protocol.

Every error is `{"msg": …}`. Livy has five shapes of error body (`livy.md` section 0.1); its clients look at
the status and print the text, so one shape serves them all.
"""

from http import HTTPStatus

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from headland.database import DatabaseUnavailableError
from headland.http.answers import json_answer
from headland.http.application import Application
from headland.http.bodies import BodyError
from headland.http.openapi import Api
from headland.http.operations import Answer, Operation
from headland.http.validation import BodyInvalidError
from headland.jobs.batches.errors import BatchError
from headland.jobs.batches.wire import Message
from headland.security import AuthenticationError, TooManyAttemptsError

ERRORS = {
    400: Answer("The request is wrong; `msg` says what, and in which field.", Message),
    401: Answer("No token, or one that is not good.", Message, {"WWW-Authenticate": "RFC 6750"}),
    403: Answer("The caller may not do that.", Message),
    404: Answer("No such batch, session, statement or environment.", Message),
    408: Answer("The body does not come.", Message),
    413: Answer("The body is too large.", Message),
    415: Answer("The body is not JSON.", Message),
    429: Answer(
        "Too many attempts with wrong credentials (HTTP Basic).", Message, {"Retry-After": "Seconds to wait."}
    ),
    503: Answer("Database or storage can't be reached now; nothing was done.", Message),
}

#: Beside the listener's, as Livy's filter of headers sends it. For old browsers alone: no new one heeds it.
HEADERS = ((b"x-xss-protection", b"1; mode=block"),)


def jobs_api(operations: list[Operation], prefix: str) -> Api:
    """The declaration, for the API reference."""
    return Api(
        "jobs", "Spark batch jobs and sessions, as Apache Livy serves them.", prefix, operations, ERRORS
    )


def jobs_app(operations: list[Operation]) -> Application:
    """The application. It is mounted at `/livy` on the public base, at the root on the private listener."""
    handled = (
        BatchError,
        BodyError,
        BodyInvalidError,
        AuthenticationError,
        TooManyAttemptsError,
        DatabaseUnavailableError,
        HTTPException,
    )
    return Application(operations, dict.fromkeys(handled, _render), headers=HEADERS)


async def _render(request: Request, error: Exception) -> Response:
    """The one table from errors to answers."""
    match error:
        case BatchError() | BodyError():
            return _message(error.status, error.message)
        case BodyInvalidError():
            return _message(400, str(error))
        case AuthenticationError():
            return _message(401, error.message, {"www-authenticate": error.challenge})
        case TooManyAttemptsError():
            return _message(429, str(error), {"retry-after": str(error.seconds)})
        case DatabaseUnavailableError():
            return _message(503, f"The database can't be reached now: {error}", {"retry-after": "1"})
        case HTTPException():
            # Unknown paths and wrong methods, which Livy answers without a body.
            text = f"{HTTPStatus(error.status_code).phrase}: {request.method} {request.url.path}"
            return _message(error.status_code, text, dict(error.headers or {}))
        case _:
            raise error


def _message(status: int, text: str, headers: dict[str, str] | None = None) -> Response:
    return json_answer(Message(text), status, headers)
