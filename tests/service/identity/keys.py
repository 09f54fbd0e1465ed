"""Certificates and assertions as clients make them, and as nobody should."""

import base64
import datetime
import hashlib
import json
import uuid
from dataclasses import dataclass
from functools import cache
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID
from joserfc import jws
from joserfc.jwk import RSAKey

START = datetime.datetime.fromtimestamp(1_800_000_000, datetime.UTC)


@cache
def rsa_key(number: int = 0, bits: int = 2048) -> rsa.RSAPrivateKey:
    """One of several keys; `number` tells them apart."""
    return rsa.generate_private_key(public_exponent=65537, key_size=bits)


def certificate(
    key: rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey | None = None,
    *,
    first_day: int = -1,
    last_day: int = 30,
    name: str = "drone",
) -> x509.Certificate:
    """A self-signed certificate, valid between days counted from the tests' first instant."""
    key = key or rsa_key()
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(START + datetime.timedelta(days=first_day))
        .not_valid_after(START + datetime.timedelta(days=last_day))
        .sign(key, hashes.SHA256())
    )


def pem_of(made: x509.Certificate) -> str:
    return made.public_bytes(Encoding.PEM).decode()


def der_of(made: x509.Certificate) -> bytes:
    return made.public_bytes(Encoding.DER)


def base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


@dataclass(frozen=True)
class Signer:
    """A client with a certificate."""

    client_id: str
    audience: str
    certificate: x509.Certificate
    key: rsa.RSAPrivateKey

    @property
    def x5t(self) -> str:
        return base64url(hashlib.sha1(der_of(self.certificate), usedforsecurity=False).digest())

    @property
    def x5t_sha256(self) -> str:
        return base64url(hashlib.sha256(der_of(self.certificate)).digest())

    def assertion(self, now: float, *, header: dict[str, Any] | None = None, **changes: Any) -> str:
        """A good assertion, with another header or other claims; None leaves a claim out."""
        header = header or {"alg": "PS256", "x5t#S256": self.x5t_sha256}
        claims = {
            "iss": self.client_id,
            "sub": self.client_id,
            "aud": self.audience,
            "nbf": now,
            "exp": now + 600,
            "jti": str(uuid.uuid4()),
            **changes,
        }
        payload = {name: value for name, value in claims.items() if value is not None}
        registry = jws.JWSRegistry(algorithms=[header["alg"]], strict_check_header=False)
        registry.max_header_length = 100_000
        return jws.serialize_compact(
            {"typ": "JWT", **header}, json.dumps(payload), RSAKey.import_key(self.key), registry=registry
        )
