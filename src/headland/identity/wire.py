"""What goes over HTTP. Token answers have the protocol's own names; Headland's API is in camel case."""

from datetime import datetime

from msgspec import UNSET, Struct, UnsetType


class TokenAnswer(Struct, frozen=True):
    """A token, from the v2.0 endpoint (RFC 6749 section 5.1)."""

    token_type: str
    expires_in: int
    ext_expires_in: int
    access_token: str
    #: Seconds after which to fetch the next one, of a token that lives long.
    refresh_in: int | UnsetType = UNSET


class TokenAnswerV1(Struct, frozen=True):
    """A token, from the v1 endpoint: every number is a string of digits."""

    token_type: str
    expires_in: str
    ext_expires_in: str
    expires_on: str
    not_before: str
    resource: str
    access_token: str


class TokenForm(Struct, frozen=True, omit_defaults=True):
    """The fields of a request to the v2.0 endpoint; with HTTP Basic, id and secret stand in its header."""

    grant_type: str
    scope: str
    client_id: str | None = None
    client_secret: str | None = None
    client_assertion_type: str | None = None
    client_assertion: str | None = None


class TokenFormV1(Struct, frozen=True, omit_defaults=True):
    """The fields of a request to the v1 endpoint; with HTTP Basic, id and secret stand in its header."""

    grant_type: str
    resource: str
    client_id: str | None = None
    client_secret: str | None = None
    client_assertion_type: str | None = None
    client_assertion: str | None = None


class TokenRefusal(Struct, frozen=True):
    """Why there is no token (RFC 6749 section 5.2), as Microsoft Entra ID says it."""

    error: str
    error_description: str
    error_codes: list[int]
    #: `YYYY-MM-DD HH:MM:SSZ`.
    timestamp: str
    trace_id: str
    #: The request's `client-request-id`, where it has one.
    correlation_id: str
    error_uri: str


class ErrorMeaning(Struct, frozen=True):
    """A case behind an AADSTS number."""

    code: int
    status: int
    error: str
    text: str


class ErrorMeanings(Struct, frozen=True):
    """What an AADSTS number means here."""

    errors: list[ErrorMeaning]


class ProviderMetadata(Struct, frozen=True):
    """OpenID Provider metadata (https://openid.net/specs/openid-connect-discovery-1_0.html)."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    token_endpoint_auth_methods_supported: list[str]
    token_endpoint_auth_signing_alg_values_supported: list[str]
    grant_types_supported: list[str]
    response_types_supported: list[str]
    response_modes_supported: list[str]
    subject_types_supported: list[str]
    id_token_signing_alg_values_supported: list[str]
    scopes_supported: list[str]
    claims_supported: list[str]
    request_uri_parameter_supported: bool


class PublicKey(Struct, frozen=True):
    """A public signing key (RFC 7517)."""

    kty: str
    use: str
    alg: str
    kid: str
    n: str
    e: str


class KeySet(Struct, frozen=True):
    """The public keys of every token that may still be valid (RFC 7517 section 5)."""

    keys: list[PublicKey]


class InstanceAliases(Struct, frozen=True):
    """Names under which clients reach this deployment."""

    preferred_network: str
    preferred_cache: str
    aliases: list[str]


class InstanceDiscovery(Struct, frozen=True, rename={"api_version": "api-version"}):
    """Whether an authority is good, and where its metadata is."""

    tenant_discovery_endpoint: str
    api_version: str
    metadata: list[InstanceAliases]


class Problem(Struct, frozen=True):
    """What is wrong, in words."""

    msg: str


class NewApplication(Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """An application to register."""

    name: str
    administrator: bool = False


class ApplicationChange(Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """What to change in an application; the rest stays."""

    name: str | UnsetType = UNSET
    disabled: bool | UnsetType = UNSET


class NewSecret(Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """A secret to make."""

    name: str | None = None
    lifetime_days: int | None = None


class Secret(Struct, frozen=True, rename="camel"):
    """A secret, without its value."""

    id: str
    name: str | None
    hint: str
    created_at: datetime
    #: Object id of who made it.
    created_by: str | None
    expires_at: datetime
    #: Within a minute.
    last_used_at: datetime | None


class ShownSecret(Struct, frozen=True, rename="camel"):
    """A secret just made. Its value is shown here and never again."""

    id: str
    secret: str
    hint: str
    name: str | None
    created_at: datetime
    expires_at: datetime
    client_id: str
    tenant_id: str


class Secrets(Struct, frozen=True):
    """The secrets of an application."""

    secrets: list[Secret]


class NewCertificate(Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """A certificate to register: in PEM, or its DER in base64."""

    certificate: str
    name: str | None = None


class Certificate(Struct, frozen=True, rename="camel"):
    """A certificate by whose key an application signs assertions."""

    id: str
    name: str | None
    #: SHA-1 in hexadecimal, which clients are configured with and call `x5t`.
    thumbprint: str
    thumbprint_sha256: str
    subject: str
    starts_at: datetime
    expires_at: datetime
    created_at: datetime
    #: Object id of who registered it.
    created_by: str | None
    #: Within a minute.
    last_used_at: datetime | None


class Certificates(Struct, frozen=True):
    """The certificates of an application."""

    certificates: list[Certificate]


class Application(Struct, frozen=True, rename="camel"):
    """A registered application."""

    client_id: str
    tenant_id: str
    tenant_name: str
    object_id: str
    name: str
    administrator: bool
    disabled: bool
    created_at: datetime
    created_by: str | None
    #: Within a minute.
    last_used_at: datetime | None
    secrets: list[Secret]


class Applications(Struct, frozen=True):
    """The applications of the tenant."""

    applications: list[Application]


class NewTenant(Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """A tenant to make."""

    name: str


class TenantChange(Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """A tenant's new name."""

    name: str


class Tenant(Struct, frozen=True, rename="camel"):
    """A directory of applications."""

    tenant_id: str
    name: str
    created_at: datetime
    #: Object id of who made it; null of the first.
    created_by: str | None


class Tenants(Struct, frozen=True):
    """The tenants that the caller may see."""

    tenants: list[Tenant]
