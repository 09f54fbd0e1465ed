"""What programs beside the service are to trust: the certificates of the system, and the deployment's own.

A job's code finds them by itself (`docs/job-identity.md`). Whatever names a file of certificates names it in the place
of the system's, so that the file must have those, too.
"""

import ssl
import warnings
from pathlib import Path

import structlog
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, pkcs12
from cryptography.utils import CryptographyDeprecationWarning

from headland.server.certificates import ServerCertificate, write_whole
from headland.settings import Home

_log = structlog.get_logger("headland.server")

#: Where systems keep what they trust, for a Python that was built to look elsewhere.
_KNOWN = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
)

_BEGIN, _END = b"-----BEGIN CERTIFICATE-----", b"-----END CERTIFICATE-----"


def prepare_trust(home: Home, certificate: ServerCertificate) -> None:
    """Make bundle and trust store, or leave them if they are what they should be.

    Raises:
        OSError: they can't be written, or the certificate can't be read.
    """
    home.trust.mkdir(mode=0o700, exist_ok=True)
    local = certificate.certificate.parent == home.tls
    own = home.ca_certificate if local else certificate.certificate
    bundle = system_certificates() + b"\n" + own.read_bytes()
    if home.trust_store.exists() and home.ca_bundle.exists() and home.ca_bundle.read_bytes() == bundle:
        return
    # The bundle last: it tells whether both are there.
    write_whole(home.trust_store, trust_store(bundle))
    write_whole(home.ca_bundle, bundle)


def system_certificates() -> bytes:
    """What the system trusts, in PEM; where it has no such file, what Python's programs commonly trust."""
    found = ssl.get_default_verify_paths().cafile
    for file in (*([found] if found else []), *_KNOWN):
        if Path(file).is_file():
            return Path(file).read_bytes()
    import certifi  # noqa: PLC0415 - few need it

    return Path(certifi.where()).read_bytes()


def trust_store(bundle: bytes) -> bytes:
    """The certificates of a bundle as Java's trust store, without a password: nothing in it is secret."""
    found: dict[bytes, x509.Certificate] = {}
    for part in bundle.split(_BEGIN)[1:]:
        body, end, _ = part.partition(_END)
        if not end:
            continue
        try:
            with warnings.catch_warnings():
                # Old authorities' numbers are not as RFC 5280 wants them; the system trusts them all the same.
                warnings.simplefilter("ignore", CryptographyDeprecationWarning)
                certificate = x509.load_pem_x509_certificate(_BEGIN + body + _END)
            found[certificate.public_bytes(Encoding.DER)] = certificate
        except ValueError as error:  # Java would not read it either
            _log.warning("trust.certificate_left_out", reason=str(error))
    named = [
        pkcs12.PKCS12Certificate(certificate, b"%d" % number)
        for number, certificate in enumerate(found.values(), 1)
    ]
    return pkcs12.serialize_java_truststore(named, NoEncryption())
