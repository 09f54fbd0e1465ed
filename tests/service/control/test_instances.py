import pytest
from tests.databases import ON_EITHER

pytestmark = pytest.mark.anyio
WEST = {"location": "westeurope"}


async def test_an_instance_is_creating_until_its_store_is_laid_out(deployment):
    await deployment.ready()
    answer = await deployment.call("PUT", deployment.instance(), json={**WEST, "tags": {"crop": "rye"}})
    assert answer.status_code == 201
    made = answer.json()
    assert made["id"] == deployment.instance()
    assert (made["type"], made["location"]) == ("Microsoft.AgFoodPlatform/farmBeats", "westeurope")
    assert made["tags"] == {"crop": "rye"}
    assert made["properties"]["provisioningState"] == "Creating"
    assert made["properties"]["instanceUri"] == "https://headland.test:8443/farm/north-field"
    assert made["systemData"]["createdBy"] == deployment.administrator.object_id
    assert deployment.laid_out() == set()
    result = answer.headers["azure-asyncoperation"].removeprefix("https://headland.test:8443")
    assert answer.headers["retry-after"] == "1"
    assert (await deployment.client.get(result)).status_code == 401
    path = result.partition("?")[0]
    assert (await deployment.made("GET", path))["status"] == "Creating"
    deployment.deployer.work()
    assert (await deployment.made("GET", path))["status"] == "Succeeded"
    read = await deployment.made("GET", deployment.instance())
    assert read["properties"]["provisioningState"] == "Succeeded"
    assert len(deployment.laid_out()) == 1
    by_location = (
        f"{deployment.base}/providers/Microsoft.AgFoodPlatform/locations/westeurope/operationResults"
    )
    name = "resource-provisioning-id-north-field"
    assert (await deployment.made("GET", f"{by_location}/{name}"))["status"] == "Succeeded"
    elsewhere = by_location.replace("westeurope", "eastus")
    assert (await deployment.call("GET", f"{elsewhere}/{name}")).status_code == 404
    assert (await deployment.call("GET", f"{path}x")).status_code == 404


async def test_a_put_again_is_an_update(deployment):
    await deployment.ready("north-field")
    before = deployment.laid_out()
    answer = await deployment.call("PUT", deployment.instance(), json={**WEST, "tags": {"a": "b"}})
    assert (answer.status_code, answer.json()["tags"]) == (200, {"a": "b"})
    deployment.deployer.work()
    assert deployment.laid_out() == before


async def test_failure_is_a_state_with_a_reason_and_the_same_put_tries_again(deployment):
    await deployment.ready()
    deployment.stores.problem = OSError(28, "No space left on device", "/srv/secret/place")
    await deployment.made("PUT", deployment.instance(), json=WEST)
    deployment.deployer.work()
    read = await deployment.made("GET", deployment.instance())
    assert read["properties"]["provisioningState"] == "Failed"
    result = await deployment.made(
        "GET", f"{deployment.instance()}/operationResults/resource-provisioning-id-north-field"
    )
    assert result["status"] == "Failed"
    assert result["error"] == {"code": "DeploymentFailed", "message": "No space left on device"}
    deployment.stores.problem = None
    again = await deployment.call("PUT", deployment.instance(), json=WEST)
    assert (again.status_code, again.json()["properties"]["provisioningState"]) == (200, "Creating")
    deployment.deployer.work()
    read = await deployment.made("GET", deployment.instance())
    assert read["properties"]["provisioningState"] == "Succeeded"


async def test_deletion_takes_store_and_roles_and_frees_the_name(deployment, refused):
    await deployment.ready("north-field")
    reader = deployment.register()
    deployment.assign(reader, "7ec7ccdc-f61e-41fe-9aaf-980df0a44eba", deployment.instance())
    assert (await deployment.call("DELETE", deployment.instance())).status_code == 200
    refused(await deployment.call("GET", deployment.instance()), 404, "ResourceNotFound", "north-field")
    assert (await deployment.call("DELETE", deployment.instance())).status_code == 204
    deployment.deployer.work()
    assert deployment.laid_out() == set()
    await deployment.ready("north-field")
    listed = await deployment.made(
        "GET", f"{deployment.instance()}/providers/Microsoft.Authorization/roleAssignments"
    )
    assert reader.object_id not in str(listed)


