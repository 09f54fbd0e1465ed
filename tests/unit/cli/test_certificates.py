import datetime
import json

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)

PATH = "/identity/applications/app-0/certificates"
REGISTERED = {
    "id": "3f2504e0-4f89-41d3-9a0c-0305e82c3301",
    "name": "Spring",
    "thumbprint": "0A1B2C3D" * 5,
    "thumbprintSha256": "0A1B2C3D" * 8,
    "subject": "CN=drone",
    "startsAt": "2026-11-20T10:26:06Z",
    "expiresAt": "2028-11-20T10:26:06Z",
    "createdAt": "2026-11-20T10:26:06Z",
    "createdBy": None,
    "lastUsedAt": None,
}


@pytest.fixture(scope="module")
def certificate():
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "drone")])
    start = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(KEY.public_key())
        .serial_number(1)
        .not_valid_before(start)
        .not_valid_after(start + datetime.timedelta(days=900))
        .sign(KEY, hashes.SHA256())
    )


@pytest.fixture
def file(tmp_path):
    return tmp_path / "client"


def private(encoding: Encoding) -> bytes:
    return KEY.private_bytes(encoding, PrivateFormat.PKCS8, NoEncryption())


@pytest.mark.parametrize("form", ["PEM", "DER", "key and certificate", "chain"])
def test_the_certificate_alone_is_sent_whatever_the_file_holds(headland, stand_in, file, certificate, form):
    pem = certificate.public_bytes(Encoding.PEM)
    file.write_bytes(
        {
            "PEM": pem,
            "DER": certificate.public_bytes(Encoding.DER),
            "key and certificate": private(Encoding.PEM) + pem,
            "chain": pem + pem,
        }[form]
    )
    stand_in.instead["POST", PATH] = [httpx.Response(201, json=REGISTERED)]
    result = headland("app", "certificate", "add", "app-0", str(file), "--name", "Spring")
    assert result.exit_code == 0, result.output
    (sent,) = stand_in.sent("POST", PATH)
    assert json.loads(sent.content) == {"certificate": pem.decode(), "name": "Spring"}
    assert result.stdout.splitlines() == [
        "Certificate ID        3f2504e0-4f89-41d3-9a0c-0305e82c3301",
        "Subject               CN=drone",
        "Thumbprint (SHA-1)    " + "0A1B2C3D" * 5,
        "Thumbprint (SHA-256)  " + "0A1B2C3D" * 8,
        "Expires (UTC)         2028-11-20 10:26:06",
    ]


@pytest.mark.parametrize("form", ["text", "private key in PEM", "private key in DER", "too large"])
def test_what_is_no_certificate_is_sent_nowhere(headland, stand_in, file, certificate, form):
    file.write_bytes(
        {
            "text": b"certificate",
            "private key in PEM": private(Encoding.PEM),
            "private key in DER": private(Encoding.DER),
            "too large": certificate.public_bytes(Encoding.PEM) + b"\n" * 1_000_000,
        }[form]
    )
    result = headland("app", "certificate", "add", "app-0", str(file))
    assert result.exit_code == 2
    assert result.stderr == f"headland: {file} holds no certificate; name a PEM or DER file\n"
    assert not stand_in.requests


def test_list(headland, stand_in):
    stand_in.instead["GET", PATH] = [
        httpx.Response(200, json={"certificates": [REGISTERED]}) for _ in range(2)
    ]
    result = headland("app", "certificate", "list", "app-0")
    assert [line.split() for line in result.stdout.splitlines()[1:]] == [
        [REGISTERED["id"], "Spring", "0A1B2C3D…", "2028-11-20", "10:26:06"]
    ]
    assert all(len(line) <= 80 for line in result.stdout.splitlines())
    shown = headland("app", "certificate", "list", "app-0", "--json").stdout
    assert json.loads(shown) == {"certificates": [REGISTERED]}


def test_remove(headland, stand_in):
    path = f"{PATH}/{REGISTERED['id']}"
    stand_in.instead["DELETE", path] = [httpx.Response(204), httpx.Response(404, json={"msg": "no"})]
    result = headland("app", "certificate", "remove", "app-0", REGISTERED["id"])
    assert result.stdout == f"Certificate {REGISTERED['id']}: removed.\n"
    gone = headland("app", "certificate", "remove", "app-0", REGISTERED["id"])
    assert gone.exit_code == 4
    assert f"application 'app-0' has no certificate '{REGISTERED['id']}'" in gone.stderr


def test_another_tenant_is_named_in_the_query(headland, stand_in):
    headland("app", "create", "First")
    stand_in.requests.clear()
    headland("app", "--tenant", "orchard.example", "show", "app-0")
    headland("app", "--tenant", "orchard.example", "delete", "app-0")
    assert [
        (request.method, request.url.params.get("tenant"))
        for request in stand_in.requests
        if request.url.path.startswith("/identity")
    ] == [("GET", "orchard.example"), ("DELETE", "orchard.example")]
