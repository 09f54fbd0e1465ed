"""A local certificate authority and the server certificates it issues (RFC 5280).

MSAL and azure-core refuse plain HTTP, so the public base speaks TLS from the first start on. Clients are told to trust
`tls/ca.pem`. The authority may speak for the deployment's own names alone (name constraints, section 4.2.1.10), and its
key is never on disk: while it is there it signs all server certificates of its life, for one key, of which each start
takes the one whose time it is. What it has signed once is all that it ever signs: another name needs another authority.
"""

import contextlib
import datetime
import ipaddress
import os
import re
import socket
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from headland.settings import Home, Settings

AUTHORITY_LIFE = datetime.timedelta(days=3650)
#: Apple's systems refuse server certificates that live longer.
SERVER_LIFE = datetime.timedelta(days=397)
RENEW_BEFORE = datetime.timedelta(days=30)
_HOST_NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?")
#: Clocks of clients may be late.
BACKDATED = datetime.timedelta(hours=1)


class CertificateError(Exception):
    """The operator's own certificate or key can't be used."""


@dataclass(frozen=True, slots=True)
class ServerCertificate:
    """Files in PEM: certificate (with chain) and key."""

    certificate: Path
    key: Path
    #: Whether this start made the authority, or another one in the place of the one before.
    new_authority: bool = False


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
    upcoming = home.tls / "upcoming.pem"
    names = _names(settings)
    found = _fitting(home, made, upcoming, names, now)
    if found is None:
        _issue(home, made, upcoming, [*names, *_further_names(names)], now)
        found = _fitting(home, made, upcoming, names, now)
        made = replace(made, new_authority=True)
    if found is None:
        raise CertificateError(f"the certificates in {home.tls} are not those that were just made")
    if not made.certificate.exists() or made.certificate.read_bytes() != found:
        write_whole(made.certificate, found)
    return made


def _names(settings: Settings) -> list[str]:
    """What clients call the deployment by."""
    own = [urlsplit(settings.server.public_url).hostname or "localhost", "localhost", "127.0.0.1", "::1"]
    # Instances that have host names of their own are reached by them here.
    domain = settings.control.instance_domain
    instances = [f"*.{domain}"] if domain is not None else []
    return list(dict.fromkeys([*own, *instances, *settings.tls.names]))


def _further_names(names: list[str]) -> list[str]:
    """The machine's own name, if it is one of a host. That it is another one some day, as in containers, is no reason
    to have clients trust another authority.
    """
    name = socket.gethostname()
    return [name] if name not in names and _HOST_NAME.fullmatch(name) else []


def _fitting(
    home: Home, made: ServerCertificate, upcoming: Path, names: list[str], now: datetime.datetime
) -> bytes | None:
    """The certificate for now, in PEM; None where there is none that clients who trust the authority take."""
    try:
        authority = x509.load_pem_x509_certificate(home.ca_certificate.read_bytes())
        key = serialization.load_pem_private_key(made.key.read_bytes(), password=None)
        issued = x509.load_pem_x509_certificates(upcoming.read_bytes())
    except (OSError, ValueError):
        return None
    for certificate in reversed(issued):
        alternatives = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
        named = [str(value) for value in alternatives.get_values_for_type(x509.DNSName)]
        named += [str(value) for value in alternatives.get_values_for_type(x509.IPAddress)]
        if (
            certificate.not_valid_before_utc <= now < certificate.not_valid_after_utc - RENEW_BEFORE
            and set(names) <= set(named)
            and certificate.public_key() == key.public_key()
            and _is_issued_by(certificate, authority)
        ):
            return certificate.public_bytes(serialization.Encoding.PEM)
    return None


def _is_issued_by(certificate: x509.Certificate, authority: x509.Certificate) -> bool:
    try:
        certificate.verify_directly_issued_by(authority)
    except (ValueError, TypeError, InvalidSignature):
        return False
    return True


def _issue(
    home: Home, made: ServerCertificate, upcoming: Path, names: list[str], now: datetime.datetime
) -> None:
    """All certificates of an authority's life; its key is gone when this returns."""
    authority, authority_key, is_old = _authority(home, names, now)
    key = ec.generate_private_key(ec.SECP256R1())
    issued = []
    start = now
    while start + RENEW_BEFORE < authority.not_valid_after_utc:
        life = min(SERVER_LIFE, authority.not_valid_after_utc - start)
        issued.append(_server(names, (authority, authority_key), key.public_key(), start, life))
        start += SERVER_LIFE - 2 * RENEW_BEFORE
    write_whole(made.key, _private(key))
    write_whole(
        upcoming, b"".join(certificate.public_bytes(serialization.Encoding.PEM) for certificate in issued)
    )
    # Last: before it is there, or while it is another one, all the rest counts for nothing and is made anew.
    if not is_old:
        write_whole(home.ca_certificate, authority.public_bytes(serialization.Encoding.PEM))
    _old_key(home).unlink(missing_ok=True)


def _server(
    names: list[str],
    authority: tuple[x509.Certificate, ec.EllipticCurvePrivateKey],
    key: ec.EllipticCurvePublicKey,
    start: datetime.datetime,
    life: datetime.timedelta,
) -> x509.Certificate:
    issuer, issuer_key = authority
    return (
        _builder(f"Headland at {names[0]}", issuer.subject, key, start, life)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(signs_certificates=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.SubjectAlternativeName([_alternative(name) for name in names]), critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer_key.public_key()), critical=False
        )
        .sign(issuer_key, hashes.SHA256())
    )


def _old_key(home: Home) -> Path:
    """Where the authority's key was kept once."""
    return home.tls / "ca.key"


def _authority(
    home: Home, names: list[str], now: datetime.datetime
) -> tuple[x509.Certificate, ec.EllipticCurvePrivateKey, bool]:
    """An authority for those names; or the one whose key was kept once, which clients trust already, and that it is."""
    with contextlib.suppress(OSError, ValueError):
        present = x509.load_pem_x509_certificate(home.ca_certificate.read_bytes())
        kept = serialization.load_pem_private_key(_old_key(home).read_bytes(), password=None)
        lasts = now + SERVER_LIFE < present.not_valid_after_utc
        if (
            lasts
            and isinstance(kept, ec.EllipticCurvePrivateKey)
            and kept.public_key() == present.public_key()
        ):
            return present, kept, True
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name(
        [x509.NameAttribute(NameOID.COMMON_NAME, f"Headland local CA ({socket.gethostname()[:40]})")]
    )
    certificate = (
        _builder(None, name, key.public_key(), now, AUTHORITY_LIFE)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(signs_certificates=True), critical=True)
        .add_extension(
            x509.NameConstraints(
                permitted_subtrees=[_subtree(name) for name in names], excluded_subtrees=None
            ),
            critical=True,
        )
        .sign(key, hashes.SHA256())
    )
    return certificate, key, False


def _subtree(name: str) -> x509.GeneralName:
    """The name, and what is below it; of an address that one alone."""
    with contextlib.suppress(ValueError):
        return x509.IPAddress(ipaddress.ip_network(name))
    return x509.DNSName(name.removeprefix("*."))


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
