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

from headland.security.issuers import TrustedIssuer
from headland.security.principal import Principal
from headland.security.token_errors import MALFORMED, UNREADABLE, TokenError, UnknownKeyError

#: Seconds by which the clocks of issuer and verifier may differ (RFC 8725 asks for a small leeway).
LEEWAY = 60

#: Verified tokens kept; at some 1 kB each, a few megabytes.
MOST_CACHED = 4096

#: `typ` of an access token (RFC 9068 section 2.1).
ACCESS_TOKEN = "at+jwt"  # noqa: S105 - the kind of token

_ID_TOKEN_TYPES = frozenset({"", "jwt"})

#: Longer texts are no tokens of ours, and are not worth decoding.
LONGEST_TOKEN = 16_384


@dataclass(frozen=True, slots=True)
class _Good:
    """What a token that was found good says."""

    issuer: TrustedIssuer
    #: The issuer's when the token was found good.
    generation: int
    principal: Principal
    #: Without trailing slashes.
    audiences: frozenset[str]
    expires: float
    not_before: float
    id_token: bool


class Verifier:
    """Checks signature, issuer, times and audience; remembers tokens that it has found good.

    The cache is keyed by SHA-256 of the token, so that no token lies about in memory for a second reason. What is
    remembered counts for as long as the issuer's generation stays: then the token is looked at anew.
    """

    def __init__(self, issuers: Sequence[TrustedIssuer], clock: Callable[[], float] = time.time) -> None:
        self._issuers = issuers
        self._clock = clock
        self._good: OrderedDict[bytes, _Good] = OrderedDict()

    def verify(
        self, token: str, audiences: frozenset[str], *, jobs: bool = False, id_token: bool = False
    ) -> Principal:
        """The principal of a token that was issued for one of `audiences`. A job's token is taken with `jobs` alone,
        an ID token with `id_token`, and then nothing else.

        Raises:
            UnknownKeyError: its issuer publishes no such key, as far as is known here.
            TokenError: it is malformed, forged, expired, not valid yet, revoked, or for somebody else.
        """
        good = self._look_up(token)
        now = self._clock()
        if good.expires <= now - LEEWAY:
            raise TokenError("The token has expired.", "expired")
        if good.not_before > now + LEEWAY:
            raise TokenError("The token is not valid yet.")
        if good.audiences.isdisjoint(audiences):
            named = " ".join(sorted(good.audiences))
            raise TokenError(f"The token is for '{named}', not for this service.", "audience")
        if good.id_token != id_token:
            raise TokenError(
                "The token is no ID token."
                if id_token
                else "The token is an ID token, which tells an application who has signed in: send an access token."
            )
        if good.principal.job:
            if not jobs:
                raise TokenError("The token is a job's, and does not open this service.")
            if not good.issuer.job_alive(good.principal.job):
                raise TokenError(f"The job that the token was issued to has ended: {good.principal.job}.")
        return good.principal

    def _look_up(self, token: str) -> _Good:
        digest = hashlib.sha256(token.encode("utf-8", "surrogateescape")).digest()
        good = self._good.get(digest)
        if good is not None and good.generation == good.issuer.generation():
            self._good.move_to_end(digest)
            return good
        self._good.pop(digest, None)
        good = self._good[digest] = self._examine(token)
        if len(self._good) > MOST_CACHED:
            self._good.popitem(last=False)
        return good

    def _examine(self, token: str) -> _Good:
        if len(token) > LONGEST_TOKEN:
            raise TokenError("The token is too long.")
        header, claimed = _peek(token)
        issuer = next((i for i in self._issuers if i.issued(claimed.iss, claimed.tid)), None)
        if issuer is None:
            raise TokenError("The token's issuer is not trusted here.")
        # Before the rest: what changes meanwhile belongs to a later one.
        generation = issuer.generation()
        if header.alg not in issuer.algorithms:
            raise TokenError("The token is signed by an algorithm that is not taken here.")
        key = issuer.key(header.kid)
        if key is None:
            raise UnknownKeyError(issuer, header.kid)
        try:
            claims: dict[str, Any] = jwt.decode(token, key, algorithms=[header.alg]).claims
        except UNREADABLE:
            raise TokenError("The token's signature is wrong.") from None
        said = issuer.read(claims)
        kind = header.typ.lower().removeprefix("application/")
        # RFC 9068 section 2.1: so it says itself, whatever other claims it has.
        id_token = said.id_token and kind != ACCESS_TOKEN
        if kind not in (_ID_TOKEN_TYPES if id_token else issuer.types):
            raise TokenError("The token is of a type that is not taken here, by what its header says (typ).")
        now = self._clock()
        since = now if said.issued is None else min(said.issued, now)
        if said.expires > since + issuer.longest_lifetime + LEEWAY:
            raise TokenError("The token is valid for longer than is taken here.")
        principal = issuer.resolve(said.principal)
        if principal is None:
            raise TokenError("The application that the token was issued to is disabled or deleted.")
        return _Good(issuer, generation, principal, said.audiences, said.expires, said.not_before, id_token)


class _Header(msgspec.Struct):
    kid: str
    alg: str
    typ: str = ""


class _Claimed(msgspec.Struct):
    """What tells the issuer."""

    iss: str
    tid: str = ""


def _peek(token: str) -> tuple[_Header, _Claimed]:
    parts = token.split(".")
    if len(parts) != 3:
        raise TokenError("The token is not a signed JWT.")
    try:
        header = msgspec.json.decode(_decoded(parts[0]), type=_Header)
        claims = msgspec.json.decode(_decoded(parts[1]), type=_Claimed)
    except UNREADABLE:
        raise TokenError(MALFORMED) from None
    return header, claims


def _decoded(part: str) -> bytes:
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))
