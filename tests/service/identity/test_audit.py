"""Every administrative change is on record, without secrets, and the record is read through its own API."""

import sqlite3

import httpx
import pytest
from tests.service.identity import keys

from headland.audit import audit_app
from headland.identity import reset_administrator
from headland.security import Guard

pytestmark = pytest.mark.anyio

PUBLIC_URL = "https://headland.test:8443"


@pytest.fixture
async def audit(deployment):
    app = audit_app(deployment.database, Guard(deployment.verifier, frozenset({PUBLIC_URL})))
    transport = httpx.ASGITransport(app, raise_app_exceptions=False, client=("192.0.2.7", 1))
    headers = await deployment.as_administrator()
    async with httpx.AsyncClient(transport=transport, base_url=PUBLIC_URL, headers=headers) as client:
        yield client


async def entries(audit, **query) -> list[dict]:
    answer = await audit.get("/entries", params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()["entries"]


async def test_the_first_start_is_on_record(audit, deployment):
    found = await entries(audit)
    assert [entry["action"] for entry in reversed(found)] == [
        "tenant.created",
        "key.published",
        "application.registered",
        "secret.added",
    ]
    assert {entry["source"] for entry in found} == {"headland serve"}
    assert {entry["byClientId"] for entry in found} == {None}


async def test_a_life_of_an_application_is_on_record_without_its_secrets(audit, deployment):
    deployment.clock.now += 1
    drone = await deployment.register("Drone")
    headers = await deployment.as_administrator()
    path = f"/applications/{drone['clientId']}"
    for body in ({"name": "Kite"}, {"disabled": True}, {"disabled": False}, {"disabled": False}):
        assert (await deployment.admin.patch(path, json=body, headers=headers)).status_code == 200
    gone = await deployment.admin.delete(f"{path}/secrets/{drone['secretId']}", headers=headers)
    assert gone.status_code == 204
    assert (await deployment.admin.delete(path, headers=headers)).status_code == 204

    found = [entry for entry in await entries(audit) if entry["at"] == "2027-01-15T08:00:01Z"]
    shown = {"name": "Drone", "administrator": False, "disabled": False}
    assert [(e["action"], e["before"], e["after"]) for e in reversed(found)] == [
        ("application.registered", None, shown),
        ("secret.added", None, {"name": None, "expiresAt": 1_863_072_001_000}),
        ("application.renamed", {"name": "Drone"}, {"name": "Kite"}),
        ("application.disabled", {"disabled": False}, {"disabled": True}),
        ("application.enabled", {"disabled": True}, {"disabled": False}),
        ("secret.revoked", {"name": None, "expiresAt": 1_863_072_001_000}, None),
        ("application.deleted", {**shown, "name": "Kite"}, None),
    ]
    targets = {
        f"application/{drone['clientId']}",
        f"application/{drone['clientId']}/secret/{drone['secretId']}",
    }
    assert {entry["target"] for entry in found} == targets
    me = deployment.verifier.verify(headers["authorization"][7:], frozenset({PUBLIC_URL}))
    for entry in found:
        assert entry["byClientId"] == me.client_id
        assert entry["byObjectId"] == me.object_id
        assert entry["byTenantId"] == entry["tenantId"] == deployment.tenant
        assert entry["source"] == "127.0.0.1"
        assert drone["secret"] not in str(entry)
    with sqlite3.connect(deployment.database.url.removeprefix("sqlite:///")) as connection:
        assert drone["secret"] not in "\n".join(connection.iterdump())
    connection.close()


async def test_certificates_are_on_record(audit, deployment):
    drone = await deployment.register()
    headers = await deployment.as_administrator()
    certificate = keys.certificate()
    path = f"/applications/{drone['clientId']}/certificates"
    body = {"certificate": keys.pem_of(certificate), "name": "field"}
    made = (await deployment.admin.post(path, json=body, headers=headers)).json()
    assert (await deployment.admin.delete(f"{path}/{made['id']}", headers=headers)).status_code == 204
    removed, added, *_ = await entries(audit)
    shown = {
        "name": "field",
        "subject": made["subject"],
        "thumbprint": made["thumbprint"],
        "expiresAt": 1_802_592_000_000,
    }
    assert (added["action"], added["before"], added["after"]) == ("certificate.added", None, shown)
    assert (removed["action"], removed["before"], removed["after"]) == ("certificate.removed", shown, None)
    assert added["target"] == f"application/{drone['clientId']}/certificate/{made['id']}" == removed["target"]
    assert added["byClientId"] == removed["byClientId"] == deployment.first.client_id


async def test_a_life_of_a_tenant_is_on_record(audit, deployment):
    headers = await deployment.as_administrator()
    tenant = (await deployment.admin.post("/tenants", json={"name": "Orchard"}, headers=headers)).json()
    path = f"/tenants/{tenant['tenantId']}"
    for name in ("Garden", "Garden"):
        assert (await deployment.admin.patch(path, json={"name": name}, headers=headers)).status_code == 200
    assert (await deployment.admin.delete(path, headers=headers)).status_code == 204
    found = await entries(audit, target=f"tenant/{tenant['tenantId']}")
    assert [(e["action"], e["before"], e["after"]) for e in reversed(found)] == [
        ("tenant.created", None, {"name": "Orchard"}),
        ("tenant.renamed", {"name": "Orchard"}, {"name": "Garden"}),
        ("tenant.deleted", {"name": "Garden"}, None),
    ]
    for entry in found:
        assert entry["tenantId"] == tenant["tenantId"]
        assert (entry["byClientId"], entry["byTenantId"]) == (deployment.first.client_id, deployment.tenant)


async def test_a_tenants_administrator_sees_its_own_tenants_changes_and_those_that_concern_all(
    audit, deployment
):
    headers = await deployment.as_administrator()
    await deployment.admin.post("/tenants", json={"name": "Orchard"}, headers=headers)
    query = {"tenant": "Orchard"}
    body = {"name": "Gardener", "administrator": True}
    made = (await deployment.admin.post("/applications", params=query, json=body, headers=headers)).json()
    path = f"/applications/{made['clientId']}/secrets"
    secret = (await deployment.admin.post(path, params=query, json={}, headers=headers)).json()["secret"]
    form = deployment.form(client_id=made["clientId"], client_secret=secret)
    answer = await deployment.tokens.post("/orchard/oauth2/v2.0/token", data=form)
    own = {"authorization": f"Bearer {answer.json()['access_token']}"}
    seen = (await audit.get("/entries", headers=own)).json()["entries"]
    assert [entry["action"] for entry in reversed(seen)] == [
        "key.published",
        "tenant.created",
        "application.registered",
        "secret.added",
    ]
    assert {entry["tenantId"] for entry in seen} == {None, made["tenantId"]}
    # Who administers the deployment sees them all.
    assert len(await entries(audit)) == 7
    assert (await audit.get("/verification", headers=own)).status_code == 403


async def test_what_is_refused_leaves_no_trace(audit, deployment):
    before = await entries(audit)
    headers = await deployment.as_administrator()
    path = f"/applications/{deployment.first.client_id}"
    assert (await deployment.admin.delete(path, headers=headers)).status_code == 409
    assert (await deployment.admin.patch(path, json={"name": ""}, headers=headers)).status_code == 400
    assert (
        await deployment.admin.post("/applications", json={"name": ""}, headers=headers)
    ).status_code == 400
    for missing in ("secrets/x", "certificates/x"):
        assert (await deployment.admin.delete(f"{path}/{missing}", headers=headers)).status_code == 404
    own = f"/tenants/{deployment.tenant}"
    assert (await deployment.admin.delete(own, headers=headers)).status_code == 409
    assert (await deployment.admin.patch(own, json={"name": "common"}, headers=headers)).status_code == 400
    assert await entries(audit) == before


async def test_a_reset_and_a_rotation_are_on_record(audit, deployment):
    now = int(deployment.clock() * 1000)
    deployment.database.write_and_wait(
        lambda connection: reset_administrator(connection, deployment.settings, now)
    )
    headers = await deployment.as_administrator()
    await deployment.admin.post("/keys", json={}, headers=headers)
    rotation, reset, *_ = await entries(audit)
    assert (reset["action"], reset["source"]) == ("secret.added", "headland reset-administrator")
    assert (rotation["action"], rotation["byClientId"]) == ("key.published", deployment.first.client_id)
    assert rotation["after"] == {"activatesAt": 1_800_086_400_000}
    assert rotation["tenantId"] is None


async def test_pages_and_filters(audit, deployment):
    for number in range(5):
        deployment.clock.now += 1
        await deployment.register(f"Drone {number}")
    everything = await entries(audit)
    assert [entry["sequence"] for entry in everything] == list(range(14, 0, -1))
    pages, before = [], {}
    while True:
        answer = (await audit.get("/entries", params={"size": 4, **before})).json()
        pages.append(answer["entries"])
        if answer["next"] is None:
            break
        before = {"before": answer["next"]}
    assert [len(page) for page in pages] == [4, 4, 4, 2]
    assert [entry for page in pages for entry in page] == everything
    assert len(await entries(audit, action="secret.added")) == 6
    assert await entries(audit, target=everything[3]["target"]) == [everything[3]]
    assert len(await entries(audit, by=deployment.first.client_id)) == 10
    assert await entries(audit, by="nobody") == []
    recent = await entries(audit, since="2027-01-15T09:00:04+01:00")
    assert recent == everything[:4]
    assert await entries(audit, until="2027-01-15T08:00:01Z") == everything[10:]


@pytest.mark.parametrize(
    ("path", "query", "text"),
    [
        ("/entries", {"size": "0"}, "size: must be a whole number between 1 and 1000"),
        ("/entries", {"size": "1001"}, "size: "),
        ("/entries", {"size": "²"}, "size: "),
        ("/entries", {"before": "-1"}, "before: "),
        ("/entries", {"since": "yesterday"}, "since: must be a moment"),
        ("/entries", {"until": "2027-01-15T08:00:00"}, "until: must name its offset"),
        ("/entries", {"actor": "x"}, "actor: there is no such parameter"),
        ("/entries", [("size", "1"), ("size", "2")], "size: stands there twice"),
        ("/verification", {"expect": "1"}, "expect: "),
        ("/verification", {"expect": f"0:{'0' * 64}"}, "expect: "),
    ],
)
async def test_a_bad_parameter_is_named(audit, path, query, text):
    answer = await audit.get(path, params=query)
    assert answer.status_code == 400
    assert answer.json()["msg"].startswith(text), answer.text


async def test_the_trail_is_checked(audit, deployment):
    await deployment.register()
    newest, *_ = await entries(audit)
    good = {"intact": True, "entries": 6, "hash": newest["hash"], "problem": None}
    noted = f"6:{newest['hash']}"
    assert (await audit.get("/verification")).json() == good
    assert (await audit.get("/verification", params={"expect": noted})).json() == good
    await deployment.register()
    assert (await audit.get("/verification", params={"expect": noted})).json()["intact"]
    forged = (await audit.get("/verification", params={"expect": f"6:{'0' * 64}"})).json()
    assert forged["problem"] == "entry 6 is not the one that was there once"
    cut = (await audit.get("/verification", params={"expect": f"99:{'0' * 64}"})).json()
    assert (cut["intact"], cut["problem"]) == (
        False,
        "the trail ends with entry 8, but entry 99 was there once",
    )


async def test_whoever_edits_the_file_is_found_out(audit, deployment):
    await deployment.register()
    connection = sqlite3.connect(deployment.database.url.removeprefix("sqlite:///"))
    connection.execute("DROP TRIGGER audit_entry_stays")
    connection.execute("UPDATE audit_entry SET by_client_id = NULL WHERE sequence = 5")
    connection.commit()
    connection.close()
    answer = (await audit.get("/verification")).json()
    assert answer["intact"] is False
    assert answer["problem"].startswith("entry 5 is not what was recorded")


async def test_nobody_but_administrators_reads_it_and_nobody_changes_it(audit, deployment):
    drone = await deployment.register()
    token = await deployment.token(client_id=drone["clientId"], client_secret=drone["secret"])
    for path in ("/entries", "/verification"):
        answer = await audit.get(path, headers={"authorization": f"Bearer {token}"})
        assert answer.status_code == 403
        assert (await audit.get(path, headers={"authorization": ""})).status_code == 401
        for method in ("POST", "PUT", "PATCH", "DELETE"):
            assert (await audit.request(method, path, json={})).status_code == 405
    assert (await audit.delete("/entries/1")).status_code == 404
