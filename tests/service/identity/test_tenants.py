"""Tenants are kept apart: what belongs to one does not exist for another."""

from dataclasses import replace

import pytest

from headland.identity import Issuer, applications, store
from headland.identity.records import Tenant

pytestmark = pytest.mark.anyio

PUBLIC_URL = "https://headland.test:8443"
OTHER = Tenant("11111111-2222-3333-4444-555555555555", "other.example", 1_900_000_000_000, "an administrator")


@pytest.fixture
def foreign(database):
    """An application of another tenant, and its secret."""

    def add(connection):
        store.add_tenant(connection, OTHER)
        made = applications.register(
            connection, OTHER.id, "Foreign", administrator=True, created_by=None, now=0
        )
        return made, applications.add_secret(
            connection, OTHER.id, made.client_id, name=None, lifetime_days=3650, now=1_800_000_000_000
        )

    return database.write_and_wait(add)


async def test_administrator_neither_sees_nor_changes_another_tenants_applications(deployment, foreign):
    application, secret = foreign
    headers = await deployment.as_administrator()
    listed = (await deployment.admin.get("/applications", headers=headers)).json()["applications"]
    assert [entry["clientId"] for entry in listed] == [deployment.first.client_id]
    path = f"/applications/{application.client_id}"
    for method, where, body in (
        ("GET", path, None),
        ("PATCH", path, {"name": "x"}),
        ("DELETE", path, None),
        ("POST", f"{path}/secrets", {}),
        ("GET", f"{path}/secrets", None),
        ("DELETE", f"{path}/secrets/{secret.record.id}", None),
    ):
        answer = await deployment.admin.request(method, where, json=body, headers=headers)
        assert answer.status_code == 404, (method, where)
    kept = deployment.database.read(
        lambda connection: store.find_application(connection, application.client_id)
    )
    assert kept == replace(application, secrets=(secret.record,))


async def test_another_tenants_administrator_does_not_keep_ours_from_being_the_last(deployment, foreign):
    assert foreign[0].administrator
    answer = await deployment.admin.delete(
        f"/applications/{deployment.first.client_id}", headers=await deployment.as_administrator()
    )
    assert answer.status_code == 409


async def test_application_gets_tokens_at_its_own_tenant_alone(deployment, foreign):
    application, secret = foreign
    issuer = Issuer(deployment.database, PUBLIC_URL)
    assert issuer.tenant("Other.Example") == OTHER
    assert issuer.issued(f"{PUBLIC_URL}/{OTHER.id}/", OTHER.id)
    form = deployment.form(client_id=application.client_id, client_secret=secret.value)
    answer = await deployment.tokens.post(deployment.v2, data=form)
    assert answer.json()["error_codes"] == [700016]


async def test_administrator_of_a_tenant_that_is_not_here_is_refused(deployment, monkeypatch):
    headers = await deployment.as_administrator()
    monkeypatch.setattr("headland.identity.store.tenants", lambda _connection: [OTHER])
    answer = await deployment.admin.get("/applications", headers=headers)
    assert answer.status_code == 403
