"""What a token says (wire facts: the claims of Microsoft Entra ID's v1.0 and v2.0 access tokens)."""

import secrets
from typing import Any

from headland.identity.records import Application
from headland.identity.resources import Resource, TokenVersion

#: `appidacr` and `azpacr`: the client showed a secret ("2" would be a certificate).
BY_SECRET = "1"  # noqa: S105 - the name of a method, not a secret


def issuer_name(public_url: str, tenant_id: str, version: TokenVersion) -> str:
    """`iss` of tokens of that version."""
    return f"{public_url}/{tenant_id}/" if version == "1.0" else f"{public_url}/{tenant_id}/v2.0"


def access_claims(
    application: Application, resource: Resource, public_url: str, now: int, lifetime: int
) -> dict[str, Any]:
    """Claims of an application's access token, valid from `now` (seconds since 1970) for `lifetime` seconds."""
    client = (
        {"appid": application.client_id, "appidacr": BY_SECRET}
        if resource.version == "1.0"
        else {"azp": application.client_id, "azpacr": BY_SECRET}
    )
    roles = {"roles": list(application.roles)} if application.roles else {}
    return {
        "aud": resource.identifier,
        "iss": issuer_name(public_url, application.tenant_id, resource.version),
        "iat": now,
        "nbf": now,
        "exp": now + lifetime,
        **client,
        "idtyp": "app",
        "oid": application.object_id,
        **roles,
        "sub": application.object_id,
        "tid": application.tenant_id,
        "uti": secrets.token_urlsafe(16),
        "ver": resource.version,
    }
