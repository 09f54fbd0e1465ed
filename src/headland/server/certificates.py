"""A local certificate authority and the server certificate it issues (RFC 5280).

MSAL and azure-core refuse plain HTTP, so the public base speaks TLS from the first start on. Clients are
told to trust `tls/ca.pem`; the server certificate is made anew when it is about to expire or no longer
names all it should, under the same authority.
"""

import contextlib
import datetime
import ipaddress
import os
import socket
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from headland.settings import Home, Settings

AUTHORITY_LIFE = datetime.timedelta(days=3650)
#: Apple's systems refuse server certificates that live longer.
SERVER_LIFE = datetime.timedelta(days=397)
RENEW_BEFORE = datetime.timedelta(days=30)
#: Clocks of clients may be late.
BACKDATED = datetime.timedelta(hours=1)


class CertificateError(Exception):
    """The operator's own certificate or key can't be used."""


@dataclass(frozen=True, slots=True)
class ServerCertificate:
    """Files in PEM: certificate (with chain) and key."""

    certificate: Path
    key: Path


def server_certificate(home: Home, settings: Settings, now: datetime.datetime) -> ServerCertificate:
    """The operator's own certificate, else one from the local authority, made now if need be.

    Raises:
        CertificateError: the operator's own is not there.
    """
    if settings.tls.certificate is not None and settings.tls.key is not None:
        own = ServerCertificate(Path(settings.tls.certificate), Path(settings.tls.key))
        for name, file in (("tls.certificate", own.certificate), ("tls.key", own.key)):
            if not os.access(file, os.R_OK):
                raise CertificateError(f"{name}: {file} can't be read")
        return own
    made = ServerCertificate(home.tls / "server.pem", home.tls / "server.key")
    names = _names(settings)
    if not _still_good(made, names, now):
        _issue(home, made, names, now)
    return made


def _names(settings: Settings) -> list[str]:
    own = [urlsplit(settings.server.public_url).hostname or "localhost", "localhost", "127.0.0.1", "::1"]
    # Instances that have host names of their own are reached by them here.
    domain = settings.control.instance_domain
    instances = [f"*.{domain}"] if domain is not None else []
    return list(dict.fromkeys([*own, socket.gethostname(), *instances, *settings.tls.names]))


def _still_good(made: ServerCertificate, names: list[str], now: datetime.datetime) -> bool:
    if not (made.certificate.exists() and made.key.exists()):
        return False
    certificate = x509.load_pem_x509_certificate(made.certificate.read_bytes())
    alternatives = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    named = [str(value) for value in alternatives.get_values_for_type(x509.DNSName)]
    named += [str(value) for value in alternatives.get_values_for_type(x509.IPAddress)]
    return set(names) <= set(named) and now < certificate.not_valid_after_utc - RENEW_BEFORE


def _issue(home: Home, made: ServerCertificate, names: list[str], now: datetime.datetime) -> None:
    authority, authority_key = _authority(home, now)
    key = ec.generate_private_key(ec.SECP256R1())
    certificate = (
        _builder(f"Headland at {names[0]}", authority.subject, key.public_key(), now, SERVER_LIFE)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(signs_certificates=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.SubjectAlternativeName([_alternative(name) for name in names]), critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(authority_key.public_key()), critical=False
        )
        .sign(authority_key, hashes.SHA256())
    )
    write_whole(made.key, _private(key))
    write_whole(made.certificate, certificate.public_bytes(serialization.Encoding.PEM))


def _authority(home: Home, now: datetime.datetime) -> tuple[x509.Certificate, ec.EllipticCurvePrivateKey]:
    """The authority of this home, made if there is none."""
    certificate_file, key_file = home.ca_certificate, home.tls / "ca.key"
    if certificate_file.exists() and key_file.exists():
        key = serialization.load_pem_private_key(key_file.read_bytes(), password=None)
        if isinstance(key, ec.EllipticCurvePrivateKey):
            return x509.load_pem_x509_certificate(certificate_file.read_bytes()), key
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name(
        [x509.NameAttribute(NameOID.COMMON_NAME, f"Headland local CA ({socket.gethostname()[:40]})")]
    )
    certificate = (
        _builder(None, name, key.public_key(), now, AUTHORITY_LIFE)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(signs_certificates=True), critical=True)
        .sign(key, hashes.SHA256())
    )
    write_whole(key_file, _private(key))
    write_whole(certificate_file, certificate.public_bytes(serialization.Encoding.PEM))
    return certificate, key


def _builder(
    common_name: str | None,
    issuer: x509.Name,
    key: ec.EllipticCurvePublicKey,
    now: datetime.datetime,
    life: datetime.timedelta,
) -> x509.CertificateBuilder:
    """What both certificates share. Without a common name the subject is the issuer itself."""
    subject = (
        x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name[:64])]) if common_name else issuer
    )
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - BACKDATED)
        .not_valid_after(now + life)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key), critical=False)
    )


def _usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        encipher_only=False,
        decipher_only=False,
    )


def _alternative(name: str) -> x509.GeneralName:
    with contextlib.suppress(ValueError):
        return x509.IPAddress(ipaddress.ip_address(name))
    return x509.DNSName(name)


def _private(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


def write_whole(file: Path, content: bytes) -> None:
    """Whole or not at all, for the owner alone."""
    draft = file.with_name(f".{file.name}.new")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "wb") as opened:
        opened.write(content)
        opened.flush()
        os.fsync(opened.fileno())
    draft.rename(file)
