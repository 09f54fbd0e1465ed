"""What a token says (wire facts: the claims of Microsoft Entra ID's v1.0 and v2.0 access tokens).

Not among them are `aio` and `rh`, by which that directory talks to itself.
"""

from base64 import urlsafe_b64encode
from collections.abc import Mapping
from random import getrandbits
from typing import Any

from headland.identity.clients import BY_CERTIFICATE, Client, Method
from headland.identity.resources import Resource, TokenVersion
from headland.security import Principal


def issuer_name(public_url: str, tenant_id: str, version: TokenVersion) -> str:
    """`iss` of tokens of that version."""
    return f"{public_url}/{tenant_id}/" if version == "1.0" else f"{public_url}/{tenant_id}/v2.0"


def lasting_claims(client: Client, resource: Resource, public_url: str) -> dict[str, Any]:
    """What all access tokens of a client for a resource say alike."""
    application = client.application
    roles = application.roles(client.tenant)
    return {
        **_claims(application.tenant_id, application.object_id, resource, public_url),
        **_application_claims(
            application.client_id, client.method, application.tenant_id, resource, public_url
        ),
        **({"roles": list(roles)} if roles else {}),
    }


def delegated_claims(
    owner: Principal, job: str, resource: Resource, public_url: str, *, person: bool
) -> dict[str, Any]:
    """What all access tokens of a job for a resource say alike: they are its owner's, and name the job as who acts
    (RFC 8693 section 4.1).
    """
    # As of the hosted service's managed identities: nobody has shown a secret.
    method = BY_CERTIFICATE
    return {
        **_claims(owner.tenant_id, owner.object_id, resource, public_url),
        **(
            {"idtyp": "user"}
            if person
            else _application_claims(owner.client_id, method, owner.tenant_id, resource, public_url)
        ),
        "act": {"sub": job},
    }


def _claims(tenant_id: str, object_id: str, resource: Resource, public_url: str) -> dict[str, Any]:
    return {
        "aud": resource.identifier,
        "iss": issuer_name(public_url, tenant_id, resource.version),
        "oid": object_id,
        "sub": object_id,
        "tid": tenant_id,
        "ver": resource.version,
    }


def _application_claims(
    client_id: str, method: Method, tenant_id: str, resource: Resource, public_url: str
) -> dict[str, Any]:
    if resource.version == "1.0":
        issuer = issuer_name(public_url, tenant_id, "1.0")
        return {"appid": client_id, "appidacr": method, "idp": issuer, "idtyp": "app"}
    return {"azp": client_id, "azpacr": method, "idtyp": "app"}


def access_claims(lasting: Mapping[str, Any], now: int, lifetime: int) -> dict[str, Any]:
    """Claims of one access token, valid from `now` (seconds since 1970) for `lifetime` seconds."""
    # Nobody may have had this one before; it is no secret.
    unique = urlsafe_b64encode(getrandbits(128).to_bytes(16, "big"))[:22].decode()
    return {**lasting, "iat": now, "nbf": now, "exp": now + lifetime, "uti": unique}
