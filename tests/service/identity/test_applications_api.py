"""Headland's own API of applications and secrets."""

import json
from pathlib import Path

import pytest
import structlog

from headland.database import DatabaseUnavailableError
from headland.identity import ADMIN_API
from headland.identity.admin_service import STATUS
from headland.identity.errors import IdentityError, NotAdministratorError

pytestmark = pytest.mark.anyio

NOBODY = "11111111-2222-3333-4444-555555555555"


@pytest.fixture
async def headers(deployment):
    return await deployment.as_administrator()


async def test_application_has_every_field(deployment, headers):
    made = await deployment.admin.post(
        "/applications", json={"name": "Drone", "administrator": True}, headers=headers
    )
    assert made.status_code == 201
    body = made.json()
    assert made.headers["location"] == f"/identity/applications/{body['clientId']}"
    me = deployment.verifier.verify(headers["authorization"][7:], frozenset({"https://headland.test:8443"}))
    assert body == {
        "clientId": body["clientId"],
        "tenantId": deployment.tenant,
        "tenantName": "meadow.example",
        "objectId": body["objectId"],
        "name": "Drone",
        "administrator": True,
        "disabled": False,
        "createdAt": "2027-01-15T08:00:00Z",
        "createdBy": me.object_id,
        "lastUsedAt": None,
        "secrets": [],
    }
    assert body["clientId"] != body["objectId"]
    read = await deployment.admin.get(f"/applications/{body['clientId'].upper()}", headers=headers)
    assert (read.status_code, read.json()) == (200, body)


async def test_list_has_all_applications_oldest_first(deployment, headers):
    deployment.clock.now += 1
    drone = await deployment.register("Drone")
    deployment.clock.now += 1
    await deployment.register("Tractor")
    listed = (await deployment.admin.get("/applications", headers=headers)).json()["applications"]
    assert [application["name"] for application in listed] == ["Administrator", "Drone", "Tractor"]
    assert listed[0]["createdBy"] is None
    assert [secret["id"] for secret in listed[1]["secrets"]] == [drone["secretId"]]


async def test_secret_is_shown_once_and_stored_nowhere(deployment, headers):
    drone = await deployment.register()
    path = f"/applications/{drone['clientId']}/secrets"
    # Secrets are listed by age.
    deployment.clock.now += 1
    made = await deployment.admin.post(path, json={"name": "Spring", "lifetimeDays": 2}, headers=headers)
    body = made.json()
    assert made.status_code == 201
    assert made.headers["cache-control"] == "no-store"
    assert made.headers["location"] == f"/identity{path}/{body['id']}"
    assert len(body["secret"]) == 43
    assert body == {
        "id": body["id"],
        "secret": body["secret"],
        "hint": body["secret"][:3],
        "name": "Spring",
        "createdAt": "2027-01-15T08:00:01Z",
        "expiresAt": "2027-01-17T08:00:01Z",
        "clientId": drone["clientId"],
        "tenantId": deployment.tenant,
    }
    listed = await deployment.admin.get(path, headers=headers)
    me = deployment.verifier.verify(headers["authorization"][7:], frozenset({"https://headland.test:8443"}))
    assert listed.json()["secrets"][1] == {
        "id": body["id"],
        "name": "Spring",
        "hint": body["hint"],
        "createdAt": body["createdAt"],
        "createdBy": me.object_id,
        "expiresAt": body["expiresAt"],
        "lastUsedAt": None,
    }
    application = await deployment.admin.get(f"/applications/{drone['clientId']}", headers=headers)
    assert application.json()["secrets"] == listed.json()["secrets"]
    assert body["secret"] not in listed.text + application.text
    file = Path(deployment.database.url.removeprefix("sqlite:///"))
    kept = b"".join(part.read_bytes() for part in file.parent.glob(file.name + "*"))
    assert body["hint"].encode() in kept
    assert body["secret"].encode() not in kept


async def test_secret_lives_as_long_as_the_settings_say_unless_asked_otherwise(deployment, headers):
    drone = await deployment.register()
    listed = await deployment.admin.get(f"/applications/{drone['clientId']}/secrets", headers=headers)
    (secret,) = listed.json()["secrets"]
    assert secret["name"] is None
    assert (secret["createdAt"], secret["expiresAt"]) == ("2027-01-15T08:00:00Z", "2029-01-14T08:00:00Z")


