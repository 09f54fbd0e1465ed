"""`headland app certificate add`, `list` and `remove`."""

from pathlib import Path

import click

from headland.cli.app.directory import Certificate, Certificates, Directory
from headland.cli.documents import view
from headland.cli.errors import CliError
from headland.cli.exit_codes import ExitCode
from headland.cli.options import json_option, quiet_option
from headland.cli.output import print_json, print_record, print_table, when
from headland.cli.surroundings import open_service

#: Larger files are no certificates.
_LARGEST = 1_000_000


@click.group()
def certificate() -> None:
    """Manage an application's certificates, with whose keys it signs its token requests."""


@certificate.command()
@click.argument("client_id")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--name", help="What it is for.")
@json_option
def add(client_id: str, file: Path, name: str | None, as_json: bool) -> None:
    """Register the certificate in FILE; those there are stay valid.

    FILE is PEM or DER. Of a PEM file the first certificate is sent, and nothing else: a private key in it
    stays here.
    """
    certificate = _certificate_in(file)
    with open_service() as service:
        document = Directory(service).add_certificate(client_id, certificate, name)
    if as_json:
        print_json(document)
        return
    registered = view(document, Certificate)
    print_record(
        {
            "Certificate ID": registered.id,
            "Subject": registered.subject,
            "Thumbprint (SHA-1)": registered.thumbprint,
            "Thumbprint (SHA-256)": registered.thumbprint_sha256,
            "Expires (UTC)": when(registered.expires_at),
        }
    )


@certificate.command("list")
@click.argument("client_id")
@json_option
def list_certificates(client_id: str, as_json: bool) -> None:
    """List an application's certificates."""
    with open_service() as service:
        document = Directory(service).certificates(client_id)
    if as_json:
        print_json(document)
        return
    print_table(
        ["Certificate id", "Name", "Thumbprint", "Expires (UTC)"],
        [
            [item.id, item.name, f"{item.thumbprint[:8]}…", when(item.expires_at)]
            for item in view(document, Certificates).certificates
        ],
        fold=("Name",),
    )


@certificate.command()
@click.argument("client_id")
@click.argument("certificate_id")
@quiet_option("Print nothing.")
def remove(client_id: str, certificate_id: str, quiet: bool) -> None:
    """Remove a certificate at once.

    Tokens got with it end when they expire.
    """
    with open_service() as service:
        Directory(service).remove_certificate(client_id, certificate_id)
    if not quiet:
        click.echo(f"Certificate {certificate_id}: removed.")


def _certificate_in(file: Path) -> str:
    """The certificate alone, in PEM, read here so that nothing else of the file is sent anywhere."""
    from cryptography import x509  # noqa: PLC0415 - here, so that no other command pays for it
    from cryptography.hazmat.primitives.serialization import Encoding  # noqa: PLC0415

    try:
        content = file.read_bytes() if file.stat().st_size <= _LARGEST else b""
        read = x509.load_pem_x509_certificate if b"-----BEGIN" in content else x509.load_der_x509_certificate
        return read(content).public_bytes(Encoding.PEM).decode()
    except (ValueError, x509.InvalidVersion):
        raise CliError(f"{file} holds no certificate", "name a PEM or DER file", ExitCode.USAGE) from None