async def test_deleted_before_it_was_laid_out(deployment):
    await deployment.ready()
    await deployment.made("PUT", deployment.instance(), json=WEST)
    await deployment.call("DELETE", deployment.instance())
    deployment.deployer.work()
    assert deployment.laid_out() == set()


async def test_only_tags_and_options_change_by_patch(deployment):
    await deployment.ready("north-field")
    change = {"tags": {"x": "y"}, "properties": {"sensorIntegration": {"enabled": "True"}}}
    changed = await deployment.made("PATCH", deployment.instance(), json=change)
    assert changed["tags"] == {"x": "y"}
    assert changed["properties"]["sensorIntegration"] == {"enabled": "True", "provisioningState": "Succeeded"}
    kept = await deployment.made("PATCH", deployment.instance(), json={})
    assert (kept["tags"], kept["properties"]) == (changed["tags"], changed["properties"])


@pytest.mark.parametrize(
    ("version", "body", "there", "missing"),
    [
        ("2020-05-12-preview", {"sku": {"name": "A0"}}, {"sku"}, {"publicNetworkAccess"}),
        (
            "2021-09-01-preview",
            {"properties": {"publicNetworkAccess": "Hybrid"}, "identity": {"type": "SystemAssigned"}},
            {"identity"},
            {"privateEndpointConnections", "sku"},
        ),
        ("2023-04-01-preview", {"properties": {"publicNetworkAccess": "Disabled"}}, set(), {"sku"}),
        ("2023-06-01-preview", {"identity": {"type": "SystemAssigned"}}, {"identity"}, {"sku"}),
    ],
)
async def test_shapes_by_version(deployment, version, body, there, missing):
    await deployment.ready()
    made = await deployment.made("PUT", deployment.instance(), json={**WEST, **body}, version=version)
    assert there <= set(made)
    assert not missing & {*made, *made["properties"]}
    assert ("privateEndpointConnections" in made["properties"]) == (version > "2023")
    for name, value in body.get("properties", {}).items():
        assert made["properties"][name] == value
    if "identity" in made:
        assert made["identity"]["tenantId"] == deployment.tenant
        again = await deployment.made("PUT", deployment.instance(), json={**WEST, **body}, version=version)
        assert again["identity"] == made["identity"]


async def test_a_generation_keeps_what_another_one_said(deployment):
    await deployment.ready()
    body = {**WEST, "properties": {"publicNetworkAccess": "Disabled"}}
    await deployment.made("PUT", deployment.instance(), json=body, version="2023-06-01-preview")
    old = {**WEST, "sku": {"name": "A0"}}
    await deployment.made("PUT", deployment.instance(), json=old, version="2020-05-12-preview")
    new = await deployment.made("GET", deployment.instance(), version="2023-06-01-preview")
    assert new["properties"]["publicNetworkAccess"] == "Disabled"
    assert (await deployment.made("GET", deployment.instance(), version="2020-05-12-preview"))["sku"] == {
        "name": "A0"
    }


@pytest.mark.parametrize(
    ("body", "status", "code", "text"),
    [
        ({}, 400, "LocationRequired", "location"),
        ({"location": "moon"}, 400, "LocationNotAvailableForResourceType", "'westeurope,eastus'"),
        ({"location": 7}, 400, "InvalidRequestContent", "location: expected string, got integer"),
        ({**WEST, "tags": {"a": 1}}, 400, "InvalidRequestContent", "tags"),
        ({**WEST, "tags": {"a?": "1"}}, 400, "InvalidTagNameCharacters", "a?"),
        ({**WEST, "tags": {"a": "1" * 257}}, 400, "InvalidTags", "256"),
        ({**WEST, "tags": {"a" * 513: "1"}}, 400, "InvalidTags", "512"),
        ({**WEST, "tags": {"a": "1", "A": "2"}}, 400, "InvalidTags", "case"),
        ({**WEST, "tags": {str(n): "" for n in range(51)}}, 400, "InvalidTags", "50"),
        ({**WEST, "identity": {"type": "Robot"}}, 400, "BadArgument", "identity.type"),
        ({**WEST, "properties": {"publicNetworkAccess": "x"}}, 400, "BadArgument", "publicNetworkAccess"),
        ({**WEST, "properties": {"sensorIntegration": {"enabled": "yes"}}}, 400, "BadArgument", "enabled"),
        (
            {**WEST, "properties": {"sensorIntegration": {"enabled": True}}},
            400,
            "InvalidRequestContent",
            "ena",
        ),
    ],
)
async def test_bad_bodies(deployment, refused, body, status, code, text):
    await deployment.ready()
    refused(await deployment.call("PUT", deployment.instance(), json=body), status, code, text)
    refused(await deployment.call("GET", deployment.instance()), 404, "ResourceNotFound")