async def test_patch_changes_what_it_names_and_no_more(deployment, headers):
    drone = await deployment.register("Drone")
    path = f"/applications/{drone['clientId']}"
    renamed = await deployment.admin.patch(path, json={"name": "Kite"}, headers=headers)
    assert (renamed.json()["name"], renamed.json()["disabled"]) == ("Kite", False)
    disabled = await deployment.admin.patch(path, json={"disabled": True}, headers=headers)
    assert (disabled.json()["name"], disabled.json()["disabled"]) == ("Kite", True)
    same = await deployment.admin.patch(path, json={}, headers=headers)
    assert (same.status_code, same.json()) == (200, disabled.json())
    enabled = await deployment.admin.patch(path, json={"disabled": False}, headers=headers)
    assert enabled.json()["disabled"] is False


async def test_delete_takes_the_secrets_along(deployment, headers):
    drone = await deployment.register()
    path = f"/applications/{drone['clientId']}"
    deleted = await deployment.admin.delete(path, headers=headers)
    assert (deleted.status_code, deleted.content) == (204, b"")
    assert (await deployment.admin.get(path, headers=headers)).status_code == 404
    rows = deployment.database.read(
        lambda connection: connection.exec_driver_sql("SELECT client_id FROM secret").scalars().all()
    )
    assert list(rows) == [deployment.first.client_id]


async def test_last_administrator_stays(deployment, headers):
    path = f"/applications/{deployment.first.client_id}"
    for attempt in (
        deployment.admin.delete(path, headers=headers),
        deployment.admin.patch(path, json={"disabled": True}, headers=headers),
    ):
        answer = await attempt
        assert answer.status_code == 409
        assert "last administrator" in answer.json()["msg"]
    other = await deployment.register("Other", administrator=True)
    other_path = f"/applications/{other['clientId']}"
    await deployment.admin.patch(other_path, json={"disabled": True}, headers=headers)
    assert (await deployment.admin.delete(path, headers=headers)).status_code == 409
    await deployment.admin.patch(other_path, json={"disabled": False}, headers=headers)
    assert (await deployment.admin.delete(path, headers=headers)).status_code == 204


async def test_failed_change_changes_nothing(deployment, headers):
    path = f"/applications/{deployment.first.client_id}"
    answer = await deployment.admin.patch(path, json={"name": "New", "disabled": True}, headers=headers)
    assert answer.status_code == 409
    assert (await deployment.admin.get(path, headers=headers)).json()["name"] == "Administrator"


@pytest.mark.parametrize(
    ("method", "path"),
    [(operation.method, operation.path) for operation in ADMIN_API.operations],
)
async def test_every_operation_demands_an_administrator(deployment, method, path):
    drone = await deployment.register()
    path = path.replace("{clientId}", drone["clientId"]).replace("{secretId}", drone["secretId"])
    path = path.replace("{certificateId}", drone["secretId"]).replace("{tenant}", deployment.tenant)
    nobody = await deployment.admin.request(method, path)
    assert nobody.status_code == 401
    assert nobody.headers["www-authenticate"].startswith("Bearer ")
    assert "msg" in nobody.json()
    forged = await deployment.admin.request(method, path, headers={"authorization": "Bearer a.b.c"})
    assert forged.status_code == 401
    token = await deployment.token(client_id=drone["clientId"], client_secret=drone["secret"])
    plain = await deployment.admin.request(method, path, headers={"authorization": f"Bearer {token}"})
    assert plain.status_code == 403
    assert plain.json() == {"msg": "Only an administrator may do this."}
    others = await deployment.token(scope="https://farmbeats.azure.net/.default")
    elsewhere = await deployment.admin.request(method, path, headers={"authorization": f"Bearer {others}"})
    assert elsewhere.status_code == 401


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ({}, "name"),
        ({"name": ""}, "name"),
        ({"name": "   "}, "name"),
        ({"name": "x" * 121}, "name"),
        ({"name": "a\nb"}, "name"),
        ({"name": "a\u2028b"}, "name"),
        ({"name": 5}, "name"),
        ({"name": "x", "administrator": "yes"}, "administrator"),
        ({"name": "x", "colour": "red"}, "colour"),
    ],
)
async def test_bad_registration_names_the_field(deployment, headers, body, named):
    answer = await deployment.admin.post("/applications", json=body, headers=headers)
    assert answer.status_code == 400
    assert answer.json()["msg"].startswith(named + ": "), answer.text
    listed = (await deployment.admin.get("/applications", headers=headers)).json()["applications"]
    assert len(listed) == 1


