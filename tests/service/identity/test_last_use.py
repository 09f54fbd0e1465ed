"""When applications and credentials were last used: to the minute, and without a durable write for each token."""

import httpx
import pytest
from tests.service.identity.keys import Signer, certificate, pem_of, rsa_key

from headland.database import DatabaseUnavailableError
from headland.identity import FailedAttempts, SecretChecker, identity_app, store

pytestmark = pytest.mark.anyio

PUBLIC_URL = "https://headland.test:8443"
START = 1_800_000_000_000
JWT_BEARER = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"


@pytest.fixture
def last_used(deployment):
    """When the administrator, and its only secret, were last used."""

    def look() -> tuple[int | None, int | None]:
        deployment.database.write_and_wait(lambda _: None)
        found = deployment.database.read(
            lambda connection: store.find_application(connection, deployment.first.client_id)
        )
        return found.last_used_at, found.secrets[0].last_used_at

    return look


@pytest.fixture
def submitted(deployment, monkeypatch):
    """Writes in the background, one entry each."""
    seen = []
    real = deployment.database.write_behind
    monkeypatch.setattr(
        deployment.database, "write_behind", lambda change, failed: (seen.append(1), real(change, failed))
    )
    return seen


async def test_use_is_written_once_a_minute(deployment, last_used, submitted):
    assert last_used() == (None, None)
    for _ in range(5):
        await deployment.token()
        deployment.clock.now += 11
    assert last_used() == (START, START)
    assert len(submitted) == 1
    deployment.clock.now += 5
    await deployment.token()
    assert last_used() == (START + 60_000, START + 60_000)
    assert len(submitted) == 2


async def test_processes_do_not_write_what_another_has_written(deployment, last_used):
    await deployment.token()
    other = identity_app(deployment.database, deployment.settings, deployment.issuer, deployment.clock)
    deployment.clock.now += 30
    transport = httpx.ASGITransport(other)
    async with httpx.AsyncClient(transport=transport, base_url=PUBLIC_URL) as client:
        assert (await client.post(deployment.v2, data=deployment.form())).status_code == 200
    assert last_used() == (START, START)


async def test_failed_attempts_are_no_use(deployment, last_used):
    await deployment.tokens.post(deployment.v2, data=deployment.form(client_secret="wrong"))
    assert last_used() == (None, None)


async def test_http_basic_on_the_private_listener_is_a_use(deployment, last_used):
    checker = SecretChecker(deployment.database, FailedAttempts(5), deployment.clock)
    assert await checker.check_secret(
        deployment.first.client_id.upper(), deployment.first.secret, "192.0.2.1"
    )
    assert last_used() == (START, START)


async def test_each_credential_is_told_apart(deployment):
    drone = await deployment.register()
    headers = await deployment.as_administrator()
    path = f"/applications/{drone['clientId']}"
    made = certificate()
    await deployment.admin.post(f"{path}/certificates", json={"certificate": pem_of(made)}, headers=headers)
    signer = Signer(drone["clientId"], f"{PUBLIC_URL}{deployment.v2}", made, rsa_key())
    form = deployment.form(
        client_id=drone["clientId"],
        client_secret=None,
        client_assertion=signer.assertion(deployment.clock.now),
        client_assertion_type=JWT_BEARER,
    )
    assert (await deployment.tokens.post(deployment.v2, data=form)).status_code == 200
    deployment.database.write_and_wait(lambda _: None)
    application = (await deployment.admin.get(path, headers=headers)).json()
    (registered,) = (await deployment.admin.get(f"{path}/certificates", headers=headers)).json()[
        "certificates"
    ]
    assert application["lastUsedAt"] == registered["lastUsedAt"] == "2027-01-15T08:00:00Z"
    assert application["secrets"][0]["lastUsedAt"] is None


async def test_a_database_that_takes_no_writes_keeps_nobody_from_a_token(deployment, last_used, monkeypatch):
    def full(connection, *_):
        raise DatabaseUnavailableError("full")

    with monkeypatch.context() as broken:
        broken.setattr("headland.identity.usage._write", full)
        await deployment.token()
        assert last_used() == (None, None)
    await deployment.token()
    assert last_used() == (START, START)
