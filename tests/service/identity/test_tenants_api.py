"""Headland's own API of tenants: those of the first make others, those of others administer their own alone."""

import uuid

import pytest
from tests.databases import ON_BOTH

from headland.control.records import Subscription
from headland.control.rows import subscriptions
from headland.database import DatabaseUnavailableError
from headland.identity import Issuer

pytestmark = [ON_BOTH, pytest.mark.anyio]

PUBLIC_URL = "https://headland.test:8443"
NOBODY = "11111111-2222-3333-4444-555555555555"


@pytest.fixture
async def headers(deployment):
    return await deployment.as_administrator()


@pytest.fixture
async def orchard(deployment, headers) -> dict:
    made = await deployment.admin.post("/tenants", json={"name": "Orchard.Example"}, headers=headers)
    assert made.status_code == 201, made.text
    return made.json()


@pytest.fixture
async def gardener(deployment, headers, orchard) -> dict:
    """The orchard's own administrator: its ids, a secret, and headers with its token."""
    query = {"tenant": "orchard.example"}
    made = await deployment.admin.post(
        "/applications", params=query, json={"name": "Gardener", "administrator": True}, headers=headers
    )
    assert made.status_code == 201, made.text
    path = f"/applications/{made.json()['clientId']}"
    secret = await deployment.admin.post(f"{path}/secrets", params=query, json={}, headers=headers)
    form = deployment.form(client_id=made.json()["clientId"], client_secret=secret.json()["secret"])
    answer = await deployment.tokens.post(f"/{orchard['tenantId']}/oauth2/v2.0/token", data=form)
    assert answer.status_code == 200, answer.text
    token = answer.json()["access_token"]
    return {**made.json(), "token": token, "headers": {"authorization": f"Bearer {token}"}, "form": form}


async def test_tenant_has_every_field(deployment, headers):
    deployment.clock.now += 1
    answer = await deployment.admin.post("/tenants", json={"name": "Orchard"}, headers=headers)
    body = answer.json()
    assert answer.headers["location"] == f"/identity/tenants/{body['tenantId']}"
    me = deployment.verifier.verify(headers["authorization"][7:], frozenset({PUBLIC_URL}))
    assert body == {
        "tenantId": body["tenantId"],
        "name": "Orchard",
        "createdAt": "2027-01-15T08:00:01Z",
        "createdBy": me.object_id,
    }
    listed = (await deployment.admin.get("/tenants", headers=headers)).json()["tenants"]
    assert listed[1] == body
    assert (listed[0]["name"], listed[0]["createdBy"]) == ("meadow.example", None)
    for named in (body["tenantId"].upper(), "ORCHARD"):
        read = await deployment.admin.get(f"/tenants/{named}", headers=headers)
        assert (read.status_code, read.json()) == (200, body)


async def test_new_tenant_is_known_at_once_to_every_process(deployment, headers):
    other_process = Issuer(deployment.database, PUBLIC_URL)
    before = await deployment.tokens.get("/orchard/v2.0/.well-known/openid-configuration")
    assert before.json()["error_codes"] == [90002]
    made = (await deployment.admin.post("/tenants", json={"name": "Orchard"}, headers=headers)).json()
    after = await deployment.tokens.get("/orchard/v2.0/.well-known/openid-configuration")
    assert after.json()["issuer"] == f"{PUBLIC_URL}/{made['tenantId']}/v2.0"
    assert other_process.tenant("ORCHARD").id == made["tenantId"]
    assert other_process.issued(f"{PUBLIC_URL}/{made['tenantId']}/", made["tenantId"])
    await deployment.admin.patch(f"/tenants/{made['tenantId']}", json={"name": "Garden"}, headers=headers)
    assert other_process.tenant("garden").id == made["tenantId"]
    await deployment.admin.delete("/tenants/garden", headers=headers)
    assert not other_process.issued(f"{PUBLIC_URL}/{made['tenantId']}/", made["tenantId"])
    gone = await deployment.tokens.get("/garden/discovery/keys")
    assert gone.json()["error_codes"] == [90002]


async def test_tenants_that_are_known_stay_known_while_the_database_is_away(deployment, monkeypatch):
    def away(_query):
        raise DatabaseUnavailableError("gone")

    assert deployment.issuer.tenant("meadow.example")
    monkeypatch.setattr(deployment.database, "read", away)
    assert deployment.issuer.tenant("meadow.example").id == deployment.tenant
    assert deployment.issuer.issued(f"{PUBLIC_URL}/{deployment.tenant}/", deployment.tenant)


async def test_administrator_of_another_tenant_administers_that_alone(deployment, headers, gardener, orchard):
    principal = deployment.verifier.verify(gardener["token"], frozenset({PUBLIC_URL}))
    assert principal.tenant_id == orchard["tenantId"]
    # The services ask this before they show anybody everybody's.
    assert not principal.administrator
    assert principal.tenant_administrator
    own = gardener["headers"]
    listed = (await deployment.admin.get("/tenants", headers=own)).json()["tenants"]
    assert [tenant["name"] for tenant in listed] == ["Orchard.Example"]
    applications = (await deployment.admin.get("/applications", headers=own)).json()["applications"]
    assert [application["name"] for application in applications] == ["Gardener"]
    assert (
        await deployment.admin.post("/applications", json={"name": "Spade"}, headers=own)
    ).status_code == 201
    for method, path, body in (
        ("POST", "/tenants", {"name": "Mine"}),
        ("PATCH", f"/tenants/{orchard['tenantId']}", {"name": "Mine"}),
        ("DELETE", f"/tenants/{orchard['tenantId']}", None),
    ):
        answer = await deployment.admin.request(method, path, json=body, headers=own)
        assert (answer.status_code, answer.json()) == (
            403,
            {"msg": "Only an administrator of the first tenant may do this."},
        )
    for path in (f"/tenants/{deployment.tenant}", "/applications?tenant=meadow.example"):
        answer = await deployment.admin.get(path, headers=own)
        assert (answer.status_code, answer.json()) == (404, {"msg": "There is no such tenant."})
    nobodys = await deployment.admin.get(f"/applications?tenant={NOBODY}", headers=headers)
    assert nobodys.status_code == 404


