"""A token that was found good before is not taken any more once its application may not call."""

import pytest
from tests.databases import ON_BOTH

from headland.database import Database, DatabaseUnavailableError
from headland.identity import Issuer, applications
from headland.security import TokenError, Verifier

pytestmark = [ON_BOTH, pytest.mark.anyio]

PUBLIC_URL = "https://headland.test:8443"
AUDIENCES = frozenset({PUBLIC_URL})


@pytest.fixture
def other_process(deployment):
    """The verifier of another worker process."""
    database = Database(deployment.database.url)
    yield Verifier([Issuer(database, PUBLIC_URL).trusted()], deployment.clock)
    database.close()


@pytest.fixture
async def drone(deployment):
    made = await deployment.register()
    return {
        **made,
        "path": f"/applications/{made['clientId']}",
        "token": await deployment.token(client_id=made["clientId"], client_secret=made["secret"]),
    }


async def test_disabling_takes_effect_at_once_in_every_process(deployment, other_process, drone):
    headers = await deployment.as_administrator()
    verifiers = (deployment.verifier, other_process)
    for verifier in verifiers:
        assert verifier.verify(drone["token"], AUDIENCES).client_id == drone["clientId"]
    await deployment.admin.patch(drone["path"], json={"disabled": True}, headers=headers)
    for verifier in verifiers:
        with pytest.raises(TokenError, match="disabled or deleted"):
            verifier.verify(drone["token"], AUDIENCES)
        assert verifier.verify(headers["authorization"][7:], AUDIENCES).administrator
    await deployment.admin.patch(drone["path"], json={"disabled": False}, headers=headers)
    for verifier in verifiers:
        assert verifier.verify(drone["token"], AUDIENCES).client_id == drone["clientId"]


async def test_deleting_takes_effect_at_once_in_every_process(deployment, other_process, drone):
    headers = await deployment.as_administrator()
    verifiers = (deployment.verifier, other_process)
    for verifier in verifiers:
        verifier.verify(drone["token"], AUDIENCES)
    assert (await deployment.admin.delete(drone["path"], headers=headers)).status_code == 204
    for verifier in verifiers:
        with pytest.raises(TokenError, match="disabled or deleted"):
            verifier.verify(drone["token"], AUDIENCES)


async def test_a_token_outlives_the_secret_it_was_issued_for(deployment, other_process, drone):
    headers = await deployment.as_administrator()
    path = f"{drone['path']}/secrets/{drone['secretId']}"
    assert (await deployment.admin.delete(path, headers=headers)).status_code == 204
    assert other_process.verify(drone["token"], AUDIENCES).client_id == drone["clientId"]


async def test_an_application_of_another_tenant_or_object_does_not_stand_for_it(deployment, drone):
    principal = deployment.verifier.verify(drone["token"], AUDIENCES)

    def replace(connection):
        applications.delete(connection, principal.tenant_id, principal.client_id)

    deployment.database.write_and_wait(replace)
    assert deployment.issuer.resolve(principal) is None


async def test_what_is_known_counts_while_nothing_has_changed(deployment, drone, monkeypatch):
    """No look at the application for each request: that would cost more than the rest of the check."""
    looked, remembered = [], deployment.database.read_remembered
    monkeypatch.setattr(
        deployment.database,
        "read_remembered",
        lambda key, *query: (looked.append(key), remembered(key, *query))[1],
    )
    for _ in range(3):
        deployment.verifier.verify(drone["token"], AUDIENCES)
    assert looked.count(("application", drone["clientId"])) == 1


async def test_without_its_database_nobody_is_let_in(deployment, drone, monkeypatch):
    deployment.verifier.verify(drone["token"], AUDIENCES)

    def away(*_):
        raise DatabaseUnavailableError("disk I/O error")

    monkeypatch.setattr(deployment.database, "read_remembered", away)
    answer = await deployment.admin.get(
        "/applications", headers={"authorization": f"Bearer {drone['token']}"}
    )
    assert answer.status_code == 503
    assert answer.headers["retry-after"] == "1"
