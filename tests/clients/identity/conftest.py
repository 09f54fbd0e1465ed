"""A Headland, and an application on it that has a secret and certificates.

The clients live in environments of their own: `make clients` installs them. Without them these tests are
skipped, except where `CI=true` and `REQUIRE_PEERS=1` say that they must run.
"""

import datetime
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    pkcs12,
)
from cryptography.x509.oid import NameOID
from tests.serving import Served

FARM = "https://farmbeats.azure.net"
CLUSTER = "https://hilo.azurehdinsight.net"
PASSWORD = "furrow"


@dataclass(frozen=True)
class Client:
    """An application as the people have it who configure a client."""

    served: Served
    tenant: str
    client_id: str
    secret: str
    #: Key and certificate in one PEM file, as azure-identity takes them.
    pem: Path
    pfx: Path
    key: str
    certificate: str
    thumbprint: str
    thumbprint_sha256: str

    @property
    def host(self) -> str:
        return self.served.url.removeprefix("https://")

    @property
    def authority(self) -> str:
        return f"{self.served.url}/{self.tenant}"

    def given(self, **more: Any) -> dict[str, Any]:
        return {
            "authority": self.served.url,
            "tenant": self.tenant,
            "client_id": self.client_id,
            "client_secret": self.secret,
            "scopes": [f"{FARM}/.default", f"{CLUSTER}/.default"],
            **more,
        }

    def environment(self, tenant: str = "adfs", *, by: str = "secret") -> dict[str, str]:
        """All that `DefaultAzureCredential` is told, but for the CA."""
        credential = (
            {"AZURE_CLIENT_SECRET": self.secret}
            if by == "secret"
            else {"AZURE_CLIENT_CERTIFICATE_PATH": str(self.pem)}
        )
        return {
            "AZURE_AUTHORITY_HOST": self.served.url,
            "AZURE_TENANT_ID": tenant,
            "AZURE_CLIENT_ID": self.client_id,
            **credential,
        }

    def opens(self, token: str) -> bool:
        """Whether the job service takes the token."""
        answer = self.served.private.get("/batches", headers={"Authorization": f"Bearer {token}"})
        return answer.status_code == 200


@pytest.fixture(scope="session")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    folder = tmp_path_factory.mktemp("identity")
    # Some tests fail to log in on purpose, and others look at how they do.
    running = Served(folder / "home")
    try:
        running.start()
        own = {"Authorization": f"Bearer {running.token(f'{running.url}/.default')}"}
        made = running.public.post(
            "/identity/applications", json={"name": "Drone"}, headers=own
        ).raise_for_status()
        path = f"/identity/applications/{made.json()['clientId']}"
        secret = running.public.post(f"{path}/secrets", json={}, headers=own).raise_for_status().json()
        key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        certificate = _certificate(key)
        pem = certificate.public_bytes(Encoding.PEM).decode()
        registered = running.public.post(
            f"{path}/certificates", json={"certificate": pem, "name": "Client tests"}, headers=own
        ).raise_for_status()
        in_pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
        (folder / "client.pem").write_text(in_pem + pem)
        (folder / "client.pfx").write_bytes(
            pkcs12.serialize_key_and_certificates(
                b"drone", key, certificate, None, BestAvailableEncryption(PASSWORD.encode())
            )
        )
        yield Client(
            served=running,
            tenant=made.json()["tenantId"],
            client_id=made.json()["clientId"],
            secret=secret["secret"],
            pem=folder / "client.pem",
            pfx=folder / "client.pfx",
            key=in_pem,
            certificate=pem,
            thumbprint=registered.json()["thumbprint"],
            thumbprint_sha256=registered.json()["thumbprintSha256"],
        )
    finally:
        running.close()


def _certificate(key: rsa.RSAPrivateKey) -> x509.Certificate:
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "drone")])
    now = datetime.datetime.now(datetime.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
