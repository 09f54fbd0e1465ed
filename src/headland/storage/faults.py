"""Errors to HTTP: one table for everything that answers below `/storage`."""

from collections.abc import Mapping

import structlog
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from headland.database import DatabaseUnavailableError
from headland.http.answers import json_answer
from headland.http.application import Renderer
from headland.http.bodies import BodyError
from headland.security import AuthenticationError
from headland.storage.errors import StorageError, StorageUnavailableError
from headland.storage.wire import Problem

_log = structlog.get_logger("headland.storage")


async def _storage_error(_request: Request, error: Exception) -> Response:
    status = error.status if isinstance(error, StorageError) else 503
    if isinstance(error, StorageUnavailableError):
        _log.warning("storage.unavailable", account=error.account, status=status, cause=str(error))
    return json_answer(Problem(str(error)), status)


async def _authentication_error(_request: Request, error: Exception) -> Response:
    challenge = error.challenge if isinstance(error, AuthenticationError) else "Bearer"
    return json_answer(Problem(str(error)), 401, {"www-authenticate": challenge})


async def _database_error(_request: Request, error: Exception) -> Response:
    # Without it nobody knows whether the caller's token is still good.
    text = f"The database can't be reached now: {error}"
    return json_answer(Problem(text), 503, {"retry-after": "1"})


async def _http_error(_request: Request, error: Exception) -> Response:
    if not isinstance(error, HTTPException):
        return json_answer(Problem(str(error)), 500)
    return json_answer(Problem(error.detail), error.status_code, error.headers)


async def _body_error(_request: Request, error: Exception) -> Response:
    return json_answer(Problem(str(error)), error.status if isinstance(error, BodyError) else 400)


ERROR_ANSWERS: Mapping[type[Exception], Renderer] = {
    StorageError: _storage_error,
    AuthenticationError: _authentication_error,
    DatabaseUnavailableError: _database_error,
    HTTPException: _http_error,
    BodyError: _body_error,
}
