"""Answers: what every one of them bears in its head, and the one table from errors to them."""

from http import HTTPStatus

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from headland.database import DatabaseUnavailableError
from headland.farm.errors import FarmError, InstanceNotReadyError
from headland.farm.stores import NewerStoreError
from headland.farm.versions import SERVED
from headland.farm.wire import Error, ErrorResponse
from headland.http.answers import encoded_answer, json_answer
from headland.http.bodies import BodyError
from headland.http.failures import internal_error_text
from headland.http.validation import BodyInvalidError
from headland.security import AuthenticationError

_JSON = "application/json; charset=utf-8"
_SUPPORTED = ", ".join(sorted(SERVED))

#: Seconds after which a client may try again where waiting helps.
_SOON = "1"
_WHEN_DEPLOYED = "2"

#: By status, for refusals that are HTTP's own.
_CODES = {400: "BadRequest", 404: "NotFound", 405: "MethodNotAllowed", 413: "RequestEntityTooLarge"}


def document_answer(
    request: Request, document: bytes, status: int = 200, *, etag: str, location: str | None = None
) -> Response:
    """A document. Its eTag stands in the header as in the body, without quotes, as clients know it."""
    headers = _headers(request)
    headers["etag"] = etag
    if location is not None:
        headers["location"] = location
    return encoded_answer(document, status, headers, _JSON)


def page_answer(request: Request, page: bytes) -> Response:
    """A page of a list."""
    return encoded_answer(page, 200, _headers(request), _JSON)


def empty_answer(request: Request, status: int, *, etag: str | None = None) -> Response:
    """No body."""
    headers = _headers(request)
    if etag is not None:
        headers["etag"] = etag
    return Response(status_code=status, headers=headers)


async def refusal(request: Request, error: Exception) -> Response:
    """The answer to an error."""
    match error:
        case FarmError():
            headers = {"retry-after": _WHEN_DEPLOYED} if isinstance(error, InstanceNotReadyError) else {}
            return _refusal(request, error.status, error.code, error.message, error.target, headers)
        case BodyInvalidError():
            return _refusal(request, 400, "InvalidInput", f"{error}.", error.field or None)
        case BodyError():
            code = _CODES.get(error.status, "BadRequest")
            return _refusal(request, error.status, code, error.message)
        case AuthenticationError():
            challenge = {"www-authenticate": error.challenge}
            return _refusal(request, 401, "AuthenticationFailed", error.message, None, challenge)
        case DatabaseUnavailableError() | NewerStoreError():
            text = "The instance's store can't be reached now; nothing was done."
            return _refusal(request, 503, "ServiceUnavailable", text, None, {"retry-after": _SOON})
        case HTTPException():
            code = _CODES.get(error.status_code, "BadRequest")
            text = f"{HTTPStatus(error.status_code).phrase}: {request.method} {request.url.path}"
            return _refusal(request, error.status_code, code, text, None, dict(error.headers or {}))
        case ClientDisconnect():
            # The caller hung up while its body was awaited: nobody reads this.
            return Response(status_code=400)
        case _:
            return _refusal(request, 500, "InternalServerError", internal_error_text(_id_of(request)))


def _refusal(
    request: Request,
    status: int,
    code: str,
    message: str,
    target: str | None = None,
    headers: dict[str, str] | None = None,
) -> Response:
    details = [Error(code, message, target)] if target is not None and status == 400 else None
    body = ErrorResponse(Error(code, message, target, details), _id_of(request))
    # Real ones have no charset here.
    return json_answer(
        body, status, {**_headers(request), "x-ms-error-code": code, **(headers or {})}, "application/json"
    )


def _headers(request: Request) -> dict[str, str]:
    headers = {"api-supported-versions": _SUPPORTED, "x-ms-request-id": _id_of(request)}
    client_request_id = request.headers.get("x-ms-client-request-id")
    if client_request_id is not None:
        headers["x-ms-client-request-id"] = client_request_id
    return headers


def _id_of(request: Request) -> str:
    return str(getattr(request.state, "request_id", ""))
