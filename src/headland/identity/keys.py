"""Signing keys: RSA, of 2048 bits, named by their thumbprint (RFC 7638).

Key objects are kept: parsing a PEM text costs more than a hundred signatures.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from joserfc.jwk import RSAKey

from headland.identity import wire

ALGORITHM = "RS256"
KEY_BITS = 2048


@dataclass(frozen=True)
class SigningKey:
    """A private key and what its tokens say of it."""

    private: RSAKey

    @classmethod
    def generate(cls) -> "SigningKey":
        return cls(RSAKey.generate_key(KEY_BITS))

    @classmethod
    def from_pem(cls, pem: str) -> "SigningKey":
        return cls(RSAKey.import_key(pem))

    def pem(self) -> str:
        """The private key, for the database alone."""
        return self.private.as_pem(private=True).decode("ascii")

    @cached_property
    def kid(self) -> str:
        return self.private.thumbprint()

    @cached_property
    def header(self) -> dict[str, str]:
        """The header of its tokens."""
        return {"alg": ALGORITHM, "typ": "JWT", "kid": self.kid}

    @cached_property
    def public(self) -> RSAKey:
        """The public half, for verifiers."""
        return RSAKey.import_key(self.private.as_dict(private=False), {"kid": self.kid})

    def entry(self) -> wire.PublicKey:
        numbers = self.private.as_dict(private=False)
        return wire.PublicKey(
            kty="RSA", use="sig", alg=ALGORITHM, kid=self.kid, n=str(numbers["n"]), e=str(numbers["e"])
        )


def key_set(keys: Iterable[SigningKey]) -> wire.KeySet:
    return wire.KeySet([key.entry() for key in keys])
