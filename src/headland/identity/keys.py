"""Signing keys: RSA, of 2048 bits, named by their thumbprint (RFC 7638).

Key objects are kept: to parse a PEM text costs as much as a signature, and to test its numbers a hundred times that.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import msgspec
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from joserfc import jwt
from joserfc.jwk import RSAKey

from headland.identity import wire
from headland.identity.records import KeyRecord

ALGORITHM = "RS256"
KEY_BITS = 2048


@dataclass(frozen=True)
class SigningKey:
    """A private key, and what its tokens say of it."""

    kid: str
    private: RSAKey = field(repr=False)

    @classmethod
    def generate(cls) -> "SigningKey":
        private = RSAKey.generate_key(KEY_BITS)
        return cls(private.thumbprint(), private)

    @classmethod
    def of(cls, kid: str, pem: str) -> "SigningKey":
        """The key in a PEM text that `pem` made.

        Its primes are not tested again, which takes each worker 40 ms at its start: who could put a weak key into
        the database could put one of their own there.
        """
        private = load_pem_private_key(pem.encode(), password=None, unsafe_skip_rsa_key_validation=True)
        if not isinstance(private, RSAPrivateKey):
            raise TypeError("a signing key is an RSA key")
        return cls(kid, RSAKey.import_key(private))

    def pem(self) -> str:
        """The private key, for the database alone."""
        return self.private.as_pem(private=True).decode("ascii")

    def public_json(self) -> str:
        """The public half, as a JWK."""
        numbers = self.private.as_dict(private=False)
        return msgspec.json.encode({"kty": "RSA", "n": numbers["n"], "e": numbers["e"]}).decode()

    def sign(self, claims: dict[str, Any]) -> str:
        """A token that says so."""
        return jwt.encode(self._header, claims, self.private)

    @cached_property
    def _header(self) -> dict[str, str]:
        return {"alg": ALGORITHM, "typ": "JWT", "kid": self.kid}


def public_key(record: KeyRecord) -> RSAKey:
    """For verifiers."""
    return RSAKey.import_key(msgspec.json.decode(record.public_key), {"kid": record.kid})


def key_set(records: Iterable[KeyRecord]) -> wire.KeySet:
    """What is published."""
    return wire.KeySet([_entry(record) for record in records])


def _entry(record: KeyRecord) -> wire.PublicKey:
    numbers = msgspec.json.decode(record.public_key)
    return wire.PublicKey(kty="RSA", use="sig", alg=ALGORITHM, kid=record.kid, n=numbers["n"], e=numbers["e"])