@pytest.mark.parametrize("name", ["a_b", "-a", "a-", "a--b", "a" * 64, "ä"])
async def test_bad_names(deployment, refused, name):
    await deployment.ready()
    refused(await deployment.call("PUT", deployment.instance(name), json=WEST), 400, "InvalidResourceName")
    check = await deployment.made(
        "POST",
        f"{deployment.base}/providers/Microsoft.AgFoodPlatform/checkNameAvailability",
        json={"name": name, "type": "Microsoft.AgFoodPlatform/farmBeats"},
    )
    assert (check["nameAvailable"], check["reason"]) == (False, "Invalid")


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff", b"null"])
async def test_bodies_that_are_no_json_object(deployment, refused, content):
    await deployment.ready()
    answer = await deployment.call("PUT", deployment.instance(), content=content)
    refused(answer, 400, "InvalidRequestContent")


async def test_body_of_another_media_type(deployment, refused):
    headers = {"content-type": "text/xml"}
    answer = await deployment.call("PUT", deployment.group(), content=b"<a/>", headers=headers)
    refused(answer, 415, "UnsupportedMediaType", "text/xml")


async def test_body_too_large(deployment, refused):
    body = {"location": "westeurope", "tags": {"a": "x" * 2_000_000}}
    refused(await deployment.call("PUT", deployment.group(), json=body), 413, "RequestContentTooLarge")


async def test_names_are_unique_everywhere(deployment, refused):
    await deployment.ready("north-field")
    await deployment.made("PUT", deployment.group("barn"), json=WEST)
    answer = await deployment.call("PUT", deployment.instance("North-Field", "barn"), json=WEST)
    refused(answer, 409, "AlreadyExists", "An account named 'North-Field' is already in use.")
    refused(await deployment.call("GET", deployment.instance("north-field", "barn")), 404, "ResourceNotFound")
    assert (await deployment.call("DELETE", deployment.instance("north-field", "barn"))).status_code == 204
    assert (await deployment.call("GET", deployment.instance())).status_code == 200
    check = await deployment.made(
        "POST",
        f"{deployment.base}/providers/Microsoft.AgFoodPlatform/checkNameAvailability",
        json={"name": "NORTH-field", "type": "Microsoft.AgFoodPlatform/farmBeats"},
    )
    assert (check["nameAvailable"], check["reason"]) == (False, "AlreadyExists")


async def test_an_instance_stays_in_its_region(deployment, refused):
    await deployment.ready("north-field")
    answer = await deployment.call("PUT", deployment.instance(), json={"location": "eastus"})
    refused(answer, 409, "InvalidResourceLocation", "'westeurope'")


async def test_registration_is_demanded(deployment, refused):
    await deployment.made("PUT", deployment.group(), json=WEST)
    answer = await deployment.call("PUT", deployment.instance(), json=WEST)
    message = refused(answer, 409, "MissingSubscriptionRegistration")
    # As azure-mgmt-core reads it.
    assert message.split("'")[-2] == "Microsoft.AgFoodPlatform"
    detail = answer.json()["error"]["details"][0]
    assert (detail["code"], detail["target"]) == (
        "MissingSubscriptionRegistration",
        "Microsoft.AgFoodPlatform",
    )


async def test_review_makes_nothing(deployment, refused):
    await deployment.ready()
    review = await deployment.made(
        "POST", f"{deployment.instance()}/validate", json={"location": "West Europe"}
    )
    assert review["id"] == deployment.instance()
    assert (review["location"], review["exists"]) == ("westeurope", False)
    refused(await deployment.call("GET", deployment.instance()), 404, "ResourceNotFound")
    answer = await deployment.call("POST", f"{deployment.instance()}/validate", json={"location": "moon"})
    refused(answer, 400, "LocationNotAvailableForResourceType")


