"""Signing keys: RSA, of 2048 bits, named by their thumbprint (RFC 7638).

Key objects are kept: to parse a PEM text costs as much as a signature, and to test its numbers a hundred times that.
"""

from base64 import urlsafe_b64encode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import msgspec
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, generate_private_key
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)
from joserfc.jwk import RSAKey

from headland.identity import wire
from headland.identity.records import KeyRecord

ALGORITHM = "RS256"
KEY_BITS = 2048

_PADDING = PKCS1v15()
_DIGEST = SHA256()
_encode = msgspec.json.Encoder().encode


@dataclass(frozen=True)
class SigningKey:
    """A private key, and what its tokens say of it."""

    kid: str
    private: RSAPrivateKey = field(repr=False)

    @classmethod
    def generate(cls) -> "SigningKey":
        private = generate_private_key(public_exponent=65537, key_size=KEY_BITS)
        return cls(RSAKey.import_key(private.public_key()).thumbprint(), private)

    @classmethod
    def of(cls, kid: str, pem: str) -> "SigningKey":
        """The key in a PEM text that `pem` made.

        Its primes are not tested again, which takes each worker 40 ms at its start: who could put a weak key into
        the database could put one of their own there.
        """
        private = load_pem_private_key(pem.encode(), password=None, unsafe_skip_rsa_key_validation=True)
        if not isinstance(private, RSAPrivateKey):
            raise TypeError("a signing key is an RSA key")
        return cls(kid, private)

    def pem(self) -> str:
        """The private key, for the database alone."""
        return self.private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode("ascii")

    def public_json(self) -> str:
        """The public half, as a JWK."""
        numbers = RSAKey.import_key(self.private.public_key()).as_dict(private=False)
        return msgspec.json.encode({"kty": "RSA", "n": numbers["n"], "e": numbers["e"]}).decode()

    def sign(self, claims: Mapping[str, Any]) -> str:
        """A token that says so: JWS in its compact form (RFC 7515 section 7.1)."""
        signed = self._header + _base64url(_encode(claims))
        signature = self.private.sign(signed, _PADDING, _DIGEST)
        return (signed + b"." + _base64url(signature)).decode("ascii")

    @cached_property
    def _header(self) -> bytes:
        return _base64url(_encode({"alg": ALGORITHM, "typ": "JWT", "kid": self.kid})) + b"."


def public_key(record: KeyRecord) -> RSAKey:
    """For verifiers."""
    return RSAKey.import_key(msgspec.json.decode(record.public_key), {"kid": record.kid})


def key_set(records: Iterable[KeyRecord]) -> wire.KeySet:
    """What is published."""
    return wire.KeySet([_entry(record) for record in records])


def _entry(record: KeyRecord) -> wire.PublicKey:
    numbers = msgspec.json.decode(record.public_key)
    return wire.PublicKey(kty="RSA", use="sig", alg=ALGORITHM, kid=record.kid, n=numbers["n"], e=numbers["e"])


def _base64url(content: bytes) -> bytes:
    return urlsafe_b64encode(content).rstrip(b"=")
