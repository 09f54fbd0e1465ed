import httpx
import pytest
import sqlalchemy as sa

from headland.control import tables

pytestmark = pytest.mark.anyio
WEST = {"location": "westeurope"}


async def test_made_read_changed_listed(deployment, refused):
    made = await deployment.call("PUT", deployment.group("Meadow"), json={**WEST, "tags": {"a": "b"}})
    assert made.status_code == 201
    assert made.json() == {
        "id": deployment.group("Meadow"),
        "name": "Meadow",
        "type": "Microsoft.Resources/resourceGroups",
        "location": "westeurope",
        "tags": {"a": "b"},
        "properties": {"provisioningState": "Succeeded"},
    }
    again = await deployment.call("PUT", deployment.group("MEADOW"), json={"location": "West Europe"})
    assert (again.status_code, again.json()["name"], again.json()["tags"]) == (200, "Meadow", {})
    assert (await deployment.call("HEAD", deployment.group("meadow"))).status_code == 204
    assert (await deployment.call("HEAD", deployment.group("barn"))).status_code == 404
    changed = await deployment.made("PATCH", deployment.group(), json={"tags": {"x": "y"}})
    assert changed["tags"] == {"x": "y"}
    listed = await deployment.made("GET", f"{deployment.base}/resourcegroups")
    assert listed == {"value": [changed]}
    refused(await deployment.call("GET", deployment.group("barn")), 404, "ResourceGroupNotFound", "'barn'")
    refused(await deployment.call("PATCH", deployment.group("barn"), json={}), 404, "ResourceGroupNotFound")


@pytest.mark.parametrize(
    ("name", "body", "status", "code", "text"),
    [
        ("meadow", {}, 400, "LocationRequired", "location"),
        ("meadow", {"location": "moon"}, 400, "LocationNotAvailableForResourceGroup", "'moon'"),
        ("meadow", {"location": ["x"]}, 400, "InvalidRequestContent", "location"),
        ("mea$dow", WEST, 400, "InvalidResourceGroup", "'$'"),
        ("meadow.", WEST, 400, "InvalidResourceGroup", "'.'"),
        ("m" * 91, WEST, 400, "InvalidResourceGroup", "91"),
        ("meadow", {**WEST, "tags": {"": "x"}}, 400, "InvalidTags", "empty"),
        ("meadow", {**WEST, "tags": {"a\x01": "x"}}, 400, "InvalidTagNameCharacters", "control"),
        ("meadow", {**WEST, "tags": ["x"]}, 400, "InvalidRequestContent", "tags"),
    ],
)
async def test_bad_groups(deployment, refused, name, body, status, code, text):
    refused(await deployment.call("PUT", deployment.group(name), json=body), status, code, text)
    assert (await deployment.made("GET", f"{deployment.base}/resourcegroups"))["value"] == []


async def test_a_group_stays_in_its_region(deployment, refused):
    await deployment.ready()
    answer = await deployment.call("PUT", deployment.group(), json={"location": "eastus"})
    refused(answer, 409, "InvalidResourceGroupLocation", "'westeurope'")


async def test_names_in_other_scripts(deployment):
    made = await deployment.call("PUT", deployment.group("Äcker_(1).x-y"), json=WEST)
    assert made.status_code == 201, made.text
    assert (await deployment.made("GET", deployment.group("äcker_(1).X-y")))["name"] == "Äcker_(1).x-y"


async def test_deletion_is_work_that_takes_everything(deployment, refused):
    await deployment.ready("north-field", "south-field")
    worker = deployment.register()
    deployment.assign(worker, "8e3af657-a8ff-443c-a75c-2fe8c4bcb635", deployment.group())
    answer = await deployment.call("DELETE", deployment.group(), who=worker)
    assert answer.status_code == 202
    assert answer.headers["retry-after"] == "1"
    path = httpx.URL(answer.headers["location"]).path
    group = await deployment.made("GET", deployment.group())
    assert group["properties"]["provisioningState"] == "Deleting"
    assert (await deployment.made("GET", f"{deployment.group()}/resources"))["value"] == []
    refused(await deployment.call("GET", deployment.instance()), 404, "ResourceNotFound")
    refused(
        await deployment.call("PUT", deployment.instance("x"), json=WEST), 409, "ResourceGroupBeingDeleted"
    )
    refused(await deployment.call("PUT", deployment.group(), json=WEST), 409, "ResourceGroupBeingDeleted")
    # Its roles are gone with the group, and it may ask even so; nobody else may.
    assert (await deployment.call("GET", path, who=worker)).status_code == 202
    refused(await deployment.call("GET", path, who=deployment.register("Other")), 404, "NotFound")
    assert len(deployment.laid_out()) == 2
    deployment.deployer.work()
    assert (await deployment.call("GET", path, who=worker)).status_code == 200
    assert (await deployment.call("GET", path)).status_code == 200
    refused(await deployment.call("GET", deployment.group()), 404, "ResourceGroupNotFound")
    assert deployment.laid_out() == set()
    left = deployment.database.read(
        lambda connection: [
            connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one()
            for table in (tables.resource_group, tables.instance, tables.instance_store)
        ]
    )
    assert left == [0, 0, 0]


