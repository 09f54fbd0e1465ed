"""Clients that show a certificate's key: what MSAL sends is taken, and all else is refused with its own number."""

import base64
import hashlib
import hmac
import json
from dataclasses import replace

import httpx
import pytest
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.hashes import SHA256
from tests.service.identity.keys import Signer, base64url, certificate, der_of, pem_of, rsa_key

from headland.identity import identity_app
from headland.settings import IdentitySettings, ServerSettings, Settings

pytestmark = pytest.mark.anyio

PUBLIC_URL = "https://headland.test:8443"
FARM = "https://farmbeats.azure.net"
JWT_BEARER = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
NOW = 1_800_000_000


@pytest.fixture
async def signer(deployment) -> Signer:
    """An application with a certificate."""
    drone = await deployment.register()
    made = certificate()
    registered = await deployment.admin.post(
        f"/applications/{drone['clientId']}/certificates",
        json={"certificate": pem_of(made)},
        headers=await deployment.as_administrator(),
    )
    assert registered.status_code == 201, registered.text
    return Signer(drone["clientId"], f"{PUBLIC_URL}{deployment.v2}", made, rsa_key())


def form(deployment, signer: Signer, assertion: str, **changes: str | None) -> dict[str, str]:
    shown = {"client_assertion": assertion, "client_assertion_type": JWT_BEARER}
    return deployment.form(**{"client_id": signer.client_id, "client_secret": None, **shown, **changes})


async def ask(deployment, signer: Signer, assertion: str, **changes: str | None):
    return await deployment.tokens.post(deployment.v2, data=form(deployment, signer, assertion, **changes))


def claims_of(token: str) -> dict:
    payload = token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))


def headers_of(signer: Signer) -> dict[str, dict[str, object]]:
    """Headers as clients make them."""
    der = der_of(signer.certificate)
    sha1, sha256 = hashlib.sha1(der, usedforsecurity=False), hashlib.sha256(der)
    chain = [base64.b64encode(der).decode()] * 3
    return {
        # Padded, as Python's base64 leaves it.
        "MSAL for Python": {"alg": "RS256", "x5t": base64.urlsafe_b64encode(sha1.digest()).decode()},
        "MSAL for Python, PS256": {
            "alg": "PS256",
            "x5t#S256": base64.urlsafe_b64encode(sha256.digest()).decode(),
            "x5c": chain,
        },
        "MSAL for JavaScript": {"alg": "PS256", "x5t#S256": signer.x5t_sha256},
        # In base64's standard alphabet.
        "MSAL for Go": {"alg": "PS256", "x5t#S256": base64.b64encode(sha256.digest()).decode()},
        "both thumbprints": {"alg": "RS256", "x5t": signer.x5t, "x5t#S256": signer.x5t_sha256},
        "kid in hexadecimal": {"alg": "RS256", "kid": sha1.hexdigest().upper()},
        "kid in base64url": {"alg": "RS256", "kid": signer.x5t},
        "kid beside a thumbprint": {"alg": "RS256", "x5t": signer.x5t, "kid": "my key"},
        "a header of somebody's own": {"alg": "RS256", "x5t": signer.x5t, "colour": "red"},
    }


@pytest.mark.parametrize(
    "kind",
    [
        "MSAL for Python",
        "MSAL for Python, PS256",
        "MSAL for JavaScript",
        "MSAL for Go",
        "both thumbprints",
        "kid in hexadecimal",
        "kid in base64url",
        "kid beside a thumbprint",
        "a header of somebody's own",
    ],
)
async def test_header_names_the_certificate(deployment, signer, kind):
    assertion = signer.assertion(NOW, header=headers_of(signer)[kind])
    answer = await ask(deployment, signer, assertion)
    assert answer.status_code == 200, answer.text
    assert claims_of(answer.json()["access_token"])["azpacr"] == "2"


async def test_certificate_may_be_named_by_its_id_here(deployment, signer):
    headers = await deployment.as_administrator()
    path = f"/applications/{signer.client_id}/certificates"
    (listed,) = (await deployment.admin.get(path, headers=headers)).json()["certificates"]
    assertion = signer.assertion(NOW, header={"alg": "RS256", "kid": listed["id"]})
    assert (await ask(deployment, signer, assertion)).status_code == 200


async def test_both_versions_say_that_a_certificate_was_shown(deployment, signer):
    data = form(deployment, signer, signer.assertion(NOW), scope=None, resource=FARM)
    answer = await deployment.tokens.post(deployment.v1, data=data)
    assert claims_of(answer.json()["access_token"])["appidacr"] == "2"


