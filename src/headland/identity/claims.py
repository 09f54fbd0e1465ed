"""What a token says (wire facts: the claims of Microsoft Entra ID's v1.0 and v2.0 access tokens).

Not among them are `aio` and `rh`, by which that directory talks to itself.
"""

from base64 import urlsafe_b64encode
from collections.abc import Mapping
from random import getrandbits
from typing import Any

from headland.identity.clients import Client
from headland.identity.resources import Resource, TokenVersion


def issuer_name(public_url: str, tenant_id: str, version: TokenVersion) -> str:
    """`iss` of tokens of that version."""
    return f"{public_url}/{tenant_id}/" if version == "1.0" else f"{public_url}/{tenant_id}/v2.0"


def lasting_claims(client: Client, resource: Resource, public_url: str) -> dict[str, Any]:
    """What all access tokens of a client for a resource say alike."""
    application = client.application
    issuer = issuer_name(public_url, application.tenant_id, resource.version)
    shown = (
        {"appid": application.client_id, "appidacr": client.method, "idp": issuer}
        if resource.version == "1.0"
        else {"azp": application.client_id, "azpacr": client.method}
    )
    roles = application.roles(client.tenant)
    return {
        "aud": resource.identifier,
        "iss": issuer,
        **shown,
        "idtyp": "app",
        "oid": application.object_id,
        **({"roles": list(roles)} if roles else {}),
        "sub": application.object_id,
        "tid": application.tenant_id,
        "ver": resource.version,
    }


def access_claims(lasting: Mapping[str, Any], now: int, lifetime: int) -> dict[str, Any]:
    """Claims of one access token, valid from `now` (seconds since 1970) for `lifetime` seconds."""
    # Nobody may have had this one before; it is no secret.
    unique = urlsafe_b64encode(getrandbits(128).to_bytes(16, "big"))[:22].decode()
    return {**lasting, "iat": now, "nbf": now, "exp": now + lifetime, "uti": unique}
