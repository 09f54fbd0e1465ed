"""A company's own authority, and a server of files over HTTPS whose certificate it has signed."""

import datetime
import ipaddress
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID


@dataclass(frozen=True)
class Company:
    """Its server."""

    url: str
    #: The authority's certificate.
    authority: Path
    #: Paths that were asked for, in turn.
    asked: list[str] = field(default_factory=list)


@contextmanager
def company_server(folder: Path) -> Iterator[Company]:
    """The files of `folder`, which also gets the certificates."""
    authority, server = certificates(folder)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(server)
    asked: list[str] = []

    class Handler(SimpleHTTPRequestHandler):
        def __init__(self, *arguments: object) -> None:
            super().__init__(*arguments, directory=str(folder))  # type: ignore[arg-type]

        def do_GET(self) -> None:
            asked.append(self.path)
            super().do_GET()

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listening:
        listening.socket = context.wrap_socket(listening.socket, server_side=True)
        thread = threading.Thread(target=listening.serve_forever)
        thread.start()
        try:
            yield Company(f"https://127.0.0.1:{listening.server_address[1]}", authority, asked)
        finally:
            listening.shutdown()
            thread.join()


def certificates(folder: Path) -> tuple[Path, Path]:
    """An authority's certificate, and a server's with its key."""
    now = datetime.datetime.now(datetime.UTC)
    keys = [ec.generate_private_key(ec.SECP256R1()) for _ in range(2)]
    names = [x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)]) for text in ("Company", "Index")]
    made = []
    for name, key, extensions in (
        (names[0], keys[0], [(x509.BasicConstraints(ca=True, path_length=0), True)]),
        (
            names[1],
            keys[1],
            [(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), False)],
        ),
    ):
        builder = (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(names[0])
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(days=1))
            .not_valid_after(now + datetime.timedelta(days=1))
        )
        for extension, critical in extensions:
            builder = builder.add_extension(extension, critical=critical)
        made.append(builder.sign(keys[0], hashes.SHA256()).public_bytes(Encoding.PEM))
    authority, server = folder / "company.pem", folder / "index.pem"
    authority.write_bytes(made[0])
    private = keys[1].private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    server.write_bytes(private + made[1])
    return authority, server
