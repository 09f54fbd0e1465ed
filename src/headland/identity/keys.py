"""Signing keys: RSA, of 2048 bits, named by their thumbprint (RFC 7638).

Key objects are kept: to parse a PEM text costs as much as a signature, and to test its numbers a hundred times that.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key
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
        """The key of a text that `pem` made.

        Its primes are not tested again, which takes each worker 40 ms at its start: who could put a weak key into
        the database could put one of their own there.

        Raises:
            ValueError, TypeError: it is none.
        """
        private = load_pem_private_key(pem.encode("ascii"), None, unsafe_skip_rsa_key_validation=True)
        if not isinstance(private, RSAPrivateKey):
            raise TypeError("not an RSA key")
        return cls(RSAKey(private, pem))

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
