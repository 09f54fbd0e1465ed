"""What a verifier has to know of an issuer, and the claims of Headland's own."""

import math
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import msgspec
from joserfc.jwk import ECKey, RSAKey

from headland.security.principal import Principal
from headland.security.token_errors import MALFORMED, TokenError

PublicKey = RSAKey | ECKey


@dataclass(frozen=True, slots=True)
class Said:
    """What the claims of a token say."""

    principal: Principal
    #: Resource identifiers without trailing slashes.
    audiences: frozenset[str]
    #: Seconds since 1970.
    expires: float
    not_before: float
    #: When it was issued; None where it does not say.
    issued: float | None = None
    #: Whether it tells an application who has signed in there, and opens no API.
    id_token: bool = False


def read_own(claims: Mapping[str, Any]) -> Said:
    """The claims of Headland's own issuer, which are Microsoft Entra ID's.

    Raises:
        TokenError: one is missing or of another type.
    """
    try:
        own = msgspec.convert(claims, _Own)
    except msgspec.ValidationError:
        raise TokenError(MALFORMED) from None
    principal = Principal(
        tenant_id=own.tid,
        client_id=own.appid or own.azp or own.sub,
        object_id=own.oid,
        roles=frozenset(own.roles),
        job=own.act.sub if own.act is not None else "",
    )
    return Said(principal, frozenset({own.aud.rstrip("/")}), own.exp, own.nbf)


def _nothing_changes() -> int:
    return 0


def _as_said(principal: Principal) -> Principal:
    return principal


def _no_jobs(_job: str) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class TrustedIssuer:
    """An issuer whose tokens are believed."""

    #: Whether a token's `iss` and `tid` are this issuer's.
    issued: Callable[[str, str], bool]
    #: The public key with a `kid`, or None.
    key: Callable[[str], PublicKey | None]
    #: A number that changes when a token that was good may be so no longer. It is asked for with every request.
    generation: Callable[[], int] = _nothing_changes
    #: The principal of a token as the issuer knows it now; None where it stands by it no more.
    resolve: Callable[[Principal], Principal | None] = _as_said
    #: Whether a job that a token names has not ended. It is asked with every request.
    job_alive: Callable[[str], bool] = _no_jobs
    #: What the claims of a token with a good signature say, else TokenError.
    read: Callable[[Mapping[str, Any]], Said] = read_own
    #: What the header of its access tokens may say that they are (`typ`), in lower case.
    types: frozenset[str] = frozenset({"", "jwt", "at+jwt"})
    #: Seconds for which a token may be good.
    longest_lifetime: float = math.inf
    #: By which its tokens may be signed.
    algorithms: frozenset[str] = frozenset({"RS256"})
    #: Look for a key that is not known; whether there is any news. None where all keys are always known.
    refresh: Callable[[str], Awaitable[bool]] | None = None


class _Actor(msgspec.Struct):
    sub: Annotated[str, msgspec.Meta(min_length=1)]


class _Own(msgspec.Struct):
    tid: str
    oid: str
    sub: str
    aud: str
    exp: int
    nbf: int = 0
    appid: str = ""
    azp: str = ""
    roles: tuple[str, ...] = ()
    #: Who acts in the principal's place (RFC 8693 section 4.1): a job.
    act: _Actor | None = None
