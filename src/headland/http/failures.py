"""Answers to errors that an API does not render by itself, in the form that all but the token endpoint share."""

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from headland.http.answers import json_answer
from headland.http.bodies import BodyError


def internal_error_text(request_id: object) -> str:
    """What a caller is told: nothing of the cause, but where an operator finds it."""
    return f"Internal error; the log has more under request id {request_id}."


async def internal_error(request: Request, _error: Exception) -> Response:
    """What nobody foresaw. The error goes on to the listener, which logs it."""
    return json_answer({"msg": internal_error_text(getattr(request.state, "request_id", None))}, 500)


async def http_error(_request: Request, error: Exception) -> Response:
    """A path or method that there is not."""
    if not isinstance(error, HTTPException):
        raise error
    return json_answer({"msg": error.detail}, error.status_code, error.headers)


async def body_error(_request: Request, error: Exception) -> Response:
    """A body that can't be taken."""
    if not isinstance(error, BodyError):
        raise error
    return json_answer({"msg": error.message}, error.status)


async def client_gone(_request: Request, _error: Exception) -> Response:
    """The client hung up while its body was awaited. Nobody reads it, and it is no fault of the server's."""
    return json_answer({"msg": "The client went away before its request was complete."}, 400)
