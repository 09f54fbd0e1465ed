"""The token endpoints: `/{tenant}/oauth2/v2.0/token` and `/{tenant}/oauth2/token`."""

from dataclasses import dataclass, field

import structlog
from msgspec import UNSET
from starlette.requests import Request
from starlette.responses import Response

from headland.http.answers import json_answer
from headland.http.operations import Answer, Operation
from headland.identity import refusals, store, wire
from headland.identity.claims import access_claims
from headland.identity.clients import Client
from headland.identity.forms import MULTIPART, URLENCODED
from headland.identity.records import Application
from headland.identity.refusals import TokenRefusedError
from headland.identity.resources import Resource
from headland.identity.service import UNCACHED, TokenService, correlation_id, refused, service_of
from headland.identity.targets import known_resource, resource_of_scope
from headland.identity.token_request import loggable_client_id, read_form, token_request

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
    named = request.path_params["tenant"]
    authorization = request.headers.get("authorization")
    fields: dict[str, str] = {}
    application: Application | None = None
    try:
        tenant = service.authentication.tenant(named)
        fields = await read_form(request, media_types)
        asked = token_request(fields, authorization, target)
        application = service.database.read_remembered(
            ("application", asked.client_id),
            lambda connection: store.find_application(connection, asked.client_id),
        )
        now = service.clock()
        client = await service.authentication.client(asked, named, tenant, application, now)
        request.state.principal = client.application.client_id
        resource = (resource_of_scope if target == "scope" else known_resource)(
            service.resources, asked.target, client.tenant
        )
    except TokenRefusedError as error:
        correlation = correlation_id(request)
        _log.warning(
            "token.refused",
            tenant=named,
            client_id=loggable_client_id(fields, authorization),
            code=error.case.code,
            correlation_id=correlation,
        )
        return refused(request, _slowed(service, error, application, request), correlation)
    return _issue(service, client, resource, asked.target, int(now))


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


def _issue(service: TokenService, client: Client, resource: Resource, target: str, now: int) -> _Granted:
    lifetime = service.lifetime(resource)
    token = service.issuer.sign(
        access_claims(client, resource, service.settings.server.public_url, now, lifetime)
    )
    _log.info(
        "token.issued",
        tenant=client.application.tenant_id,
        client_id=client.application.client_id,
        resource=resource.identifier,
        credential_id=client.credential_id,
    )
    return _Granted(token, target, now, lifetime)


_REFUSALS = {
    400: Answer("The request is not as it must be.", wire.TokenRefusal),
    401: Answer("The client's credentials are missing or wrong.", wire.TokenRefusal),
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