@pytest.mark.parametrize("name", ["x", "x" * 120, "Drône 🛩 (north)"])
async def test_good_names_are_kept_as_they_are(deployment, headers, name):
    answer = await deployment.admin.post("/applications", json={"name": name}, headers=headers)
    assert answer.json()["name"] == name


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ({"lifetimeDays": 0}, "lifetimeDays"),
        ({"lifetimeDays": 3651}, "lifetimeDays"),
        ({"lifetimeDays": 1.5}, "lifetimeDays"),
        ({"lifetimeDays": True}, "lifetimeDays"),
        ({"name": ""}, "name"),
        ({"secret": "mine"}, "secret"),
    ],
)
async def test_bad_secret_names_the_field(deployment, headers, body, named):
    path = f"/applications/{deployment.first.client_id}/secrets"
    answer = await deployment.admin.post(path, json=body, headers=headers)
    assert answer.status_code == 400
    assert answer.json()["msg"].startswith(named + ": "), answer.text


@pytest.mark.parametrize(
    ("body", "named"), [({"name": None}, "name"), ({"disabled": 1}, "disabled"), ({"id": "x"}, "id")]
)
async def test_bad_change_names_the_field(deployment, headers, body, named):
    path = f"/applications/{deployment.first.client_id}"
    answer = await deployment.admin.patch(path, json=body, headers=headers)
    assert answer.status_code == 400
    assert answer.json()["msg"].startswith(named + ": "), answer.text


@pytest.mark.parametrize(
    ("content", "media_type", "status"),
    [
        (b"{", "application/json", 400),
        (b"", "application/json", 400),
        (b"[]", "application/json", 400),
        (b"\xff", "application/json", 400),
        (b"name=x", "application/x-www-form-urlencoded", 415),
        (b'{"name":"' + b"x" * 1_048_576 + b'"}', "application/json", 413),
    ],
)
async def test_bad_body_is_refused(deployment, headers, content, media_type, status):
    answer = await deployment.admin.post(
        "/applications", content=content, headers={**headers, "content-type": media_type}
    )
    assert answer.status_code == status
    assert answer.json()["msg"]


@pytest.mark.parametrize("client_id", [NOBODY, "x"])
async def test_unknown_application_is_not_found(deployment, headers, client_id):
    path = f"/applications/{client_id}"
    for method, where, body in (
        ("GET", path, None),
        ("PATCH", path, {"name": "x"}),
        ("DELETE", path, None),
        ("GET", f"{path}/secrets", None),
        ("POST", f"{path}/secrets", {}),
        ("DELETE", f"{path}/secrets/{NOBODY}", None),
    ):
        answer = await deployment.admin.request(method, where, json=body, headers=headers)
        assert (answer.status_code, answer.json()) == (404, {"msg": "There is no such application."})


async def test_secret_is_revoked_at_its_own_application_alone(deployment, headers):
    drone = await deployment.register()
    foreign = f"/applications/{deployment.first.client_id}/secrets/{drone['secretId']}"
    answer = await deployment.admin.delete(foreign, headers=headers)
    assert (answer.status_code, answer.json()) == (404, {"msg": "The application has no such secret."})
    await deployment.token(client_id=drone["clientId"], client_secret=drone["secret"])


async def test_wrong_method_and_unknown_path_answer_in_json(deployment, headers):
    answer = await deployment.admin.put("/applications", headers=headers)
    assert answer.status_code == 405
    assert answer.headers["allow"] == "GET, HEAD, POST"
    assert "msg" in answer.json()
    assert (await deployment.admin.get("/nothing")).json() == {"msg": "There is nothing at /nothing."}


async def test_changes_are_logged_without_secrets(deployment, headers):
    with structlog.testing.capture_logs() as logs:
        drone = await deployment.register()
        path = f"/applications/{drone['clientId']}"
        await deployment.admin.patch(path, json={"disabled": True}, headers=headers)
        await deployment.admin.delete(f"{path}/secrets/{drone['secretId']}", headers=headers)
        await deployment.admin.delete(path, headers=headers)
    changes = [line for line in logs if not line["event"].startswith("token.")]
    assert [line["event"] for line in changes] == [
        "application.registered",
        "secret.added",
        "application.disabled",
        "secret.revoked",
        "application.deleted",
    ]
    assert all(
        line["target"].startswith(f"application/{drone['clientId']}")
        and (line["tenant"], line["by"]) == (deployment.tenant, deployment.first.client_id)
        for line in changes
    )
    assert drone["secret"] not in json.dumps(logs)


async def test_locked_database_is_told_as_a_passing_trouble(deployment, headers, monkeypatch):
    async def unavailable(_change):
        raise DatabaseUnavailableError("locked")

    monkeypatch.setattr(deployment.database, "write", unavailable)
    answer = await deployment.admin.post("/applications", json={"name": "x"}, headers=headers)
    assert answer.status_code == 503
    assert answer.headers["retry-after"] == "1"


def test_every_rule_has_a_status():
    # The last one is raised to operators at the command line alone.
    assert set(STATUS) == set(IdentityError.__subclasses__()) - {NotAdministratorError}
