"""Client certificates: read, and found again by what an assertion says of them.

A certificate stands here for its public key and for the time in which that key counts. Who issued it is not
asked: an administrator has registered it, which is all the trust there is.
"""

import base64
import binascii
import hashlib
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from functools import lru_cache

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric import rsa
from joserfc.jwk import RSAKey

from headland.identity.errors import InvalidFieldError
from headland.identity.identifiers import new_id
from headland.identity.records import Certificate

#: Signatures by shorter keys can be forged (NIST SP 800-131A); longer ones cost the server too much.
SMALLEST_KEY, LARGEST_KEY = 2048, 8192

#: Characters of a subject that are kept: it is there for people.
LONGEST_SUBJECT = 256

#: Characters that are read: ten times what a certificate of the largest key takes.
LONGEST_TEXT = 65_536

_BEGIN = "-----BEGIN "
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def read_certificate(
    text: str, client_id: str, *, name: str | None, created_by: str | None, now: int
) -> Certificate:
    """The certificate in PEM, or in DER written in base64, for an application to show itself by.

    Raises:
        InvalidFieldError: it is none, or can't serve (`now` in milliseconds since 1970).
    """
    der = _der_in(text)
    try:
        found = x509.load_der_x509_certificate(der)
        key = found.public_key()
        subject = found.subject.rfc4514_string()
        starts_at, expires_at = _instant(found.not_valid_before_utc), _instant(found.not_valid_after_utc)
    except (ValueError, TypeError, x509.InvalidVersion, UnsupportedAlgorithm):
        raise InvalidFieldError("certificate", "is not an X.509 certificate.") from None
    if not isinstance(key, rsa.RSAPublicKey):
        raise InvalidFieldError(
            "certificate", "must have an RSA key: assertions are signed by RS256 or PS256."
        )
    if not SMALLEST_KEY <= key.key_size <= LARGEST_KEY:
        raise InvalidFieldError(
            "certificate",
            f"must have an RSA key of {SMALLEST_KEY} to {LARGEST_KEY} bits, not {key.key_size}.",
        )
    if expires_at <= now:
        raise InvalidFieldError("certificate", f"expired at {shown(expires_at)}.")
    return Certificate(
        id=new_id(),
        client_id=client_id,
        thumbprint=hashlib.sha1(der, usedforsecurity=False).digest(),
        thumbprint_sha256=hashlib.sha256(der).digest(),
        der=der,
        subject="".join(c if c.isprintable() else "?" for c in subject[:LONGEST_SUBJECT]),
        name=name,
        starts_at=starts_at,
        expires_at=expires_at,
        created_at=now,
        created_by=created_by,
    )


@lru_cache(maxsize=256)
def public_key(der: bytes) -> RSAKey:
    """The public key of a certificate. It is kept: to parse one takes longer than to check a signature."""
    key = x509.load_der_x509_certificate(der).public_key()
    if not isinstance(key, rsa.RSAPublicKey):
        raise TypeError("only certificates with RSA keys are registered")
    return RSAKey.import_key(key)


def by_thumbprint(
    certificates: Iterable[Certificate], *, sha1: bytes | None, sha256: bytes | None, kid: str | None
) -> Certificate | None:
    """The certificate that an assertion's header names: by every thumbprint in it, or where there is none, by
    `kid`, which some clients fill with a thumbprint in hexadecimal or base64url, others with the id that the
    certificate got when it was registered.
    """
    for certificate in certificates:
        if sha1 is None and sha256 is None:
            if kid is not None and kid.lower() in _names(certificate):
                return certificate
        elif sha1 in {None, certificate.thumbprint} and sha256 in {None, certificate.thumbprint_sha256}:
            return certificate
    return None


def shown(instant: int) -> str:
    """Milliseconds since 1970 as people read them."""
    return (_EPOCH + timedelta(milliseconds=instant)).strftime("%Y-%m-%dT%H:%M:%SZ")


def _der_in(text: str) -> bytes:
    if len(text) > LONGEST_TEXT:
        raise InvalidFieldError("certificate", f"is longer than {LONGEST_TEXT} characters.")
    if _BEGIN not in text:
        return _decoded("".join(text.split()))
    blocks = list(_blocks_in(text))
    if any("PRIVATE KEY" in label for label, _ in blocks):
        raise InvalidFieldError(
            "certificate",
            "comes with a private key, which nobody but the application may have; send it alone.",
        )
    certificates = [content for label, content in blocks if label == "CERTIFICATE"]
    if len(certificates) != 1:
        raise InvalidFieldError("certificate", f"must be one certificate in PEM, not {len(certificates)}.")
    return _decoded("".join(certificates[0].split()))


def _blocks_in(text: str) -> Iterator[tuple[str, str]]:
    """Label and content of each block of PEM (RFC 7468) that has an end. No part of the text is looked at
    more than three times.
    """
    _, *rest = text.split(_BEGIN)
    for block in rest:
        label, dashes, more = block.partition("-----")
        content, end, _ = more.partition(f"-----END {label}-----")
        if dashes and end:
            yield label, content


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise InvalidFieldError("certificate", "must be PEM, or DER in base64.") from None


def _names(certificate: Certificate) -> set[str]:
    digests = (certificate.thumbprint, certificate.thumbprint_sha256)
    in_base64 = {base64.urlsafe_b64encode(digest).decode().rstrip("=").lower() for digest in digests}
    return {certificate.id, *(digest.hex() for digest in digests), *in_base64}


def _instant(moment: datetime) -> int:
    return (moment - _EPOCH) // timedelta(milliseconds=1)