@pytest.mark.parametrize("end", ["/oauth2/v2.0/token", "/oauth2/token", "/v2.0", "/", ""])
@pytest.mark.parametrize("named", ["id", "name"])
async def test_assertion_is_for_a_token_endpoint_or_the_issuer(deployment, signer, end, named):
    tenant = deployment.tenant if named == "id" else "meadow.example"
    assertion = signer.assertion(NOW, aud=f"{PUBLIC_URL}/{tenant}{end}")
    assert (await ask(deployment, signer, assertion)).status_code == 200


async def test_tenant_may_be_left_to_the_client(deployment, signer):
    path = "/organizations/oauth2/v2.0/token"
    assertion = signer.assertion(NOW, aud=f"{PUBLIC_URL}{path}")
    answer = await deployment.tokens.post(path, data=form(deployment, signer, assertion))
    assert claims_of(answer.json()["access_token"])["tid"] == deployment.tenant


@pytest.mark.parametrize("jti", ["a", "ab", "abc"])
async def test_padding_that_is_signed_with_the_rest_changes_nothing(deployment, signer, jti):
    """As azure-identity's asynchronous clients send it."""
    header, payload, _ = signer.assertion(NOW, header={"alg": "RS256", "x5t": signer.x5t}, jti=jti).split(".")
    padded = ".".join(part + "=" * (-len(part) % 4) for part in (header, payload))
    signature = signer.key.sign(padded.encode(), PKCS1v15(), SHA256())
    assertion = f"{padded}.{base64.urlsafe_b64encode(signature).decode()}"
    assert (await ask(deployment, signer, assertion)).status_code == 200
    without = f"{header}.{payload}"
    other = await ask(deployment, signer, f"{without}.{base64.urlsafe_b64encode(signature).decode()}")
    assert other.status_code == (200 if without == padded else 401)


async def test_msal_may_use_an_assertion_for_ten_minutes(deployment, signer):
    assertion = signer.assertion(NOW)
    for scope in (f"{FARM}/.default", f"{PUBLIC_URL}/.default"):
        assert (await ask(deployment, signer, assertion, scope=scope)).status_code == 200
    deployment.clock.now += 599
    assert (await ask(deployment, signer, assertion)).status_code == 200


@pytest.mark.parametrize(
    "changes",
    [{"nbf": None}, {"jti": None}, {"exp": NOW + 0.5, "nbf": NOW - 0.25}, {"iat": NOW}, {"nbf": NOW + 299}],
    ids=str,
)
async def test_what_may_be_left_out_may(deployment, signer, changes):
    assert (await ask(deployment, signer, signer.assertion(NOW, **changes))).status_code == 200


async def test_certificates_side_by_side_are_all_good_until_removed(deployment, signer):
    headers = await deployment.as_administrator()
    path = f"/applications/{signer.client_id}/certificates"
    other = replace(signer, certificate=certificate(rsa_key(1)), key=rsa_key(1))
    made = await deployment.admin.post(path, json={"certificate": pem_of(other.certificate)}, headers=headers)
    for each in (signer, other):
        assert (await ask(deployment, each, each.assertion(NOW))).status_code == 200
    await deployment.admin.delete(f"{path}/{made.json()['id']}", headers=headers)
    assert (await ask(deployment, signer, signer.assertion(NOW))).status_code == 200
    gone = await ask(deployment, other, other.assertion(NOW))
    assert gone.json()["error_codes"] == [700027]


def hs256(signer: Signer) -> str:
    """The classic attack: the public key, which everybody has, taken for a shared secret (RFC 8725, 2.1)."""
    header = base64url(json.dumps({"alg": "HS256", "x5t": signer.x5t}).encode())
    text = f"{header}.{signer.assertion(NOW).split('.')[1]}"
    return f"{text}.{base64url(hmac.digest(pem_of(signer.certificate).encode(), text.encode(), 'sha256'))}"


def critical(signer: Signer) -> str:
    """Well signed, with a header that says it must be understood, and is not (RFC 7515 section 4.1.11)."""
    header = {"alg": "RS256", "x5t": signer.x5t, "crit": ["exotic"], "exotic": 1}
    text = f"{base64url(json.dumps(header).encode())}.{signer.assertion(NOW).split('.')[1]}"
    return f"{text}.{base64url(signer.key.sign(text.encode(), PKCS1v15(), SHA256()))}"


