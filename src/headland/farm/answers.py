"""Answers: what every one of them bears in its head, and the one table from errors to them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

import structlog
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from headland.database import DatabaseUnavailableError
from headland.farm.access import UNITS
from headland.farm.errors import (
    FarmError,
    InstanceNotReadyError,
    ThrottledError,
    UnsatisfiableRangeError,
    WorkersBusyError,
)
from headland.farm.stores import NewerStoreError
from headland.farm.versions import ALL
from headland.farm.wire import Error, ErrorResponse
from headland.http.answers import json_answer
from headland.http.application import Renderer
from headland.http.bodies import BodyError
from headland.http.failures import internal_error_text
from headland.http.headers import header
from headland.http.ranges import Span
from headland.http.validation import BodyInvalidError
from headland.security import AuthenticationError
from headland.storage import BlobReader, StorageUnavailableError
from headland.storage.responses import BlobResponse

_log = structlog.get_logger("headland.farm")

_JSON = (b"content-type", b"application/json; charset=utf-8")
_SUPPORTED = (b"api-supported-versions", ", ".join(sorted(ALL)).encode())

#: Seconds after which a client may try again where waiting helps.
_SOON = "1"
_WHEN_DEPLOYED = "2"

#: By status, for refusals that are HTTP's own.
_CODES = {
    400: "BadRequest",
    404: "NotFound",
    405: "MethodNotAllowed",
    408: "RequestTimeout",
    413: "RequestEntityTooLarge",
}

#: Codes of refusals that are no `FarmError`, each with its status and when it is answered: for the list of errors.
OTHER_CODES: Sequence[tuple[int, str, str]] = (
    (400, "BadRequest", "The request, its body or its encoding is broken off or malformed."),
    (401, "AuthenticationFailed", "No token, or one that is not good; `WWW-Authenticate` says what to send."),
    (404, "NotFound", "The path leads nowhere."),
    (405, "MethodNotAllowed", "The path has no such method; `Allow` says which it has."),
    (
        408,
        "RequestTimeout",
        "The body does not come, or too slowly (`server.body_timeout`, `server.body_rate`).",
    ),
    (413, "RequestEntityTooLarge", "The body, or the file in it, is larger than the settings allow."),
    (500, "InternalServerError", "A fault of Headland's; the log has it under `traceId`."),
    (503, "ServiceUnavailable", "The instance's store or files can't be reached now; nothing was done."),
)


class _Answer(Response):
    """An answer whose head is ready: that takes a third of the time that names and values as text do."""

    def __init__(self, body: bytes, status: int, head: list[tuple[bytes, bytes]]) -> None:
        self.status_code = status
        self.background = None
        self.body = body
        self.raw_headers = [*head, (b"content-length", b"%d" % len(body))]


def document_answer(
    request: Request, document: bytes, status: int = 200, *, etag: str, location: str | None = None
) -> Response:
    """A document. Its eTag stands in the header as in the body, without quotes, as clients know it."""
    head = [*_head(request), _JSON, (b"etag", etag.encode())]
    if location is not None:
        head.append((b"location", location.encode()))
    return _Answer(document, status, head)


def page_answer(request: Request, page: bytes) -> Response:
    """A page of a list."""
    return _Answer(page, 200, [*_head(request), _JSON])


def tile_answer(request: Request, content: bytes, media_type: str, etag: str) -> Response:
    """Part of a map. Browsers keep it, and ask each time whether it is still so."""
    kept = [(b"etag", etag.encode()), (b"cache-control", b"private, no-cache")]
    return _Answer(content, 200, [*_head(request), (b"content-type", media_type.encode()), *kept])


def job_answer(
    request: Request, job: bytes, status: int = 200, *, ended: bool, at: str | None = None
) -> Response:
    """A job. Public clients poll the address that they are given by either name, and rest as long as they are
    told; without that, one of them rests for half a minute.
    """
    head = [*_head(request), _JSON]
    if at is not None:
        head += [(b"operation-location", at.encode()), (b"location", at.encode())]
    if not ended:
        head.append((b"retry-after", _SOON.encode()))
    return _Answer(job, status, head)


def lines_head(request: Request) -> dict[str, str]:
    """What the head of an answer of lines has beside its type."""
    return _as_text(_head(request))


def file_answer(
    request: Request, reader: BlobReader | None, headers: Mapping[str, str], span: Span | None = None
) -> Response:
    """A file's bytes, or the part of them that the reader has; only what is said of them where there is no reader."""
    shown = {**_as_text(_head(request)), "content-type": "application/octet-stream", **headers}
    return Response(headers=shown) if reader is None else BlobResponse(reader, shown, span)


def empty_answer(request: Request) -> Response:
    """It is done, and there is nothing to say."""
    return Response(status_code=204, headers=_as_text(_head(request)))


