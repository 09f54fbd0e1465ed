"""The token endpoints: `/{tenant}/oauth2/v2.0/token` and `/{tenant}/oauth2/token`."""

from dataclasses import dataclass, field

import structlog
from starlette.requests import Request
from starlette.responses import Response

from headland.http.answers import json_answer
from headland.http.operations import Answer, Operation
from headland.identity import store, wire
from headland.identity.claims import access_claims
from headland.identity.clients import authenticated
from headland.identity.forms import MULTIPART, URLENCODED
from headland.identity.records import Application
from headland.identity.refusals import TokenRefusedError
from headland.identity.resources import Resource
from headland.identity.service import UNCACHED, TokenService, correlation_id, refused, service_of
from headland.identity.targets import known_resource, resource_of_scope
from headland.identity.token_request import loggable_client_id, read_form, token_request

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
    )
    return json_answer(answer, headers=UNCACHED)


async def _grant(request: Request, target: str, media_types: tuple[str, ...]) -> _Granted | Response:
    """A token, or the answer that there is none."""
    service = service_of(request)
    named = request.path_params["tenant"]
    authorization = request.headers.get("authorization")
    fields: dict[str, str] = {}
    try:
        tenant = service.issuer.tenant(named)
        fields = await read_form(request, media_types)
        asked = token_request(fields, authorization, target)
        now = service.clock()
        application = authenticated(
            service.database.read_remembered(
                ("application", asked.client_id),
                lambda connection: store.find_application(connection, asked.client_id),
            ),
            tenant,
            asked.client_id,
            asked.client_secret,
            int(now * 1000),
        )
        request.state.principal = application.client_id
        resource = (resource_of_scope if target == "scope" else known_resource)(
            service.resources, asked.target, tenant
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
        return refused(request, error, correlation)
    return _issue(service, application, resource, asked.target, int(now))


def _issue(
    service: TokenService, application: Application, resource: Resource, target: str, now: int
) -> _Granted:
    public_url = service.settings.server.public_url
    claims = access_claims(application, resource, public_url, now, service.lifetime)
    token = service.issuer.sign(claims)
    _log.info(
        "token.issued",
        tenant=application.tenant_id,
        client_id=application.client_id,
        resource=resource.identifier,
    )
    return _Granted(token, target, now, service.lifetime)


_REFUSALS = {
    400: Answer("The request is not as it must be.", wire.TokenRefusal),
    401: Answer("The client's credentials are missing or wrong.", wire.TokenRefusal),
    413: Answer("The body is too large.", wire.TokenRefusal),
    415: Answer("The body is of another media type.", wire.TokenRefusal),
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
