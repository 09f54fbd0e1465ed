"""What the claims of somebody else's tokens mean here: every provider has its own names."""

import uuid
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from headland.security.issuers import Said
from headland.security.principal import Principal
from headland.security.token_errors import TokenError
from headland.settings import IssuerSettings

#: Seconds since 1970: more are no time that anybody means, and too large a number to reckon with.
LATEST = 10**12

#: What Keycloak calls its tokens for other purposes.
_NEITHER = ("Refresh", "Offline", "Logout", "Backchannel-Logout", "Registration-Access-Token")


def read_claims(settings: IssuerSettings, claims: Mapping[str, Any]) -> Said:
    """Claims by the names that the settings give them.

    Raises:
        TokenError: one that is needed is missing or of another type; the message names it.
    """
    tenant_id = settings.tenant or _first_text(claims, (settings.tenant_claim,))
    subject = _first_text(claims, settings.object_id_claims)
    principal = Principal(
        tenant_id=tenant_id,
        client_id=f"{_first_text(claims, settings.client_id_claims)}@{settings.issuer}",
        object_id=object_id_of(settings.issuer, tenant_id, subject),
        roles=_roles(settings, claims),
        issuer=settings.issuer,
    )
    audiences = _texts(claims, "aud")
    if not audiences:
        raise _unfit("aud")
    meant = frozenset(settings.audiences.get(name, name).rstrip("/") for name in audiences)
    issued = _seconds(claims, "iat") if "iat" in claims else None
    return Said(
        principal, meant, _seconds(claims, "exp"), _seconds(claims, "nbf", 0), issued, _is_id_token(claims)
    )


def object_id_of(issuer: str, tenant_id: str, subject: str) -> str:
    """The object id here of whom an issuer calls `subject`: a GUID, for role assignments take no other form. Of version
    5 (RFC 9562 section 5.5), which no object id of Headland's own is.
    """
    named = msgspec.json.encode([issuer, tenant_id, subject]).decode()
    return str(uuid.uuid5(uuid.NAMESPACE_URL, named))


def _is_id_token(claims: Mapping[str, Any]) -> bool:
    """Whether it is an ID token, as far as its claims tell.

    Keycloak has a claim for it. Elsewhere it are the claims that OpenID Connect has for ID tokens alone
    (https://openid.net/specs/openid-connect-core-1_0.html section 3.1.3.6, and `nonce`, which sign-ins here ask for).

    Raises:
        TokenError: it is neither that nor an access token.
    """
    kind = claims.get("typ")
    if kind in _NEITHER:
        raise TokenError("The token is of a type that is not taken here, by what its claim typ says.")
    if kind in {"ID", "Bearer"}:
        return bool(kind == "ID")
    return any(name in claims for name in ("nonce", "at_hash", "c_hash"))


def _roles(settings: IssuerSettings, claims: Mapping[str, Any]) -> frozenset[str]:
    """Roles here that the settings give to those of the token: none of itself, since names may mean anything."""
    named = _texts(claims, settings.roles_claim) if settings.roles else ()
    return frozenset(settings.roles[name] for name in named if name in settings.roles)


def _find(claims: Mapping[str, Any], name: str) -> Any:
    """The claim of that name, else the member that a name with dots leads to, such as `realm_access.roles`."""
    if name in claims:
        return claims[name]
    found: Any = claims
    for part in name.split("."):
        found = found.get(part) if isinstance(found, Mapping) else None
    return found


def _first_text(claims: Mapping[str, Any], names: Sequence[str]) -> str:
    for name in names:
        value = _find(claims, name)
        if isinstance(value, str) and value:
            return value
    raise _unfit(" or ".join(names))


def _texts(claims: Mapping[str, Any], name: str) -> list[str]:
    value = _find(claims, name)
    if value is None:
        return []
    values = value if isinstance(value, list) else [value]
    if not all(isinstance(item, str) for item in values):
        raise _unfit(name)
    return values


def _seconds(claims: Mapping[str, Any], name: str, otherwise: float | None = None) -> float:
    value = claims.get(name, otherwise)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _unfit(name)
    # Python reads NaN and Infinity, too, before or after which there is no time.
    if not -LATEST < value < LATEST:
        raise TokenError(f"The token's claim {name} is no time.")
    return value


def _unfit(names: str) -> TokenError:
    return TokenError(f"The token's claim {names} is missing or of another type.")