async def test_operator_looks_after_another_tenants_applications(deployment, headers, gardener, orchard):
    path = f"/applications/{gardener['clientId']}"
    query = {"tenant": orchard["tenantId"]}
    assert (await deployment.admin.get(path, headers=headers)).status_code == 404
    shown = await deployment.admin.get(path, params=query, headers=headers)
    assert shown.json()["tenantName"] == "Orchard.Example"
    # Its own administrator can't; an operator can, and can always make another.
    own = await deployment.admin.delete(path, headers=gardener["headers"])
    assert own.status_code == 409
    disabled = await deployment.admin.patch(path, params=query, json={"disabled": True}, headers=headers)
    assert disabled.json()["disabled"] is True
    assert (await deployment.admin.delete(path, params=query, headers=headers)).status_code == 204


async def test_tenant_is_deleted_when_it_is_empty(deployment, headers, gardener, orchard):
    path = f"/tenants/{orchard['tenantId']}"
    answer = await deployment.admin.delete(path, headers=headers)
    assert answer.status_code == 409
    assert f"application {gardener['clientId']} belongs to it" in answer.json()["msg"]
    await deployment.admin.delete(
        f"/applications/{gardener['clientId']}", params={"tenant": orchard["name"]}, headers=headers
    )
    assert (await deployment.admin.delete(path, headers=headers)).status_code == 204
    assert (await deployment.admin.get(path, headers=headers)).status_code == 404
    # The token is still out, and opens nothing.
    gone = await deployment.admin.get("/applications", headers=gardener["headers"])
    assert gone.status_code in {401, 403}


async def test_a_subscription_keeps_its_tenant(deployment, headers, gardener, orchard):
    made = Subscription(str(uuid.uuid4()), orchard["tenantId"], "Orchard", 0)
    deployment.database.write_and_wait(lambda connection: subscriptions.add(connection, made))
    await deployment.admin.delete(
        f"/applications/{gardener['clientId']}", params={"tenant": orchard["name"]}, headers=headers
    )
    path = f"/tenants/{orchard['tenantId']}"
    answer = await deployment.admin.delete(path, headers=headers)
    assert (answer.status_code, made.id in answer.json()["msg"]) == (409, True)
    assert (await deployment.admin.get("/tenants/orchard.example", headers=headers)).status_code == 200
    deployment.database.write_and_wait(lambda connection: subscriptions.remove(connection, made.id))
    assert (await deployment.admin.delete(path, headers=headers)).status_code == 204


async def test_first_tenant_is_never_empty(deployment, headers):
    answer = await deployment.admin.delete(f"/tenants/{deployment.tenant}", headers=headers)
    assert answer.status_code == 409


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("", (400, "name: must have between 1 and 120 characters.")),
        ("a\nb", (400, "name: must not contain control characters.")),
        ("common", (400, "name: must be neither a GUID nor a word that stands for any tenant.")),
        ("Organizations", (400, "name: must be neither a GUID nor a word that stands for any tenant.")),
        (NOBODY, (400, "name: must be neither a GUID nor a word that stands for any tenant.")),
        ("MEADOW.example", (409, "name: another tenant has that name.")),
    ],
)
async def test_bad_names_are_refused(deployment, headers, orchard, name, expected):
    status, problem = expected
    created = await deployment.admin.post("/tenants", json={"name": name}, headers=headers)
    assert (created.status_code, created.json()) == (status, {"msg": problem})
    renamed = await deployment.admin.patch(
        f"/tenants/{orchard['tenantId']}", json={"name": name}, headers=headers
    )
    assert (renamed.status_code, renamed.json()) == (status, {"msg": problem})


async def test_tenant_may_get_its_own_name_in_another_case(deployment, headers, orchard):
    answer = await deployment.admin.patch(
        "/tenants/orchard.example", json={"name": "orchard.example"}, headers=headers
    )
    assert (answer.status_code, answer.json()["name"]) == (200, "orchard.example")


async def test_application_gets_tokens_of_its_own_tenant_wherever_it_asks(deployment, gardener, orchard):
    own = await deployment.tokens.post("/organizations/oauth2/v2.0/token", data=gardener["form"])
    token = own.json()["access_token"]
    principal = deployment.verifier.verify(token, frozenset({PUBLIC_URL}))
    assert principal.tenant_id == orchard["tenantId"]
    elsewhere = await deployment.tokens.post(deployment.v2, data=gardener["form"])
    assert elsewhere.json()["error_codes"] == [700016]
    nobody = {**gardener["form"], "client_id": NOBODY}
    unknown = await deployment.tokens.post("/common/oauth2/v2.0/token", data=nobody)
    assert unknown.json()["error_codes"] == [700016]
