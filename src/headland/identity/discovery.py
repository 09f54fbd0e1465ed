"""Discovery documents: where the endpoints of a tenant are, and whether an authority is ours."""

from urllib.parse import urlsplit

from headland.identity import refusals, wire
from headland.identity.assertions import ALGORITHMS
from headland.identity.authentication import ADFS
from headland.identity.claims import issuer_name
from headland.identity.identifiers import is_domain
from headland.identity.keys import ALGORITHM
from headland.identity.records import Tenant
from headland.identity.refusals import TokenRefusedError
from headland.identity.resources import TokenVersion

CLAIMS = (
    "appid",
    "appidacr",
    "aud",
    "azp",
    "azpacr",
    "exp",
    "iat",
    "idp",
    "idtyp",
    "iss",
    "nbf",
    "oid",
    "roles",
    "sub",
    "tid",
    "uti",
    "ver",
)


#: What stands for the tenant's id in the issuer, where no tenant was named: the hosted directory's own word.
TENANT_PLACEHOLDER = "{tenantid}"


def provider_metadata(
    public_url: str, tenant: Tenant | None, named: str, version: TokenVersion
) -> wire.ProviderMetadata:
    """The metadata of a tenant. Whatever it was asked by, its id stands in the addresses: `issuer` must be
    the address below which the document is found. Where there is none because it was asked by a name for any
    (`named`), that name stands in the addresses, and a placeholder in the issuer.

    There is no authorization endpoint yet; its address is here because MSAL accepts no metadata without.
    """
    base = f"{public_url}/{tenant.id if tenant is not None else named.lower()}"
    # Who goes by `adfs` reads the metadata where a v1 authority has them, and then asks for a scope.
    part = "/v2.0" if version == "2.0" or named.lower() == ADFS else ""
    return wire.ProviderMetadata(
        issuer=issuer_name(public_url, tenant.id if tenant is not None else TENANT_PLACEHOLDER, version),
        authorization_endpoint=f"{base}/oauth2{part}/authorize",
        token_endpoint=f"{base}/oauth2{part}/token",
        jwks_uri=f"{base}/discovery{part}/keys",
        token_endpoint_auth_methods_supported=[
            "client_secret_post",
            "client_secret_basic",
            "private_key_jwt",
        ],
        token_endpoint_auth_signing_alg_values_supported=list(ALGORITHMS),
        grant_types_supported=["client_credentials"],
        response_types_supported=[],
        response_modes_supported=[],
        subject_types_supported=["public"],
        id_token_signing_alg_values_supported=[ALGORITHM],
        scopes_supported=[],
        claims_supported=list(CLAIMS),
        request_uri_parameter_supported=False,
    )


def instance_discovery(
    public_url: str, authorization_endpoint: str, api_version: str
) -> wire.InstanceDiscovery:
    """The answer to MSAL, which asks whether an authority's authorization endpoint is a good one.

    Some versions of MSAL leave the port out, so the host alone is good, too.

    Raises:
        TokenRefusedError: it is not below our public base.
    """
    own = urlsplit(public_url)
    aliases = list(dict.fromkeys(name for name in (own.netloc.lower(), own.hostname) if name))
    try:
        asked = urlsplit(authorization_endpoint)
        named = asked.netloc.lower()
        if own.port is None:
            named = named.removesuffix(":443")
    except ValueError:
        raise TokenRefusedError(refusals.UNKNOWN_INSTANCE) from None
    tenant = asked.path.strip("/").split("/")[0]
    if asked.scheme.lower() != "https" or named not in aliases or not is_domain(tenant):
        raise TokenRefusedError(refusals.UNKNOWN_INSTANCE)
    return wire.InstanceDiscovery(
        tenant_discovery_endpoint=f"{public_url}/{tenant}/v2.0/.well-known/openid-configuration",
        api_version=api_version,
        metadata=[
            wire.InstanceAliases(preferred_network=aliases[0], preferred_cache=aliases[0], aliases=aliases)
        ],
    )
