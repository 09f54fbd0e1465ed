"""Verify access tokens (RFC 7519, RFC 8725, RFC 9068) of the issuers that are trusted."""

import base64
import hashlib
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import RSAKey

from headland.security.principal import Principal

#: Seconds by which the clocks of issuer and verifier may differ (RFC 8725 asks for a small leeway).
LEEWAY = 60

#: Verified tokens kept; at some 1 kB each, a few megabytes.
MOST_CACHED = 4096

#: Longer texts are no tokens of ours, and are not worth decoding.
LONGEST_TOKEN = 16_384


class TokenError(Exception):
    """A token is not good. The message says why, in words that may be shown to the caller.

    `kind` is for programs: `expired`, `audience`, or empty for any other reason.
    """

    def __init__(self, message: str, kind: str = "") -> None:
        super().__init__(message)
        self.kind = kind


@dataclass(frozen=True, slots=True)
class TrustedIssuer:
    """An issuer whose tokens are believed."""

    #: Whether a token's `iss` and `tid` are this issuer's.
    issued: Callable[[str, str], bool]
    #: The public key with a `kid`, or None.
    key: Callable[[str], RSAKey | None]


@dataclass(frozen=True, slots=True)
class _Good:
    """What a token that was found good says."""

    principal: Principal
    audience: str
    expires: float
    not_before: float


class Verifier:
    """Checks signature, issuer, times and audience; remembers tokens that it has found good.

    The cache is keyed by SHA-256 of the token, so that no token lies about in memory for a second reason.
    """

    def __init__(self, issuers: Sequence[TrustedIssuer], clock: Callable[[], float] = time.time) -> None:
        self._issuers = issuers
        self._clock = clock
        self._good: OrderedDict[bytes, _Good] = OrderedDict()

    def verify(self, token: str, audiences: frozenset[str]) -> Principal:
        """The principal of a token that was issued for one of `audiences`.

        Raises:
            TokenError: it is malformed, forged, expired, not valid yet, or for somebody else.
        """
        good = self._look_up(token)
        now = self._clock()
        if good.expires <= now - LEEWAY:
            raise TokenError("The token has expired.", "expired")
        if good.not_before > now + LEEWAY:
            raise TokenError("The token is not valid yet.")
        if good.audience.rstrip("/") not in audiences:
            raise TokenError(f"The token is for '{good.audience}', not for this service.", "audience")
        return good.principal

    def _look_up(self, token: str) -> _Good:
        digest = hashlib.sha256(token.encode("utf-8", "surrogateescape")).digest()
        good = self._good.get(digest)
        if good is None:
            good = self._good[digest] = _good(self._decode(token))
            if len(self._good) > MOST_CACHED:
                self._good.popitem(last=False)
        else:
            self._good.move_to_end(digest)
        return good

    def _decode(self, token: str) -> dict[str, Any]:
        if len(token) > LONGEST_TOKEN:
            raise TokenError("The token is too long.")
        header, untrusted = _peek(token)
        issuer = next((i for i in self._issuers if i.issued(untrusted["iss"], untrusted["tid"])), None)
        if issuer is None:
            raise TokenError("The token's issuer is not trusted here.")
        key = issuer.key(header["kid"])
        if key is None:
            raise TokenError("The token is signed with a key that its issuer does not publish.")
        try:
            claims: dict[str, Any] = jwt.decode(token, key, algorithms=["RS256"]).claims
        except (JoseError, ValueError):
            raise TokenError("The token's signature is wrong.") from None
        return claims


def _good(claims: dict[str, Any]) -> _Good:
    principal = Principal(
        tenant_id=claims["tid"],
        client_id=claims.get("appid") or claims.get("azp") or claims["sub"],
        object_id=claims["oid"],
        roles=frozenset(claims.get("roles", ())),
    )
    return _Good(principal, str(claims["aud"]), claims["exp"], claims.get("nbf", 0))


class _Header(msgspec.Struct):
    kid: str


class _Needed(msgspec.Struct):
    """Claims without which nothing can be decided; their types are checked before anything else is."""

    iss: str
    tid: str
    oid: str
    sub: str
    aud: str
    exp: int


def _peek(token: str) -> tuple[dict[str, Any], dict[str, Any]]:
    parts = token.split(".")
    if len(parts) != 3:
        raise TokenError("The token is not a signed JWT.")
    try:
        header = msgspec.json.decode(_decoded(parts[0]), type=_Header)
        claims = msgspec.json.decode(_decoded(parts[1]), type=_Needed)
    except (ValueError, msgspec.DecodeError):
        raise TokenError(
            "The token is not a JWT of a trusted issuer: header or claims are malformed."
        ) from None
    return msgspec.structs.asdict(header), msgspec.structs.asdict(claims)


def _decoded(part: str) -> bytes:
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))
