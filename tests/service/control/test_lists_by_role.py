"""Lists show everybody what its own roles let it read, as the public service's do."""

from urllib.parse import parse_qs, urlsplit

import pytest

from headland.control.roles import CONTRIBUTOR, READER, SERVICE_READER

pytestmark = pytest.mark.anyio


async def _names(deployment, who, path: str) -> list[str]:
    found = await deployment.made("GET", path, who=who)
    return [item["name"] for item in found["value"]]


async def test_who_has_a_role_at_a_group_sees_that_group(deployment, refused):
    await deployment.ready("north-field")
    await deployment.made("PUT", deployment.group("barn"), json={"location": "westeurope"})
    grower = deployment.register("Grower")
    deployment.assign(grower, CONTRIBUTOR.id, deployment.group())
    groups, resources = f"{deployment.base}/resourcegroups", f"{deployment.base}/resources"
    assert await _names(deployment, grower, groups) == ["meadow"]
    assert await _names(deployment, grower, resources) == ["north-field"]
    subscription = await deployment.made("GET", deployment.base, who=grower)
    assert subscription["subscriptionId"] == deployment.subscription
    assert await _names(deployment, grower, f"{deployment.base}/locations")
    answer = await deployment.call("GET", f"{deployment.group('barn')}/resources", who=grower)
    refused(answer, 403, "AuthorizationFailed")


async def test_who_has_a_role_at_an_instance_sees_that_instance(deployment, refused):
    await deployment.ready("north-field", "south-field")
    viewer = deployment.register("Viewer")
    deployment.assign(viewer, READER.id, deployment.instance("south-field"))
    provided = f"{deployment.base}/providers/Microsoft.AgFoodPlatform/farmBeats"
    inside = f"{deployment.group()}/providers/Microsoft.AgFoodPlatform/farmBeats"
    for path in (f"{deployment.base}/resources", f"{deployment.group()}/resources", provided, inside):
        assert await _names(deployment, viewer, path) == ["south-field"]
    assert await _names(deployment, viewer, f"{deployment.base}/resourcegroups") == []
    refused(await deployment.call("GET", deployment.group(), who=viewer), 403, "AuthorizationFailed")


async def test_pages_are_cut_from_what_is_seen(deployment):
    await deployment.ready("a-field", "b-field", "c-field", "d-field")
    viewer = deployment.register("Viewer")
    for name in ("b-field", "d-field"):
        deployment.assign(viewer, READER.id, deployment.instance(name))
    first = await deployment.made("GET", f"{deployment.base}/resources", who=viewer, query={"$top": "1"})
    assert [item["name"] for item in first["value"]] == ["b-field"]
    token = parse_qs(urlsplit(first["nextLink"]).query)["$skipToken"][0]
    query = {"$top": "1", "$skipToken": token}
    following = await deployment.made("GET", f"{deployment.base}/resources", who=viewer, query=query)
    assert [item["name"] for item in following["value"]] == ["d-field"]
    assert "nextLink" not in following


async def test_a_role_on_data_lists_no_resources(deployment, refused):
    await deployment.ready("north-field")
    drone = deployment.register("Drone")
    deployment.assign(drone, SERVICE_READER.id, deployment.instance())
    for path in ("resourcegroups", "resources"):
        answer = await deployment.call("GET", f"{deployment.base}/{path}", who=drone)
        refused(answer, 403, "AuthorizationFailed", "resource")
