"""What is changed on the control plane is on record by the same transaction."""

import json
import uuid

import pytest

from headland.audit import store
from headland.control import Terms
from headland.control.roles import ROLES

pytestmark = pytest.mark.anyio

PROVIDER = "Microsoft.AgFoodPlatform"
READER = next(role for role in ROLES if role.name == "AgFood Platform Service Reader")
WEST = {"location": "westeurope"}
GROUP = {"location": "westeurope", "tags": {}, "managedBy": None}


def entries(deployment) -> list:
    return deployment.database.read(lambda connection: store.following(connection, 0, 1000))


def told(found) -> list[tuple]:
    """Action, target, before and after."""
    return [
        (entry.action, entry.target, *(text and json.loads(text) for text in (entry.before, entry.after)))
        for entry in found
    ]


async def changes(deployment, *calls, status: int | None = None) -> list:
    """The entries that these calls have made."""
    before = len(entries(deployment))
    for method, path, body in calls:
        version = None if path.startswith("/control") else "2021-09-01-preview"
        answer = await deployment.call(method, path, json=body, version=version)
        assert answer.status_code == status if status else answer.is_success, answer.text
    return entries(deployment)[before:]


async def test_the_first_start(deployment):
    made, accepted, owner = entries(deployment)[-3:]
    assert told([made]) == [("subscription.created", deployment.base, None, {"displayName": "Meadow"})]
    version = deployment.service.terms.version
    assert told([accepted]) == [("terms.accepted", deployment.base, None, {"version": version})]
    assert owner.action == "role.assigned"
    assert json.loads(owner.after) == {
        "role": "Owner",
        "principalId": deployment.administrator.object_id,
        "description": None,
    }
    assert {entry.source for entry in (made, accepted, owner)} == {"headland serve"}
    assert {entry.tenant_id for entry in (made, accepted, owner)} == {deployment.tenant}


async def test_a_life_of_a_group_and_of_instances(deployment):
    register = f"{deployment.base}/providers/{PROVIDER}/register"
    group, north, south = deployment.group(), deployment.instance("north"), deployment.instance("south")
    tags = {"crop": "rye"}
    found = await changes(
        deployment,
        ("POST", register, None),
        ("POST", register, None),
        ("PUT", group, WEST),
        ("PUT", group, WEST),
        ("PATCH", group, {"tags": tags}),
        ("PUT", north, WEST),
        ("PUT", south, WEST),
        ("PATCH", north, {"tags": tags}),
        ("PATCH", north, {"tags": tags}),
        ("DELETE", north, None),
        ("DELETE", north, None),
        ("DELETE", group, None),
    )
    shown = {"location": "westeurope", "tags": {}, "options": {}}
    assert told(found) == [
        ("provider.registered", f"{deployment.base}/providers/{PROVIDER}", None, None),
        ("group.created", group, None, GROUP),
        ("group.changed", group, {"tags": {}}, {"tags": tags}),
        ("instance.created", north, None, shown),
        ("instance.created", south, None, shown),
        ("instance.changed", north, {"tags": {}}, {"tags": tags}),
        ("instance.deleted", north, {**shown, "tags": tags}, None),
        ("group.deleted", group, {**GROUP, "tags": tags, "instances": ["south"]}, None),
    ]
    for entry in found:
        assert entry.by_object_id == deployment.administrator.object_id
        assert (entry.tenant_id, entry.source) == (deployment.tenant, "127.0.0.1")
    (gone,) = await changes(deployment, ("POST", f"{deployment.base}/providers/{PROVIDER}/unregister", None))
    assert gone.action == "provider.unregistered"


async def test_roles(deployment):
    await deployment.ready("north")
    drone = deployment.register()
    authorization = "providers/Microsoft.Authorization"
    path = f"{deployment.instance('north')}/{authorization}/roleAssignments/{uuid.uuid4()}"

    def body(description: str) -> dict:
        role = f"/{authorization}/roleDefinitions/{READER.id}"
        asked = {"roleDefinitionId": role, "principalId": drone.object_id, "description": description}
        return {"properties": asked}

    found = await changes(
        deployment,
        ("PUT", path, body("Looks")),
        ("PUT", path, body("Looks")),
        ("PUT", path, body("Watches")),
        ("DELETE", path, None),
        ("DELETE", path, None),
    )
    shown = {"role": READER.name, "principalId": drone.object_id, "description": "Looks"}
    assert told(found) == [
        ("role.assigned", path, None, shown),
        ("role.described", path, {"description": "Looks"}, {"description": "Watches"}),
        ("role.removed", path, {**shown, "description": "Watches"}, None),
    ]


async def test_requests_and_terms(deployment, monkeypatch):
    version = deployment.service.terms.version
    wanted = {"displayName": "Hill", "reason": "Soil", "acceptTerms": version}
    (asked,) = await changes(deployment, ("POST", "/control/access-requests", wanted))
    (request,) = (await deployment.made("GET", "/control/access-requests", version=None))["value"]
    target, hill = f"access-request/{request['id']}", request["subscriptionId"]
    after = {"subscriptionId": hill, "displayName": "Hill"}
    assert told([asked]) == [("access.requested", target, None, after)]
    approve = ("POST", f"/control/access-requests/{request['id']}/approve", {})
    found = await changes(deployment, approve, approve)
    after = {
        "state": "Approved",
        "subscriptionId": hill,
        "requestedBy": deployment.administrator.object_id,
    }
    assert told(found) == [("access.approved", target, {"state": "Pending"}, after)]
    sign = (
        f"{deployment.base}/providers/Microsoft.MarketplaceOrdering"
        "/agreements/headland/offers/farmbeats/plans/terms/sign"
    )
    assert await changes(deployment, ("POST", sign, None)) == []
    monkeypatch.setitem(vars(deployment.service), "terms", Terms("2", "Other terms"))
    signed = await changes(deployment, ("POST", sign, None), ("POST", sign, None))
    assert told(signed) == [("terms.accepted", deployment.base, None, {"version": "2"})]


async def test_what_is_refused_leaves_no_trace(deployment):
    await deployment.ready("north")
    assert not await changes(deployment, ("PUT", deployment.group(), {"location": "mars"}), status=400)
    elsewhere = {"location": "eastus"}
    assert not await changes(deployment, ("PUT", deployment.instance("north"), elsewhere), status=409)
    unregister = f"{deployment.base}/providers/{PROVIDER}/unregister"
    assert not await changes(deployment, ("POST", unregister, None), status=409)
