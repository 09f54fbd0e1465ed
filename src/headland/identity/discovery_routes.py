"""Discovery routes: provider metadata, public keys, instance discovery, and the meaning of error numbers."""

from types import MappingProxyType

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from headland.http.answers import encoded_answer, json_answer
from headland.http.operations import Answer, Operation, Parameter
from headland.identity import refusals, wire
from headland.identity.discovery import instance_discovery, provider_metadata
from headland.identity.refusals import TokenRefusedError
from headland.identity.resources import TokenVersion
from headland.identity.service import service_of

#: Who keeps keys for an hour knows a new one long before the old ones are gone.
CACHED = MappingProxyType({"cache-control": "public, max-age=3600"})

#: What instance discovery answers for, whichever version MSAL asks.
API_VERSIONS = ("1.0", "1.1")


async def read_provider_metadata(request: Request) -> Response:
    return _metadata(request, "2.0")


async def read_provider_metadata_v1(request: Request) -> Response:
    return _metadata(request, "1.0")


async def read_keys(request: Request) -> Response:
    return _keys(request)


async def read_keys_v1(request: Request) -> Response:
    return _keys(request)


async def discover_instance(request: Request) -> Response:
    query = request.query_params
    for name in ("api-version", "authorization_endpoint"):
        if not query.get(name):
            raise TokenRefusedError(refusals.MISSING_IN_QUERY, parameter=name)
    if query["api-version"] not in API_VERSIONS:
        raise TokenRefusedError(
            refusals.MALFORMED, problem=f"'api-version' is one of {', '.join(API_VERSIONS)}."
        )
    public_url = service_of(request).settings.server.public_url
    return json_answer(instance_discovery(public_url, query["authorization_endpoint"], query["api-version"]))


async def explain_error(request: Request) -> Response:
    code = request.query_params.get("code", "")
    found = [
        wire.ErrorMeaning(case.code, case.status, case.error, case.text)
        for case in refusals.CASES
        if str(case.code) == code
    ]
    if not found:
        raise HTTPException(404)
    return json_answer(wire.ErrorMeanings(found), headers=CACHED)


def _metadata(request: Request, version: TokenVersion) -> Response:
    service = service_of(request)
    named = request.path_params["tenant"]
    tenant = service.authentication.tenant(named)
    metadata = provider_metadata(service.settings.server.public_url, tenant, named, version)
    return json_answer(metadata, headers=CACHED)


def _keys(request: Request) -> Response:
    service = service_of(request)
    service.authentication.tenant(request.path_params["tenant"])
    return encoded_answer(service.issuer.key_set, headers=CACHED)


_METADATA = {200: Answer("The provider's metadata.", wire.ProviderMetadata)}
_KEYS = {200: Answer("The public keys.", wire.KeySet)}

OPERATIONS = (
    Operation(
        "GET",
        "/common/discovery/instance",
        discover_instance,
        "Ask whether an authority is good",
        {200: Answer("It is.", wire.InstanceDiscovery)},
        parameters=(
            Parameter("api-version", str, "1.0 or 1.1.", required=True),
            Parameter("authorization_endpoint", str, "The authority's endpoint to ask about.", required=True),
        ),
        guarded=False,
    ),
    Operation(
        "GET",
        "/error",
        explain_error,
        "Read what an AADSTS number means: what `error_uri` leads to",
        {
            200: Answer("Its meanings.", wire.ErrorMeanings),
            404: Answer("No error here has that number.", wire.Problem),
        },
        parameters=(Parameter("code", str, "The number.", required=True),),
        addition=True,
        guarded=False,
    ),
    Operation(
        "GET",
        "/{tenant}/v2.0/.well-known/openid-configuration",
        read_provider_metadata,
        "Read the provider's metadata",
        _METADATA,
        guarded=False,
    ),
    Operation(
        "GET",
        "/{tenant}/.well-known/openid-configuration",
        read_provider_metadata_v1,
        "Read the provider's metadata for the v1 endpoints",
        _METADATA,
        guarded=False,
    ),
    Operation(
        "GET",
        "/{tenant}/discovery/v2.0/keys",
        read_keys,
        "Read the public keys",
        _KEYS,
        guarded=False,
    ),
    Operation(
        "GET",
        "/{tenant}/discovery/keys",
        read_keys_v1,
        "Read the public keys, at the v1 address",
        _KEYS,
        guarded=False,
    ),
)