REFUSED = {
    "other signature": (
        lambda signer: replace(signer, key=rsa_key(1)).assertion(NOW),
        700027,
        "Client assertion contains an invalid signature.",
    ),
    "unknown certificate": (
        lambda signer: replace(signer, certificate=certificate(rsa_key(1)), key=rsa_key(1)).assertion(NOW),
        700027,
        (
            "The certificate with identifier used to sign the client assertion is not registered on application. "
            "[Reason - The key was not found., Thumbprint of key used by client: '"
        ),
    ),
    "one thumbprint of another": (
        lambda signer: signer.assertion(
            NOW, header={"alg": "RS256", "x5t": base64url(b"x" * 20), "x5t#S256": signer.x5t_sha256}
        ),
        700027,
        "The certificate with identifier used to sign the client assertion is not registered",
    ),
    "unknown kid": (
        lambda signer: signer.assertion(NOW, header={"alg": "RS256", "kid": "mine"}),
        700027,
        (
            "The certificate with identifier used to sign the client assertion is not registered on application. "
            "[Reason - The key was not found., Thumbprint of key used by client: 'mine']"
        ),
    ),
    "no key named": (
        lambda signer: signer.assertion(NOW, header={"alg": "RS256"}),
        5002723,
        "Invalid JWT token. No certificate SHA-1 thumbprint, certificate SHA-256 thumbprint, nor keyId",
    ),
    "other algorithm": (
        lambda signer: signer.assertion(NOW, header={"alg": "RS512", "x5t": signer.x5t}),
        5002738,
        (
            "Invalid JWT token. 'RS512' is not a supported signature algorithm. Supported signing algorithms are: "
            "'RS256, PS256'"
        ),
    ),
    "no signature": (
        lambda signer: (
            f"{base64url(json.dumps({'alg': 'none', 'x5t': signer.x5t}).encode())}."
            f"{signer.assertion(NOW).split('.')[1]}."
        ),
        5002738,
        "Invalid JWT token. 'none' is not a supported",
    ),
    "signature by the public key as a secret": (
        hs256,
        5002738,
        "Invalid JWT token. 'HS256' is not a supported",
    ),
    "another's": (
        lambda signer: signer.assertion(NOW, iss="x", sub="x"),
        700021,
        "Client assertion application identifier doesn't match 'client_id' parameter.",
    ),
    "another's issuer": (
        lambda signer: signer.assertion(NOW, iss="11111111-2222-3333-4444-555555555555"),
        700021,
        "Client assertion application identifier doesn't match 'client_id' parameter.",
    ),
    "other audience": (
        lambda signer: signer.assertion(NOW, aud="https://login.example/x/oauth2/v2.0/token"),
        700023,
        "Client assertion audience claim does not match Realm issuer.",
    ),
    "expired": (
        lambda signer: signer.assertion(NOW, nbf=NOW - 1000, exp=NOW - 300),
        700024,
        (
            "Client assertion is not within its valid time range. Current time: 2027-01-15T08:00:00Z, assertion "
            "valid from 2027-01-15T07:43:20Z, expiry time of assertion 2027-01-15T07:55:00Z."
        ),
    ),
    "not valid yet": (
        lambda signer: signer.assertion(NOW, nbf=NOW + 301, exp=NOW + 900),
        700024,
        "Client assertion is not within its valid time range.",
    ),
    "valid for too long": (
        lambda signer: signer.assertion(NOW, exp=NOW + 86_400 + 301),
        700024,
        "Client assertion is not within its valid time range.",
    ),
    "valid for ever": (
        lambda signer: signer.assertion(NOW, exp=1e300),
        700024,
        "Client assertion is not within its valid time range.",
    ),
    "several audiences": (
        lambda signer: signer.assertion(NOW, aud=[signer.audience, "x"]),
        50027,
        (
            "JWT token is invalid or malformed. The client assertion is none. Its payload is not as it must be: "
            "Expected `str`, got `array` - at `$.aud`."
        ),
    ),
    "no expiry": (
        lambda signer: signer.assertion(NOW, exp=None),
        50027,
        (
            "JWT token is invalid or malformed. The client assertion is none. Its payload is not as it must be: "
            "Object missing required field `exp`."
        ),
    ),
    "expiry as text": (
        lambda signer: signer.assertion(NOW, exp=str(NOW)),
        50027,
        "JWT token is invalid or malformed. The client assertion is none. Its payload is not as it must be",
    ),
    "no JWT": (lambda _: "abc", 50027, "JWT token is invalid or malformed."),
    "three dots": (lambda _: "a.b.c.d", 50027, "JWT token is invalid or malformed."),
    "no base64": (lambda _: "!.!.!", 50027, "JWT token is invalid or malformed."),
    "no JSON": (lambda _: "YQ.YQ.YQ", 50027, "JWT token is invalid or malformed."),
    "header that is a list": (lambda _: "W10.W10.W10", 50027, "JWT token is invalid or malformed."),
    "thumbprint that is none": (
        lambda signer: signer.assertion(NOW, header={"alg": "RS256", "x5t": "ü"}),
        50027,
        "JWT token is invalid or malformed. The client assertion is none. Its 'x5t' is not a thumbprint",
    ),
    "critical header": (
        critical,
        700027,
        "Client assertion contains an invalid signature.",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
async def test_assertion_is_refused(deployment, signer, check_refusal, case):
    make, code, text = REFUSED[case]
    answer = await ask(deployment, signer, make(signer))
    check_refusal(answer, 401, "invalid_client", code, text)


@pytest.mark.parametrize(("first_day", "last_day"), [(1, 30), (-30, 1)])
async def test_certificate_counts_in_its_time_alone(deployment, signer, check_refusal, first_day, last_day):
    made = certificate(rsa_key(1), first_day=first_day, last_day=last_day)
    other = replace(signer, certificate=made, key=rsa_key(1))
    path = f"/applications/{signer.client_id}/certificates"
    headers = await deployment.as_administrator()
    registered = await deployment.admin.post(path, json={"certificate": pem_of(made)}, headers=headers)
    assert registered.status_code == 201
    if last_day == 1:
        assert (await ask(deployment, other, other.assertion(NOW))).status_code == 200
        deployment.clock.now += 86_400
    answer = await ask(deployment, other, other.assertion(deployment.clock.now))
    assert answer.json()["error_codes"] == [700027]
    assert "The key used is expired." in answer.json()["error_description"]


async def test_application_without_certificates_and_unknown_ones(deployment, signer):
    drone = await deployment.register()
    bare = replace(signer, client_id=drone["clientId"])
    assert (await ask(deployment, bare, bare.assertion(NOW))).json()["error_codes"] == [700027]
    nobody = replace(signer, client_id="11111111-2222-3333-4444-555555555555")
    assert (await ask(deployment, nobody, nobody.assertion(NOW))).json()["error_codes"] == [700016]


async def test_disabled_is_told_to_those_who_have_the_key(deployment, signer):
    await deployment.admin.patch(
        f"/applications/{signer.client_id}",
        json={"disabled": True},
        headers=await deployment.as_administrator(),
    )
    answer = await ask(deployment, signer, signer.assertion(NOW))
    assert answer.json()["error_codes"] == [7000112]
    forged = await ask(deployment, signer, replace(signer, key=rsa_key(1)).assertion(NOW))
    assert forged.json()["error_codes"] == [700027]


async def test_assertion_and_form_must_be_of_one_client(deployment, signer):
    answer = await ask(deployment, signer, signer.assertion(NOW), client_id=deployment.first.client_id)
    assert answer.json()["error_codes"] == [700021]


@pytest.fixture
async def strict(deployment):
    """The same deployment, where no assertion is taken twice; asked by two processes."""
    settings = Settings(
        server=ServerSettings(public_url=PUBLIC_URL),
        identity=IdentitySettings(tenant_name="meadow.example", single_use_assertions=True),
    )
    workers = [
        httpx.AsyncClient(
            transport=httpx.ASGITransport(
                identity_app(deployment.database, settings, deployment.issuer, deployment.clock)
            ),
            base_url=PUBLIC_URL,
        )
        for _ in range(2)
    ]
    yield workers
    for worker in workers:
        await worker.aclose()


async def test_single_use_is_remembered_by_all_processes_until_the_assertion_is_over(
    deployment, signer, strict, check_refusal
):
    one, other = strict
    data = form(deployment, signer, signer.assertion(NOW))
    assert (await one.post(deployment.v2, data=data)).status_code == 200
    for worker in (one, other):
        check_refusal(
            await worker.post(deployment.v2, data=data),
            401,
            "invalid_client",
            50013,
            "Assertion failed validation because of various reasons. The client assertion has been used before",
        )
    nameless = form(deployment, signer, signer.assertion(NOW, jti=None))
    assert (await one.post(deployment.v2, data=nameless)).json()["error_codes"] == [50013]
    again = form(deployment, signer, signer.assertion(NOW))
    assert (await other.post(deployment.v2, data=again)).status_code == 200
    rows = deployment.database.read(
        lambda connection: connection.exec_driver_sql("SELECT count(*) FROM used_assertion").scalar()
    )
    assert rows == 2
    # What has expired is refused for that, and need not be remembered.
    deployment.clock.now += 900
    assert (await one.post(deployment.v2, data=data)).json()["error_codes"] == [700024]
    late = form(deployment, signer, signer.assertion(NOW + 900))
    assert (await one.post(deployment.v2, data=late)).status_code == 200
    rows = deployment.database.read(
        lambda connection: connection.exec_driver_sql("SELECT count(*) FROM used_assertion").scalar()
    )
    assert rows == 1


async def test_a_forged_assertion_does_not_use_up_a_good_one(deployment, signer, strict):
    good = signer.assertion(NOW, jti="mine")
    forged = replace(signer, key=rsa_key(1)).assertion(NOW, jti="mine")
    answer = await strict[0].post(deployment.v2, data=form(deployment, signer, forged))
    assert answer.json()["error_codes"] == [700027]
    assert (await strict[0].post(deployment.v2, data=form(deployment, signer, good))).status_code == 200
