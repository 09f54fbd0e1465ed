"""What the claims of somebody else's tokens mean here: every provider has its own names."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from headland.security.issuers import Said
from headland.security.principal import Principal
from headland.security.token_errors import TokenError
from headland.settings import IssuerSettings


def read_claims(settings: IssuerSettings, claims: Mapping[str, Any]) -> Said:
    """Claims by the names that the settings give them.

    Raises:
        TokenError: one that is needed is missing or of another type; the message names it.
    """
    principal = Principal(
        tenant_id=settings.tenant or _first_text(claims, (settings.tenant_claim,)),
        client_id=_first_text(claims, settings.client_id_claims),
        object_id=_first_text(claims, settings.object_id_claims),
        roles=_roles(settings, claims),
        issuer=settings.issuer,
    )
    audiences = _texts(claims, "aud")
    if not audiences:
        raise _unfit("aud")
    meant = frozenset(settings.audiences.get(name, name).rstrip("/") for name in audiences)
    return Said(principal, meant, _seconds(claims, "exp"), _seconds(claims, "nbf", 0))


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
    # Python reads NaN and Infinity, before or after which there is no time.
    if isinstance(value, float) and not math.isfinite(value):
        raise _unfit(name)
    return value


def _unfit(names: str) -> TokenError:
    return TokenError(f"The token's claim {names} is missing or of another type.")
