import uuid

import pytest

pytestmark = pytest.mark.anyio
OWNER = "8e3af657-a8ff-443c-a75c-2fe8c4bcb635"
CONTRIBUTOR = "b24988ac-6180-42a0-ab88-20f7382dd24c"
USER_ACCESS = "18d7d88d-d35e-4fb5-a5c3-7773c20a72d9"
ADMIN = "f8da80de-1ff9-4747-ad80-a19b7f6079e3"
WRITER = "8508508a-4469-4e45-963b-2518ee0bb728"
READER = "7ec7ccdc-f61e-41fe-9aaf-980df0a44eba"
AUTHORIZATION = "providers/Microsoft.Authorization"


def body(role: str, who: str, **more: object) -> dict:
    return {
        "properties": {
            "roleDefinitionId": f"/providers/Microsoft.Authorization/roleDefinitions/{role}",
            "principalId": who,
            **more,
        }
    }


def at(scope: str, name: str | None = None) -> str:
    return f"{scope.rstrip('/')}/{AUTHORIZATION}/roleAssignments/{name or uuid.uuid4()}"


async def test_assigned_read_listed_removed(deployment, refused):
    await deployment.ready("north-field")
    drone = deployment.register()
    path = at(deployment.instance())
    answer = await deployment.call("PUT", path, json=body(READER, drone.object_id, description="Looks"))
    assert answer.status_code == 201
    made = answer.json()
    assert made["id"] == path
    assert made["type"] == "Microsoft.Authorization/roleAssignments"
    properties = made["properties"]
    assert properties["scope"] == deployment.instance()
    assert properties["roleDefinitionId"] == (f"{deployment.base}/{AUTHORIZATION}/roleDefinitions/{READER}")
    assert (properties["principalId"], properties["principalType"]) == (drone.object_id, "ServicePrincipal")
    assert (properties["description"], properties["createdBy"]) == (
        "Looks",
        deployment.administrator.object_id,
    )
    assert await deployment.made("GET", path.upper().replace(path[-36:].upper(), path[-36:])) == made
    again = await deployment.call("PUT", path, json=body(READER, drone.object_id))
    assert again.status_code == 200
    for query in (
        {"$filter": f"principalId eq '{drone.object_id}'"},
        {"$filter": f"assignedTo('{drone.object_id}')"},
        {"$filter": f"atScope() and assignedTo('{drone.object_id}')"},
    ):
        found = await deployment.made("GET", path.rpartition("/")[0], query=query)
        assert [item["name"] for item in found["value"]] == [made["name"]]
    below = await deployment.made("GET", f"{deployment.base}/{AUTHORIZATION}/roleAssignments")
    assert made["name"] in [item["name"] for item in below["value"]]
    query = {"$filter": "atScope()"}
    here = await deployment.made("GET", f"{deployment.base}/{AUTHORIZATION}/roleAssignments", query=query)
    assert made["name"] not in [item["name"] for item in here["value"]]
    deleted = await deployment.call("DELETE", path)
    assert (deleted.status_code, deleted.json()["name"]) == (200, made["name"])
    assert (await deployment.call("DELETE", path)).status_code == 204
    refused(await deployment.call("GET", path), 404, "RoleAssignmentNotFound")


async def test_one_data_role_for_an_application_and_an_instance(deployment, refused):
    await deployment.ready("north-field", "south-field")
    drone = deployment.register("Drone 7")
    first = at(deployment.instance())
    await deployment.made("PUT", first, json=body(READER, drone.object_id))
    same = await deployment.call("PUT", at(deployment.instance()), json=body(READER, drone.object_id))
    refused(same, 409, "RoleAssignmentExists", "The role assignment already exists.")
    for scope in (deployment.instance(), deployment.group(), deployment.base, "/"):
        second = await deployment.call("PUT", at(scope), json=body(WRITER, drone.object_id))
        message = refused(second, 409, "DataRoleConflict", "'AgFood Platform Service Reader'")
        assert "'Drone 7'" in message
        assert deployment.instance() in message
    # Elsewhere, or about something else, it may have another one.
    await deployment.made("PUT", at(deployment.instance("south-field")), json=body(WRITER, drone.object_id))
    await deployment.made("PUT", at(deployment.instance()), json=body(OWNER, drone.object_id))
    await deployment.call("DELETE", first)
    await deployment.made("PUT", at(deployment.instance()), json=body(ADMIN, drone.object_id))


