"""Client assertions: JWTs by which a client shows that it has the key of a certificate (RFC 7523 section 2.2).

Headers and claims are those that MSAL sends: Python `x5t` with RS256, or `x5t#S256` with PS256 where it is
given the certificate whole; JavaScript and Go `x5t#S256` with PS256, Go in base64's other alphabet.
https://learn.microsoft.com/entra/identity-platform/certificate-credentials
"""

import base64
from dataclasses import dataclass, field
from typing import NoReturn, TypeVar

import msgspec
from joserfc import jws

from headland.identity import refusals
from headland.identity.client_certificates import by_thumbprint, public_key, shown
from headland.identity.records import Certificate
from headland.identity.refusals import TokenRefusedError
from headland.security.token_errors import UNREADABLE

Part = TypeVar("Part", bound=msgspec.Struct)

#: `client_assertion_type` (RFC 7523 section 2.2).
JWT_BEARER = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

ALGORITHMS = ("RS256", "PS256")

#: Seconds by which a client's clock may differ from ours: the hosted directory allows as many.
LEEWAY = 300

#: Seconds from now that an assertion may be valid for. MSAL's are for 600; one that is good for years is a
#: secret that is sent about.
LONGEST_LIFE = 86_400

#: The last second that a message can show; nobody's assertion lives so long.
_LAST_SECOND = 253_402_300_799


class _Header(msgspec.Struct):
    alg: str
    kid: str | None = None
    x5t: str | None = None
    x5t_sha256: str | None = msgspec.field(default=None, name="x5t#S256")


class _Claims(msgspec.Struct):
    iss: str
    sub: str
    aud: str
    exp: float
    nbf: float | None = None
    jti: str | None = None


class _Registry(jws.JWSRegistry):
    """Takes certificate chains in the header (`x5c`), and headers that are not for us."""

    max_header_length = 65_536


_REGISTRY = _Registry(algorithms=ALGORITHMS, strict_check_header=False)


@dataclass(frozen=True, slots=True)
class Assertion:
    """What an assertion says. Nothing of it is believed before `check`."""

    text: str = field(repr=False)
    #: Thumbprints by which its header names the certificate, or the `kid` in their place.
    sha1: bytes | None
    sha256: bytes | None
    kid: str | None
    client_id: str
    audience: str
    #: Seconds since 1970.
    not_before: float | None
    expires: float
    jti: str | None

    @classmethod
    def read(cls, text: str) -> "Assertion":
        """The assertion that this text is.

        Raises:
            TokenRefusedError: it is none, or none that could be checked.
        """
        parts = text.split(".")
        if len(parts) != 3:
            _malformed("It must have three parts, with a dot between them.")
        header = _decode(parts[0], _Header, "header")
        if header.alg not in ALGORITHMS:
            raise TokenRefusedError(
                refusals.ASSERTION_ALGORITHM, algorithm=header.alg, supported=", ".join(ALGORITHMS)
            )
        claims = _decode(parts[1], _Claims, "payload")
        if claims.iss != claims.sub:
            raise TokenRefusedError(refusals.ASSERTION_OF_ANOTHER)
        if not (header.x5t or header.x5t_sha256 or header.kid):
            raise TokenRefusedError(refusals.ASSERTION_WITHOUT_KEY)
        return cls(
            text=text,
            sha1=_thumbprint(header.x5t, "x5t"),
            sha256=_thumbprint(header.x5t_sha256, "x5t#S256"),
            kid=header.kid,
            client_id=claims.sub.lower(),
            audience=claims.aud,
            not_before=claims.nbf,
            expires=claims.exp,
            jti=claims.jti,
        )

    @property
    def key(self) -> str:
        """The key that it names, for messages."""
        digest = self.sha256 or self.sha1
        return digest.hex().upper() if digest is not None else self.kid or ""

    def signed_by(self, certificates: list[Certificate], now: float) -> Certificate:
        """The certificate with whose key it is signed (`now` in seconds since 1970).

        Raises:
            TokenRefusedError: there is none of these, it counts no more or not yet, or the signature is wrong.
        """
        found = by_thumbprint(certificates, sha1=self.sha1, sha256=self.sha256, kid=self.kid)
        if found is None:
            raise TokenRefusedError(refusals.ASSERTION_KEY_UNKNOWN, key=self.key)
        try:
            good = jws.validate_compact(self._signed(), public_key(found.der), registry=_REGISTRY)
        except UNREADABLE:
            good = False
        if not good:
            raise TokenRefusedError(refusals.ASSERTION_SIGNATURE, key=self.key)
        if not found.starts_at <= now * 1000 < found.expires_at:
            raise TokenRefusedError(
                refusals.ASSERTION_KEY_EXPIRED,
                key=self.key,
                start=shown(found.starts_at),
                end=shown(found.expires_at),
            )
        return found

    def _signed(self) -> jws.CompactSignature:
        """It without base64's padding, signed as it came: azure-identity's asynchronous clients sign the padding, too.

        Raises:
            JoseError, ValueError, TypeError: it can't be decoded.
        """
        header, payload, signature = self.text.encode().split(b".")
        plain = b".".join(part.rstrip(b"=") for part in (header, payload, signature))
        found = jws.extract_compact(plain, registry=_REGISTRY)
        found.segments["header"], found.segments["payload"] = header, payload
        return found

    def check(self, audiences: frozenset[str], now: float) -> None:
        """Whether it is for one of these audiences (without trailing slash), and for now.

        Raises:
            TokenRefusedError: it is not.
        """
        if self.audience.rstrip("/") not in audiences:
            raise TokenRefusedError(refusals.ASSERTION_AUDIENCE)
        starts = self.not_before if self.not_before is not None else 0.0
        if not (
            starts - LEEWAY <= now < self.expires + LEEWAY and self.expires <= now + LONGEST_LIFE + LEEWAY
        ):
            raise TokenRefusedError(
                refusals.ASSERTION_TIME, now=_second(now), start=_second(starts), end=_second(self.expires)
            )


def _decode(part: str, kind: type[Part], name: str) -> Part:
    try:
        return msgspec.json.decode(_bytes(part), type=kind)
    except msgspec.ValidationError as error:
        # It says of what kind a claim is and should be, and never what it holds.
        _malformed(f"Its {name} is not as it must be: {error}.")
    except (ValueError, RecursionError):
        _malformed(f"Its {name} is not JSON in base64url.")


def _thumbprint(text: str | None, name: str) -> bytes | None:
    try:
        return _bytes(text) if text else None
    except ValueError:
        _malformed(f"Its '{name}' is not a thumbprint in base64url.")


def _bytes(text: str) -> bytes:
    plain = text.rstrip("=").translate(str.maketrans("-_", "+/"))
    return base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)


def _malformed(problem: str) -> NoReturn:
    raise TokenRefusedError(refusals.ASSERTION_MALFORMED, problem=problem)


def _second(instant: float) -> str:
    return shown(int(min(max(instant, 0.0), _LAST_SECOND)) * 1000)
