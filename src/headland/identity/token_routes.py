"""The token endpoints: `/{tenant}/oauth2/v2.0/token` and `/{tenant}/oauth2/token`."""

from dataclasses import dataclass, field

import structlog
from msgspec import UNSET
from starlette.requests import Request
from starlette.responses import Response

from headland.http.answers import json_answer
from headland.http.operations import Answer, Operation
from headland.identity import refusals, wire
from headland.identity.claims import access_claims
from headland.identity.forms import MULTIPART, URLENCODED
from headland.identity.granting import Asking
from headland.identity.known_requests import Grant
from headland.identity.records import Application
from headland.identity.refusals import TokenRefusedError
from headland.identity.service import UNCACHED, TokenService, correlation_id, refused, service_of
from headland.identity.token_request import Sent

#: Seconds of a lifetime from which on clients are told to fetch the next token at half of it.
LONG_LIFETIME = 7200

_log = structlog.get_logger("headland.identity")


@dataclass(frozen=True, slots=True)
class _Granted:
    """A token and what its answer says of it."""

    token: str = field(repr=False)
    #: Scope or resource, as sent.
    target: str
    #: Seconds since 1970.
    not_before: int
    lifetime: int


async def request_token(request: Request) -> Response:
    return await _answer_v2(request)


async def request_token_by_get(request: Request) -> Response:
    return await _answer_v2(request)


async def request_token_v1(request: Request) -> Response:
    granted = await _grant(request, "resource", (URLENCODED,))
    if isinstance(granted, Response):
        return granted
    answer = wire.TokenAnswerV1(
        token_type="Bearer",  # noqa: S106 - the kind of token
        expires_in=str(granted.lifetime),
        ext_expires_in=str(granted.lifetime),
        expires_on=str(granted.not_before + granted.lifetime),
        not_before=str(granted.not_before),
        resource=granted.target,
        access_token=granted.token,
    )
    return json_answer(answer, headers=UNCACHED)


async def _answer_v2(request: Request) -> Response:
    granted = await _grant(request, "scope", (URLENCODED, MULTIPART))
    if isinstance(granted, Response):
        return granted
    answer = wire.TokenAnswer(
        token_type="Bearer",  # noqa: S106 - the kind of token
        expires_in=granted.lifetime,
        ext_expires_in=granted.lifetime,
        access_token=granted.token,
        refresh_in=granted.lifetime // 2 if granted.lifetime >= LONG_LIFETIME else UNSET,
    )
    return json_answer(answer, headers=UNCACHED)


async def _grant(request: Request, target: str, media_types: tuple[str, ...]) -> _Granted | Response:
    """A token, or the answer that there is none."""
    service = service_of(request)
    asking = Asking(service, request.path_params["tenant"], target, media_types)
    now = service.clock()
    try:
        grant = await asking.grant(await Sent.read(request), now)
    except TokenRefusedError as error:
        correlation = correlation_id(request)
        _log.warning(
            "token.refused",
            tenant=asking.named,
            client_id=asking.loggable_client_id,
            code=error.case.code,
            correlation_id=correlation,
        )
        return refused(request, _slowed(service, error, asking.application, request), correlation)
    request.scope.setdefault("state", {})["principal"] = grant.client.application.client_id
    return _issue(service, grant, int(now))


def _slowed(
    service: TokenService, error: TokenRefusedError, application: Application | None, request: Request
) -> TokenRefusedError:
    """The refusal as it is told: of failed attempts, when there are too many, no more than that."""
    if error.case not in refusals.FAILED_ATTEMPTS:
        return error
    known = application.client_id if application is not None else None
    wait = service.failed_attempts.failed(known, request.client.host if request.client else None)
    if wait is None:
        return error
    slowed = TokenRefusedError(refusals.THROTTLED)
    slowed.retry_after = wait
    return slowed


def _issue(service: TokenService, grant: Grant, now: int) -> _Granted:
    token = service.issuer.sign(access_claims(grant.claims, now, grant.lifetime))
    application = grant.client.application
    _log.info(
        "token.issued",
        tenant=application.tenant_id,
        client_id=application.client_id,
        resource=grant.resource.identifier,
        credential_id=grant.client.credential_id,
    )
    return _Granted(token, grant.target, now, grant.lifetime)


_REFUSALS = {
    400: Answer("The request is not as it must be.", wire.TokenRefusal),
    401: Answer("The client's credentials are missing or wrong.", wire.TokenRefusal),
    408: Answer("The body does not come.", wire.TokenRefusal),
    413: Answer("The body is too large.", wire.TokenRefusal),
    415: Answer("The body is of another media type.", wire.TokenRefusal),
    429: Answer(
        "Too many attempts with wrong credentials.", wire.TokenRefusal, {"Retry-After": "Seconds to wait."}
    ),
}

OPERATIONS = (
    Operation(
        "POST",
        "/{tenant}/oauth2/v2.0/token",
        request_token,
        "Get an access token for a scope",
        {200: Answer("The token.", wire.TokenAnswer), **_REFUSALS},
        body=wire.TokenForm,
        media_types=(URLENCODED, MULTIPART),
        guarded=False,
    ),
    Operation(
        "GET",
        "/{tenant}/oauth2/v2.0/token",
        request_token_by_get,
        "Get an access token for a scope, by a GET with a form as its body",
        {200: Answer("The token.", wire.TokenAnswer), **_REFUSALS},
        body=wire.TokenForm,
        media_types=(MULTIPART, URLENCODED),
        guarded=False,
    ),
    Operation(
        "POST",
        "/{tenant}/oauth2/token",
        request_token_v1,
        "Get an access token for a resource",
        {200: Answer("The token; every number is a string of digits.", wire.TokenAnswerV1), **_REFUSALS},
        body=wire.TokenFormV1,
        media_types=(URLENCODED,),
        guarded=False,
    ),
)
