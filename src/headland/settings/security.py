"""Settings of the issuers whose tokens are taken."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from headland.settings.units import Seconds


class IssuerSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """One issuer elsewhere: an OpenID Connect provider."""

    issuer: Annotated[
        str,
        Meta(
            pattern=r"^https?://[^?#\s]+$",
            description="The issuer's name, exactly as its tokens have it in `iss`: an `https` address (`http` on this "
            "machine alone), below which its metadata are found.",
            examples=["https://login.example.org/realms/farm"],
        ),
    ]
    audiences: Annotated[
        dict[str, str],
        Meta(
            description="What an `aud` of its tokens means here, by audience; one that is not among these is taken as "
            "it is. Headland's own are its public URL and `identity.cluster_access_urls`.",
            examples=[{"api://headland": "https://localhost:8443"}],
        ),
    ] = {}
    client_id_claims: Annotated[
        tuple[str, ...],
        Meta(min_length=1, description="Claims of which the first one present is the client id."),
    ] = ("azp", "appid", "client_id", "sub")
    object_id_claims: Annotated[
        tuple[str, ...],
        Meta(
            min_length=1,
            description="Claims of which the first one present is what the issuer calls it. The object id here, to "
            "which roles are assigned, is made of the issuer, the tenant and this.",
        ),
    ] = ("oid", "sub")
    tenant_claim: Annotated[str, Meta(min_length=1, description="Claim that names the tenant.")] = "tid"
    tenant: Annotated[
        Annotated[str, Meta(min_length=1)] | None,
        Meta(
            description="Tenant of all its tokens, in place of what they say. Unset, they may name any tenant but "
            "Headland's own; to have an issuer speak for one of those, set it.",
            examples=["elsewhere"],
        ),
    ] = None
    roles_claim: Annotated[
        str,
        Meta(min_length=1, description="Claim that lists roles; dots lead into it: `realm_access.roles`."),
    ] = "roles"
    roles: Annotated[
        dict[str, str],
        Meta(
            description="Which role here a role of its tokens gives; all others give none.",
            examples=[{"farm-admins": "Administrator"}],
        ),
    ] = {}
    algorithms: Annotated[
        tuple[Literal["RS256", "PS256", "ES256"], ...],
        Meta(min_length=1, description="Algorithms by which its tokens may be signed."),
    ] = ("RS256", "PS256", "ES256")
    token_types: Annotated[
        tuple[Literal["jwt", "at+jwt"], ...],
        Meta(
            min_length=1,
            description="What its access tokens say that they are (`typ` of the header, in whatever case): `at+jwt` "
            "(RFC 9068), or `jwt`, which stands for none, too. Set `at+jwt` alone where the issuer says so: then "
            "nothing else that it signs can be taken for an access token. ID tokens are told by their claims and "
            "never taken.",
            examples=[["at+jwt"]],
        ),
    ] = ("jwt", "at+jwt")
    longest_lifetime: Annotated[
        Seconds, Meta(description="For how long a token of it may be valid; longer ones are refused.")
    ] = 172_800.0
    jwks_origins: Annotated[
        tuple[str, ...],
        Meta(
            description="Further origins from which its keys may be fetched; without any, only from the issuer's own.",
            examples=[["https://keys.example.org"]],
        ),
    ] = ()
    ca_file: Annotated[
        str | None,
        Meta(
            description="PEM file of the CA to trust for its address; unset, those that the system trusts.",
            examples=["/etc/headland/login-ca.pem"],
        ),
    ] = None


class SecuritySettings(Struct, frozen=True, forbid_unknown_fields=True):
    """Whose tokens are taken, besides those of Headland's own identity service."""

    issuers: Annotated[
        tuple[IssuerSettings, ...],
        Meta(
            description="OpenID Connect providers whose tokens open the services: `[[security.issuers]]`, one each.",
            examples=[[{"issuer": "https://login.example.org/realms/farm", "tenant": "elsewhere"}]],
        ),
    ] = ()
    key_set_max_age: Annotated[
        Seconds,
        Meta(
            description="How old an issuer's keys may become before they are asked for again; while it does not "
            "answer, those that are known are used."
        ),
    ] = 3600.0
    key_set_cooldown: Annotated[
        Seconds,
        Meta(
            description="How long an issuer is not asked again, whatever keys tokens name: anybody can make those up."
        ),
    ] = 30.0
    fetch_timeout: Annotated[Seconds, Meta(description="How long an issuer gets to answer.")] = 5.0