async def test_an_empty_group_is_gone_at_once(deployment):
    await deployment.ready()
    answer = await deployment.call("DELETE", deployment.group())
    assert (await deployment.call("GET", httpx.URL(answer.headers["location"]).path)).status_code == 200
    assert (await deployment.call("HEAD", deployment.group())).status_code == 404


async def test_a_deletion_that_fails_says_so_and_is_tried_again(deployment, refused):
    await deployment.ready("north-field")
    deployment.stores.problem = PermissionError(13, "Permission denied")
    answer = await deployment.call("DELETE", deployment.group())
    path = httpx.URL(answer.headers["location"]).path
    assert deployment.deployer.work() <= 1.0
    refused(await deployment.call("GET", path), 409, "ResourceGroupDeletionBlocked", "Permission denied")
    deployment.stores.problem = None
    deployment.deployer.work()
    assert (await deployment.call("HEAD", deployment.group())).status_code == 204
    deployment.clock.now += 2
    deployment.deployer.work()
    assert (await deployment.call("HEAD", deployment.group())).status_code == 404


#: Filters of the resources in `test_resources_by_filter`, and the names that they find.
FILTERS = (
    ("name eq 'North-Field'", ["north-field"]),
    ("name ne 'north-field'", ["south-field"]),
    ("resourceType eq 'microsoft.agfoodplatform/FARMBEATS'", ["north-field", "south-field"]),
    ("resourceType eq 'Microsoft.Storage/storageAccounts'", []),
    ("tagName eq 'crop'", ["north-field", "south-field"]),
    ("tagName eq 'crop' and tagValue eq 'rye'", ["north-field"]),
    ("tagName eq 'other' and tagValue eq 'rye'", []),
    ("substringof('south', name)", ["south-field"]),
    ("substringof('mea', resourceGroup)", ["north-field", "south-field"]),
    ("startswith(tagName, 'cr')", ["north-field", "south-field"]),
    ("name eq 'north-field' or name eq 'south-field' and location eq 'eastus'", ["north-field"]),
)


async def test_resources_by_filter(deployment):
    await deployment.ready("north-field", "south-field")
    for name, crop in (("north-field", "rye"), ("south-field", "oats")):
        await deployment.made("PATCH", deployment.instance(name), json={"tags": {"crop": crop}})
    for path in (f"{deployment.group()}/resources", f"{deployment.base}/resources"):
        for text, names in FILTERS:
            found = await deployment.made("GET", path, query={"$filter": text})
            assert [item["name"] for item in found["value"]] == names, text


@pytest.mark.parametrize(
    "text",
    ["x", "name eq", "name eq 'a", "name gt 'a'", "colour eq 'red'", "f('x')", "name eq 'a' name", "("],
)
async def test_bad_filters(deployment, refused, text):
    await deployment.ready()
    answer = await deployment.call("GET", f"{deployment.group()}/resources", query={"$filter": text})
    refused(answer, 400, "InvalidFilterInQueryString", text)


async def test_expanded_members(deployment, refused):
    await deployment.ready("north-field")
    path = f"{deployment.group()}/resources"
    (plain,) = (await deployment.made("GET", path))["value"]
    assert not {"createdTime", "changedTime", "provisioningState"} & set(plain)
    everything = {"$expand": "createdTime,changedTime, provisioningState"}
    (full,) = (await deployment.made("GET", path, query=everything))["value"]
    assert full["createdTime"] == full["changedTime"] == "2027-01-15T08:00:00.000Z"
    assert full["provisioningState"] == "Succeeded"
    answer = await deployment.call("GET", path, query={"$expand": "secrets"})
    refused(answer, 400, "InvalidQueryParameterValue", "$expand")


async def test_top_is_a_page(deployment):
    await deployment.ready("a", "b", "c")
    page = await deployment.made("GET", f"{deployment.base}/resources", query={"$top": "2"})
    assert [item["name"] for item in page["value"]] == ["a", "b"]
    assert "$skipToken" in httpx.URL(page["nextLink"]).params


async def test_resources_stay_in_their_group(deployment, refused):
    await deployment.ready("north-field")
    answer = await deployment.call("POST", f"{deployment.group()}/moveResources", json={})
    refused(answer, 400, "InvalidRequestContent", "moving them is not supported")