async def test_an_assignment_is_not_turned_into_another(deployment, refused):
    await deployment.ready("north-field")
    drone, other = deployment.register(), deployment.register("Other")
    path = at(deployment.instance())
    await deployment.made("PUT", path, json=body(READER, drone.object_id))
    for changed in (body(WRITER, drone.object_id), body(READER, other.object_id)):
        refused(await deployment.call("PUT", path, json=changed), 409, "RoleAssignmentUpdateNotPermitted")
    elsewhere = at(deployment.group(), path[-36:])
    answer = await deployment.call("PUT", elsewhere, json=body(READER, drone.object_id))
    refused(answer, 409, "RoleAssignmentUpdateNotPermitted")
    assert (await deployment.call("DELETE", elsewhere)).status_code == 204
    assert (await deployment.call("GET", path)).status_code == 200


async def test_bad_assignments(deployment, refused):
    await deployment.ready("north-field")
    drone = deployment.register()
    here = deployment.instance()
    put = deployment.call
    good = body(READER, drone.object_id)
    refused(await put("PUT", at(here, "x"), json=good), 400, "BadArgument", "GUID")
    answer = await put("PUT", at(here), json=body(str(uuid.uuid4()), drone.object_id))
    refused(answer, 404, "RoleDefinitionDoesNotExist")
    answer = await put("PUT", at(here), json=body(READER, str(uuid.uuid4())))
    refused(answer, 400, "PrincipalNotFound", f"does not exist in the directory {deployment.tenant}")
    # Its client id is not what roles are assigned to.
    refused(await put("PUT", at(here), json=body(READER, drone.client_id)), 400, "PrincipalNotFound")
    refused(await put("PUT", at(here), json=body(READER, "me")), 400, "BadArgument", "principal ID")
    answer = await put("PUT", at(here), json=body(READER, drone.object_id, principalType="Group"))
    refused(answer, 400, "UnmatchedPrincipalType", "'Group'")
    answer = await put("PUT", at(here), json=body(READER, drone.object_id, principalType="Cow"))
    refused(answer, 400, "BadArgument", "'Cow'")
    answer = await put("PUT", at(here), json=body(READER, drone.object_id, condition="@x"))
    refused(answer, 400, "NotSupported", "condition")
    refused(await put("PUT", at(here), json={}), 400, "InvalidRequestContent", "properties")
    answer = await put("PUT", at(here), json={"properties": {"principalId": drone.object_id}})
    refused(answer, 400, "InvalidRequestContent", "properties.roleDefinitionId")
    answer = await put("PUT", at(deployment.instance("none")), json=good)
    refused(answer, 404, "ResourceNotFound")
    refused(await put("PUT", at(deployment.group("none")), json=good), 404, "ResourceGroupNotFound")
    refused(await put("PUT", at(f"/subscriptions/{uuid.uuid4()}"), json=good), 404, "SubscriptionNotFound")
    refused(await put("PUT", at("/subscriptions/x"), json=good), 400, "InvalidSubscriptionId")
    refused(await put("PUT", at("/somewhere"), json=good), 404, "NotFound", "/somewhere")


@pytest.mark.parametrize(("role", "may"), [(OWNER, True), (USER_ACCESS, True), (CONTRIBUTOR, False)])
async def test_who_may_assign(deployment, refused, role, may):
    await deployment.ready("north-field")
    boss, drone = deployment.register("Boss"), deployment.register()
    deployment.assign(boss, role, deployment.group())
    path = at(deployment.instance())
    answer = await deployment.call("PUT", path, json=body(READER, drone.object_id), who=boss)
    if may:
        assert answer.status_code == 201
        assert (await deployment.call("DELETE", path, who=boss)).status_code == 200
    else:
        message = refused(answer, 403, "AuthorizationFailed", "Microsoft.Authorization/roleAssignments/write")
        assert boss.client_id in message
        assert boss.object_id in message
        assert f"over scope '{deployment.instance()}'" in message