async def test_unknown_versions(deployment, refused):
    await deployment.ready("north-field")
    answer = await deployment.call("PUT", deployment.instance(), json=WEST, version="2031-01-01")
    refused(answer, 400, "NoRegisteredProviderFound", "location 'westeurope' and API version '2031-01-01'")
    answer = await deployment.call("GET", deployment.instance(), version="2031-01-01")
    refused(answer, 404, "InvalidResourceType", "2031-01-01")
    connectors = f"{deployment.instance()}/dataConnectors"
    refused(await deployment.call("GET", connectors), 404, "InvalidResourceType")
    assert await deployment.made("GET", connectors, version="2023-06-01-preview") == {"value": []}


@ON_EITHER
async def test_pages(deployment, refused):
    await deployment.ready(*(f"field-{number:02d}" for number in range(25)))
    path = f"{deployment.group()}/providers/Microsoft.AgFoodPlatform/farmBeats"
    seen: list[str] = []
    page = await deployment.made("GET", path, query={"$maxPageSize": "10"})
    while True:
        seen += [item["name"] for item in page["value"]]
        assert len(page["value"]) <= 10
        if "nextLink" not in page:
            break
        link = page["nextLink"].removeprefix("https://headland.test:8443")
        token = deployment.tokens[deployment.administrator.client_id]
        page = (await deployment.client.get(link, headers={"authorization": f"Bearer {token}"})).json()
    assert seen == sorted(f"field-{number:02d}" for number in range(25))
    for size in ("9", "1001", "x", "-1", "1e1"):
        answer = await deployment.call("GET", path, query={"$maxPageSize": size})
        refused(answer, 400, "InvalidQueryParameterValue", "$maxPageSize")
    answer = await deployment.call("GET", path, query={"$skipToken": "!!"})
    refused(answer, 400, "InvalidQueryParameterValue", "$skipToken")


async def test_terms_are_demanded_anew_when_they_change(deployment, refused):
    await deployment.ready("north-field")
    object.__setattr__(deployment.service, "terms", type(deployment.service.terms)("2", "Other terms."))
    answer = await deployment.call("PUT", deployment.instance("south-field"), json=WEST)
    refused(answer, 400, "ResourcePurchaseValidationFailed", deployment.subscription)
    assert (await deployment.call("PUT", deployment.instance(), json=WEST)).status_code == 200
    agreement = (
        f"{deployment.base}/providers/Microsoft.MarketplaceOrdering/offerTypes/virtualmachine/publishers/headland"
        "/offers/farmbeats/plans/terms/agreements/current"
    )
    assert (await deployment.made("GET", agreement))["properties"]["accepted"] is False
    old = {"properties": {"accepted": True, "signature": "1"}}
    refused(await deployment.call("PUT", agreement, json=old), 400, "BadArgument", "signature")
    good = {"properties": {"accepted": True, "signature": "2"}}
    assert (await deployment.made("PUT", agreement, json=good))["properties"]["accepted"] is True
    assert (await deployment.call("PUT", deployment.instance("south-field"), json=WEST)).status_code == 201


async def test_parts_are_lists_in_form(deployment, refused):
    await deployment.ready("north-field")
    at = deployment.instance()
    for kind in ("extensions", "solutions", "privateEndpointConnections", "privateLinkResources"):
        assert await deployment.made("GET", f"{at}/{kind}") == {"value": []}
    refused(await deployment.call("GET", f"{at}/extensions/DTN.X"), 404, "ResourceNotFound", "DTN.X")
    answer = await deployment.call("GET", f"{at}/privateEndpointConnections/x")
    refused(answer, 404, "PrivateEndpointConnectionNotFound")
    refused(await deployment.call("PUT", f"{at}/extensions/DTN.X"), 400, "NotSupported", "extensions")
    assert (await deployment.call("DELETE", f"{at}/extensions/DTN.X")).status_code == 204
    refused(
        await deployment.call("GET", f"{deployment.instance('none')}/extensions"), 404, "ResourceNotFound"
    )
    for kind in ("farmBeatsExtensionDefinitions", "farmBeatsSolutionDefinitions", "operations"):
        assert "value" in await deployment.made("GET", f"/providers/Microsoft.AgFoodPlatform/{kind}")
