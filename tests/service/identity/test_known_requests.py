"""A request that was granted is not looked through again, and is refused as soon as it no longer may be."""

import httpx
import pytest
from tests.service.identity.keys import Signer, certificate, pem_of, rsa_key

from headland.database import Database
from headland.identity import Issuer, granting, identity_app, store

pytestmark = pytest.mark.anyio

PUBLIC_URL = "https://headland.test:8443"
JWT_BEARER = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"


@pytest.fixture
def looked_through(monkeypatch):
    """Requests that were looked through, one entry each."""
    seen, real = [], granting.token_request
    monkeypatch.setattr(granting, "token_request", lambda *request: (seen.append(1), real(*request))[1])
    return seen


@pytest.fixture
async def drone(deployment):
    return await deployment.register()


@pytest.fixture
def as_drone(deployment, drone):
    return deployment.form(client_id=drone["clientId"], client_secret=drone["secret"])


@pytest.fixture
async def other_process(deployment):
    """The token endpoint of another worker process."""
    database = Database(deployment.database.url)
    issuer = Issuer(database, PUBLIC_URL, deployment.clock)
    app = identity_app(database, deployment.settings, issuer, deployment.clock)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=PUBLIC_URL) as client:
        yield client
    database.close()


async def test_the_same_request_is_looked_through_once(deployment, looked_through):
    tokens = {await deployment.token() for _ in range(3)}
    assert len(tokens) == 3
    # The first use of a secret is written behind, which is a commit.
    deployment.database.write_and_wait(lambda _: None)
    before = len(looked_through)
    tokens = {await deployment.token() for _ in range(3)}
    assert len(tokens) == 3
    assert len(looked_through) - before <= 1


@pytest.mark.parametrize(
    "change",
    [
        {"client_secret": "wrong"},
        {"client_id": "0a1b2c3d-0000-4000-8000-0123456789ab"},
        {"grant_type": "password"},
        {"scope": "https://unknown.example/.default"},
        {"client_secret": None},
    ],
)
async def test_a_request_that_differs_is_looked_through(deployment, change):
    for _ in range(2):
        await deployment.token()
        answer = await deployment.tokens.post(deployment.v2, data=deployment.form(**change))
        assert answer.status_code in {400, 401}


async def test_what_is_not_in_the_body_counts_too(deployment):
    form = deployment.form(client_secret=None)
    good = (deployment.first.client_id, deployment.first.secret)
    for _ in range(2):
        assert (await deployment.tokens.post(deployment.v2, data=form, auth=good)).status_code == 200
        wrong = await deployment.tokens.post(deployment.v2, data=form, auth=(good[0], "wrong"))
        assert wrong.status_code == 401
        assert (await deployment.tokens.post(deployment.v2, data=form)).status_code == 401
        elsewhere = await deployment.tokens.post("/nowhere.example/oauth2/v2.0/token", data=form, auth=good)
        assert elsewhere.status_code == 400
    await deployment.token()
    body = "&".join(f"{name}={value}" for name, value in deployment.form().items())
    as_text = await deployment.tokens.post(
        deployment.v2, content=body, headers={"content-type": "text/plain"}
    )
    assert as_text.status_code == 415


async def test_both_endpoints_know_their_own(deployment):
    form = {**deployment.form(), "resource": "https://farmbeats.azure.net"}
    for _ in range(2):
        v2 = (await deployment.tokens.post(deployment.v2, data=form)).json()
        v1 = (await deployment.tokens.post(deployment.v1, data=form)).json()
        assert "resource" not in v2
        assert v1["resource"] == "https://farmbeats.azure.net"


async def test_revocation_takes_effect_with_the_next_request(deployment, other_process, drone, as_drone):
    headers = await deployment.as_administrator()
    path = f"/applications/{drone['clientId']}"

    async def both() -> set[int]:
        here = await deployment.tokens.post(deployment.v2, data=as_drone)
        there = await other_process.post(deployment.v2, data=as_drone)
        return {here.status_code, there.status_code}

    for _ in range(2):
        assert await both() == {200}
    await deployment.admin.patch(path, json={"disabled": True}, headers=headers)
    assert await both() == {400}
    await deployment.admin.patch(path, json={"disabled": False}, headers=headers)
    assert await both() == {200}
    await deployment.admin.delete(f"{path}/secrets/{drone['secretId']}", headers=headers)
    assert await both() == {401}


async def test_a_secret_opens_nothing_after_it_has_expired(deployment, as_drone, drone):
    application = deployment.database.read(
        lambda connection: store.find_application(connection, drone["clientId"])
    )
    (secret,) = application.secrets
    deployment.clock.now = secret.expires_at / 1000 - 1
    for _ in range(3):
        assert (await deployment.tokens.post(deployment.v2, data=as_drone)).status_code == 200
    deployment.database.write_and_wait(lambda _: None)
    assert (await deployment.tokens.post(deployment.v2, data=as_drone)).status_code == 200
    deployment.clock.now += 1
    answer = await deployment.tokens.post(deployment.v2, data=as_drone)
    assert answer.json()["error_codes"] == [7000222]


async def test_an_assertion_is_looked_at_each_time(deployment, drone, looked_through):
    made = certificate()
    headers = await deployment.as_administrator()
    added = await deployment.admin.post(
        f"/applications/{drone['clientId']}/certificates",
        json={"certificate": pem_of(made)},
        headers=headers,
    )
    assert added.status_code == 201, added.text
    signer = Signer(drone["clientId"], f"{PUBLIC_URL}{deployment.v2}", made, rsa_key())
    form = deployment.form(
        client_id=drone["clientId"],
        client_secret=None,
        client_assertion=signer.assertion(deployment.clock.now),
        client_assertion_type=JWT_BEARER,
    )
    before = len(looked_through)
    for _ in range(3):
        assert (await deployment.tokens.post(deployment.v2, data=form)).status_code == 200
    assert len(looked_through) - before == 3