async def test_removal_takes_effect_at_once(deployment, refused):
    await deployment.ready()
    drone = deployment.register()
    path = at(deployment.group())
    await deployment.made("PUT", path, json=body(OWNER, drone.object_id))
    for _ in range(3):
        assert (await deployment.call("GET", deployment.group(), who=drone)).status_code == 200
    await deployment.call("DELETE", path)
    refused(await deployment.call("GET", deployment.group(), who=drone), 403, "AuthorizationFailed")


async def test_definitions(deployment, refused):
    base = f"{deployment.base}/{AUTHORIZATION}/roleDefinitions"
    everything = (await deployment.made("GET", base))["value"]
    assert len(everything) == 7
    for query, found in (
        ("roleName eq 'agfood platform service admin'", [ADMIN]),
        ("type eq 'CustomRole'", []),
        ("atScopeAndBelow() and roleName eq 'Owner'", [OWNER]),
    ):
        listed = await deployment.made("GET", base, query={"$filter": query})
        assert [item["name"] for item in listed["value"]] == found
    admin = await deployment.made("GET", f"{base}/{ADMIN}")
    assert admin["id"] == f"{base}/{ADMIN}"
    assert admin["properties"]["permissions"] == [
        {
            "actions": [],
            "notActions": [],
            "dataActions": ["Microsoft.AgFoodPlatform/*"],
            "notDataActions": [],
        }
    ]
    assert (await deployment.made("GET", f"/{AUTHORIZATION}/roleDefinitions/{ADMIN}"))["name"] == ADMIN
    refused(await deployment.call("GET", f"{base}/{uuid.uuid4()}"), 404, "RoleDefinitionDoesNotExist")
    refused(await deployment.call("PUT", f"{base}/{uuid.uuid4()}", json={}), 400, "NotSupported")


async def test_permissions_of_the_caller(deployment):
    await deployment.ready()
    drone = deployment.register()
    path = f"{deployment.group()}/{AUTHORIZATION}/permissions"
    assert (await deployment.made("GET", path, who=drone)) == {"value": []}
    deployment.assign(drone, READER, deployment.base)
    nowhere = path.replace("meadow", "nowhere")
    assert await deployment.made("GET", nowhere, who=deployment.register("Other")) == {"value": []}
    everything = await deployment.made("GET", path)
    assert [item["actions"] or item["dataActions"] for item in everything["value"]] == [
        ["Microsoft.AgFoodPlatform/*"],
        ["*"],
    ]
    (permission,) = (await deployment.made("GET", path, who=drone))["value"]
    assert "Microsoft.AgFoodPlatform/*/read" in permission["dataActions"]


async def test_a_role_at_the_root_is_about_its_own_tenant(deployment):
    await deployment.ready()
    stranger = deployment.register("Stranger")
    deployment.assign(stranger, OWNER, "/", tenant=str(uuid.uuid4()))
    assert (await deployment.call("GET", deployment.group(), who=stranger)).status_code == 403
    assert (await deployment.made("GET", "/subscriptions", who=stranger))["value"] == []


async def test_whoever_has_a_role_on_data_finds_its_instance(deployment):
    await deployment.ready("north-field")
    await deployment.ready("south-field")
    drone, manager = deployment.register("Drone"), deployment.register("Manager")

    async def found(who) -> list[str]:
        listed = await deployment.made("GET", "/control/instances", version=None, who=who)
        return [item["name"] for item in listed["value"]]

    assert (await found(None), await found(drone)) == (["north-field", "south-field"], [])
    path = at(deployment.instance("south-field"))
    await deployment.made("PUT", path, json=body(READER, drone.object_id))
    await deployment.made("PUT", at(deployment.base), json=body(OWNER, manager.object_id))
    # Whoever manages an instance has no role on its data by that.
    assert (await found(drone), await found(manager)) == (["south-field"], [])
    await deployment.made("DELETE", path)
    assert await found(drone) == []
