"""Headland's own API of certificates: what is taken, how it is shown, and what is refused."""

import base64
import hashlib

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from tests.service.identity.keys import certificate, der_of, pem_of, rsa_key

pytestmark = pytest.mark.anyio


@pytest.fixture
async def headers(deployment):
    return await deployment.as_administrator()


@pytest.fixture
async def path(deployment):
    return f"/applications/{(await deployment.register())['clientId']}/certificates"


async def test_certificate_has_every_field(deployment, headers, path):
    made = certificate()
    answer = await deployment.admin.post(
        path, json={"certificate": pem_of(made), "name": "Spring"}, headers=headers
    )
    assert answer.status_code == 201, answer.text
    body = answer.json()
    assert answer.headers["location"] == f"/identity{path}/{body['id']}"
    me = deployment.verifier.verify(headers["authorization"][7:], frozenset({"https://headland.test:8443"}))
    assert body == {
        "id": body["id"],
        "name": "Spring",
        "thumbprint": hashlib.sha1(der_of(made), usedforsecurity=False).hexdigest().upper(),
        "thumbprintSha256": hashlib.sha256(der_of(made)).hexdigest().upper(),
        "subject": "CN=drone",
        "startsAt": "2027-01-14T08:00:00Z",
        "expiresAt": "2027-02-14T08:00:00Z",
        "createdAt": "2027-01-15T08:00:00Z",
        "createdBy": me.object_id,
        "lastUsedAt": None,
    }
    listed = await deployment.admin.get(path, headers=headers)
    assert listed.json() == {"certificates": [body]}


@pytest.mark.parametrize("written", ["PEM", "PEM with text before it", "DER in base64", "in lines"])
async def test_certificate_comes_in_pem_or_in_base64(deployment, headers, path, written):
    made = certificate()
    text = {
        "PEM": pem_of(made),
        "PEM with text before it": f"subject=CN = drone\r\n{pem_of(made)}".replace("\n", "\r\n"),
        "DER in base64": base64.b64encode(der_of(made)).decode(),
        "in lines": base64.encodebytes(der_of(made)).decode(),
    }[written]
    answer = await deployment.admin.post(path, json={"certificate": text}, headers=headers)
    assert answer.status_code == 201, answer.text
    assert answer.json()["thumbprintSha256"] == hashlib.sha256(der_of(made)).hexdigest().upper()


def in_pem(key) -> str:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()


REFUSED = {
    "empty": (lambda: "", "certificate: is not an X.509 certificate."),
    "no base64": (lambda: "?", "certificate: must be PEM, or DER in base64."),
    "no certificate": (lambda: "AAAA", "certificate: is not an X.509 certificate."),
    "cut short": (
        lambda: base64.b64encode(der_of(certificate())[:-7]).decode(),
        "certificate: is not an X.509 certificate.",
    ),
    "private key": (
        lambda: in_pem(rsa_key()),
        "certificate: comes with a private key, which nobody but the application may have; send it alone.",
    ),
    "with private key": (
        lambda: pem_of(certificate()) + in_pem(rsa_key()),
        "certificate: comes with a private key, which nobody but the application may have; send it alone.",
    ),
    "two": (
        lambda: pem_of(certificate()) * 2,
        "certificate: must be one certificate in PEM, not 2.",
    ),
    "begun only": (
        lambda: "-----BEGIN CERTIFICATE-----\nAAAA",
        "certificate: must be one certificate in PEM, not 0.",
    ),
    "elliptic curve": (
        lambda: pem_of(certificate(ec.generate_private_key(ec.SECP256R1()))),
        "certificate: must have an RSA key: assertions are signed by RS256 or PS256.",
    ),
    "short key": (
        lambda: pem_of(certificate(rsa_key(0, 1024))),
        "certificate: must have an RSA key of 2048 to 8192 bits, not 1024.",
    ),
    "expired": (
        lambda: pem_of(certificate(first_day=-9, last_day=0)),
        "certificate: expired at 2027-01-15T08:00:00Z.",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
async def test_certificate_is_refused(deployment, headers, path, case):
    make, problem = REFUSED[case]
    answer = await deployment.admin.post(path, json={"certificate": make()}, headers=headers)
    assert (answer.status_code, answer.json()) == (400, {"msg": problem})
    assert (await deployment.admin.get(path, headers=headers)).json() == {"certificates": []}


@pytest.mark.parametrize(
    ("body", "named"),
    [({}, "certificate"), ({"certificate": 1}, "certificate"), ({"certificate": "x", "colour": 1}, "colour")],
)
async def test_bad_body_names_the_field(deployment, headers, path, body, named):
    answer = await deployment.admin.post(path, json=body, headers=headers)
    assert answer.status_code == 400
    assert answer.json()["msg"].startswith(f"{named}: ")


async def test_bad_name_is_refused(deployment, headers, path):
    body = {"certificate": pem_of(certificate()), "name": "a\nb"}
    answer = await deployment.admin.post(path, json=body, headers=headers)
    assert answer.json() == {"msg": "name: must not contain control characters."}


async def test_a_certificate_is_registered_once_an_application(deployment, headers, path):
    body = {"certificate": pem_of(certificate())}
    first = await deployment.admin.post(path, json=body, headers=headers)
    again = await deployment.admin.post(path, json=body, headers=headers)
    assert (again.status_code, again.json()) == (
        409,
        {"msg": "certificate: is registered for this application already."},
    )
    other = f"/applications/{(await deployment.register('Kite'))['clientId']}/certificates"
    assert (await deployment.admin.post(other, json=body, headers=headers)).status_code == 201
    removed = await deployment.admin.delete(f"{path}/{first.json()['id'].upper()}", headers=headers)
    assert (removed.status_code, removed.content) == (204, b"")
    assert (await deployment.admin.post(path, json=body, headers=headers)).status_code == 201


async def test_what_is_not_there_is_404(deployment, headers, path):
    nobody = "11111111-2222-3333-4444-555555555555"
    body = {"certificate": pem_of(certificate())}
    registered = (await deployment.admin.post(path, json=body, headers=headers)).json()["id"]
    other = f"/applications/{(await deployment.register('Kite'))['clientId']}/certificates"
    for method, where in (
        ("GET", f"/applications/{nobody}/certificates"),
        ("POST", f"/applications/{nobody}/certificates"),
        ("DELETE", f"{path}/{nobody}"),
        ("DELETE", f"{other}/{registered}"),
    ):
        sent = body if method == "POST" else None
        answer = await deployment.admin.request(method, where, json=sent, headers=headers)
        assert answer.status_code == 404, (method, where)


async def test_certificates_go_with_their_application(deployment, headers, path):
    await deployment.admin.post(path, json={"certificate": pem_of(certificate())}, headers=headers)
    await deployment.admin.delete(path.removesuffix("/certificates"), headers=headers)
    rows = deployment.database.read(
        lambda connection: connection.exec_driver_sql("SELECT count(*) FROM certificate").scalar()
    )
    assert rows == 0