def unchanged_answer(request: Request, etag: str) -> Response:
    """The document is as the caller has it."""
    return Response(status_code=304, headers={**_as_text(_head(request)), "etag": etag})


@dataclass(frozen=True, slots=True)
class _Refusal:
    """What an error is answered with."""

    status: int
    code: str
    message: str
    target: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


def _by_itself(_request: Request, error: FarmError) -> _Refusal:
    headers = {"retry-after": _WHEN_DEPLOYED} if isinstance(error, InstanceNotReadyError) else {}
    if isinstance(error, ThrottledError | WorkersBusyError):
        headers = {"retry-after": str(error.wait)}
    if isinstance(error, UnsatisfiableRangeError):
        headers = {"content-range": error.content_range}
    return _Refusal(error.status, error.code, error.message, error.target, headers)


def _invalid(_request: Request, error: BodyInvalidError) -> _Refusal:
    return _Refusal(400, "InvalidInput", f"{error}.", error.field or None)


def _untakeable(_request: Request, error: BodyError) -> _Refusal:
    return _Refusal(error.status, _CODES.get(error.status, "BadRequest"), error.message)


def _unauthenticated(_request: Request, error: AuthenticationError) -> _Refusal:
    challenge = {"www-authenticate": error.challenge}
    return _Refusal(401, "AuthenticationFailed", error.message, headers=challenge)


def _unavailable(_request: Request, _error: Exception) -> _Refusal:
    text = "The instance's store can't be reached now; nothing was done."
    return _Refusal(503, "ServiceUnavailable", text, headers={"retry-after": _SOON})


def _storage_unavailable(_request: Request, error: StorageUnavailableError) -> _Refusal:
    _log.warning("storage.unavailable", account=error.account, cause=str(error))
    text = "The instance's files can't be reached now; nothing was done."
    return _Refusal(503, "ServiceUnavailable", text, headers={"retry-after": _SOON})


def _by_http(request: Request, error: HTTPException) -> _Refusal:
    text = f"{HTTPStatus(error.status_code).phrase}: {request.method} {request.url.path}"
    code = _CODES.get(error.status_code, "BadRequest")
    return _Refusal(error.status_code, code, text, headers=error.headers or {})


def _unread(_request: Request, _error: ClientDisconnect) -> _Refusal:
    # The caller hung up while its body was awaited.
    return _Refusal(400, "BadRequest", "The request ended before its body did.")


def _unforeseen(request: Request, _error: Exception) -> _Refusal:
    return _Refusal(500, "InternalServerError", internal_error_text(_id_of(request)))


#: The one table from errors to answers.
_REFUSALS: Mapping[type[Exception], Callable[[Request, Any], _Refusal]] = {
    FarmError: _by_itself,
    BodyInvalidError: _invalid,
    BodyError: _untakeable,
    AuthenticationError: _unauthenticated,
    DatabaseUnavailableError: _unavailable,
    NewerStoreError: _unavailable,
    StorageUnavailableError: _storage_unavailable,
    HTTPException: _by_http,
    ClientDisconnect: _unread,
    Exception: _unforeseen,
}


def _renderer(refusal_of: Callable[[Request, Any], _Refusal]) -> Renderer:
    async def render(request: Request, error: Exception) -> Response:
        refusal = refusal_of(request, error)
        return _refused(request, refusal)

    return render


#: How an application answers errors.
RENDERERS: Mapping[type[Exception], Renderer] = {
    error: _renderer(refusal_of) for error, refusal_of in _REFUSALS.items()
}


def _refused(request: Request, refusal: _Refusal) -> Response:
    named = refusal.target is not None and refusal.status == 400
    details = [Error(refusal.code, refusal.message, refusal.target)] if named else None
    error = Error(refusal.code, refusal.message, refusal.target, details)
    headers = {**_as_text(_head(request)), "x-ms-error-code": refusal.code, **refusal.headers}
    # Real ones have no charset here.
    return json_answer(ErrorResponse(error, _id_of(request)), refusal.status, headers, "application/json")


def _head(request: Request) -> list[tuple[bytes, bytes]]:
    """What every answer has."""
    head = [_SUPPORTED, (b"x-ms-request-id", _id_of(request).encode())]
    client_request_id = header(request.scope, b"x-ms-client-request-id")
    if client_request_id is not None:
        head.append((b"x-ms-client-request-id", client_request_id.encode("latin-1")))
    units = request.scope.get(UNITS)
    if units is not None:
        head.append((b"x-ms-throttle-information", b"%d" % units))
    return head


def _as_text(head: list[tuple[bytes, bytes]]) -> dict[str, str]:
    return {name.decode(): value.decode("latin-1") for name, value in head}


def _id_of(request: Request) -> str:
    return str(request.scope.get("state", {}).get("request_id", ""))
