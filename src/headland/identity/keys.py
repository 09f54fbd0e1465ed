"""Signing keys: RSA, of 2048 bits, named by their thumbprint (RFC 7638).

Key objects are kept: to parse a PEM text costs as much as a signature, and to test its numbers a hundred times that.
"""

from binascii import b2a_base64
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import msgspec
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from joserfc.jwk import RSAKey

from headland.identity import wire
from headland.identity.records import KeyRecord

ALGORITHM = "RS256"
KEY_BITS = 2048

#: What RS256 stands for (RFC 7518 section 3.3).
_PADDING, _HASH = PKCS1v15(), SHA256()

_URL_SAFE = bytes.maketrans(b"+/", b"-_")

_encoder = msgspec.json.Encoder()


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

    def sign(self, claims: Any) -> str:
        """A token that says so: the compact form of RFC 7515 section 3.1.

        By hand, since a library that looks at the header and the key each time takes as long as all else that a
        request for a token needs.
        """
        signed = self._header + _segment(_encoder.encode(claims))
        signature = self._signer.sign(signed, _PADDING, _HASH)
        return (signed + b"." + _segment(signature)).decode("ascii")

    @cached_property
    def _header(self) -> bytes:
        return _segment(_encoder.encode({"typ": "JWT", "alg": ALGORITHM, "kid": self.kid})) + b"."

    @cached_property
    def _signer(self) -> RSAPrivateKey:
        signer = self.private.raw_value
        if not isinstance(signer, RSAPrivateKey):
            raise TypeError("a signing key has its private half")
        return signer


def _segment(content: bytes) -> bytes:
    """As a token has it (RFC 7515 section 2)."""
    return b2a_base64(content, newline=False).translate(_URL_SAFE).rstrip(b"=")


def public_key(record: KeyRecord) -> RSAKey:
    """For verifiers."""
    return RSAKey.import_key(msgspec.json.decode(record.public_key), {"kid": record.kid})


def key_set(records: Iterable[KeyRecord]) -> wire.KeySet:
    """What is published."""
    return wire.KeySet([_entry(record) for record in records])


def _entry(record: KeyRecord) -> wire.PublicKey:
    numbers = msgspec.json.decode(record.public_key)
    return wire.PublicKey(kty="RSA", use="sig", alg=ALGORITHM, kid=record.kid, n=numbers["n"], e=numbers["e"])
