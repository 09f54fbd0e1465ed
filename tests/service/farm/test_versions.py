"""What is told apart by version: names, shapes, and what one version shows of what another has written."""

from collections.abc import Callable

import pytest
from tests.service.farm.conftest import Caller

from headland.farm.versions import Version

pytestmark = pytest.mark.anyio

Make = Callable[..., Caller]


async def test_farmers_are_parties(caller: Make) -> None:
    old, new = caller(version=Version.B), caller(version=Version.C)
    made = await old.make("/farmers/p1", name="N")
    assert "createdBy" not in made
    assert (await new("GET", "/parties/p1")).json().items() >= {"name": "N", "createdBy": "admin"}.items()
    farm = await old.make("/farmers/p1/farms/f1")
    assert farm["farmerId"] == "p1"
    assert (await new("GET", "/parties/p1/farms/f1")).json()["partyId"] == "p1"
    missing = (await old("GET", "/farmers/none")).json()["error"]
    assert missing["message"] == "Resource 'Farmer' with id 'none' does not exist."
    for asked, path in ((old, "/parties"), (new, "/farmers")):
        assert (await asked("GET", path)).status_code == 404


async def test_pages_have_the_versions_names(caller: Make) -> None:
    old, new = caller(version=Version.A), caller(version=Version.C)
    for number in range(11):
        await old.make(f"/farmers/p{number:02}")
    page = (await old("GET", "/farmers", params={"$maxPageSize": 10})).json()
    assert page.keys() == {"value", "$skipToken", "nextLink"}
    assert await old.ids("/farmers", **{"$skipToken": page["$skipToken"]}) == ["p10"]
    assert "$skipToken=" in page["nextLink"]
    # A parameter of other versions is none.
    assert len(await old.ids("/farmers", maxPageSize=10)) == 11
    refused = await old("GET", "/farmers", params={"$skipToken": "x"})
    assert refused.json()["error"]["target"] == "$skipToken"
    newer = (await new("GET", "/parties", params={"maxPageSize": 10})).json()
    assert newer.keys() == {"value", "skipToken", "nextLink"}


async def test_varieties_are_products(caller: Make) -> None:
    old, new = caller(version=Version.B), caller(version=Version.C)
    await old.make_linked("/crop-varieties/v1", cropIds=["c1"], brand="B")
    await new("PATCH", "/crop-products/v1", json={"trait": "T", "treatments": ["x"]})
    assert not {"trait", "treatments"} & (await old("GET", "/crop-varieties/v1")).json().keys()
    await old("PATCH", "/crop-varieties/v1", json={"brand": None})
    assert (await new("GET", "/crop-products/v1")).json().items() >= {"cropIds": ["c1"], "trait": "T"}.items()
    await old.make("/farmers/p1")
    await old.make("/farmers/p1/seasonal-fields/s1", cropVarietyIds=["v1"], avgYieldUnit="kg")
    assert await new.ids("/seasonal-fields", cropProductIds="v1") == ["s1"]
    shown = (await new("GET", "/parties/p1/seasonal-fields/s1")).json()
    assert shown["cropProductIds"] == ["v1"]
    assert "avgYieldUnit" not in shown


@pytest.fixture
async def nested(caller: Make) -> Caller:
    """The first version, and two crops."""
    oldest = caller(version=Version.A)
    for crop in ("c1", "c2"):
        await oldest.make(f"/crops/{crop}")
    return oldest


async def test_the_first_version_has_varieties_below_crops(nested: Caller, caller: Make) -> None:
    made = await nested.make("/crops/c1/crop-varieties/v1", brand="B", cropId="c2")
    assert made["cropId"] == "c1"
    assert not {"cropIds", "createdBy"} & made.keys()
    assert (await nested("GET", "/crops/c1/crop-varieties/v1")).json() == made
    newer = caller(version=Version.B)
    assert (await newer("GET", "/crop-varieties/v1")).json()["cropIds"] == ["c1"]
    await newer("PATCH", "/crop-varieties/v1", json={"cropIds": ["c2", "c1"]})
    # It lies below each of its crops.
    for crop in ("c1", "c2"):
        shown = (await nested("GET", f"/crops/{crop}/crop-varieties/v1")).json()
        assert (shown["cropId"], shown["brand"]) == (crop, "B")
    assert [each["cropId"] for each in (await nested("GET", "/crop-varieties")).json()["value"]] == ["c2"]


async def test_a_variety_is_found_below_its_crops_alone(nested: Caller) -> None:
    await nested.make("/crops/c1/crop-varieties/v1")
    assert (await nested("GET", "/crops/c2/crop-varieties/v1")).status_code == 404
    assert await nested.ids("/crops/c2/crop-varieties") == []
    taken = await nested("PATCH", "/crops/c2/crop-varieties/v1", json={"brand": "B"})
    assert (taken.status_code, taken.json()["error"]["code"]) == (409, "ResourceAlreadyExists")
    assert (await nested("DELETE", "/crops/c2/crop-varieties/v1")).status_code == 204
    kept = await nested("GET", "/crops/c1/crop-varieties/v1")
    assert kept.status_code == 200
    assert "brand" not in kept.json()
    assert (await nested("DELETE", "/crops/c1/crop-varieties/v1")).status_code == 204
    assert (await nested("GET", "/crops/c1/crop-varieties/v1")).status_code == 404


async def test_a_variety_needs_its_crop(nested: Caller) -> None:
    refused = await nested("PATCH", "/crops/none/crop-varieties/v1", json={})
    assert (refused.status_code, refused.json()["error"]["message"]) == (
        404,
        "Resource 'Crop' with id 'none' does not exist.",
    )


async def test_pages_of_varieties_stay_below_their_crop(nested: Caller) -> None:
    for number in range(11):
        await nested.make(f"/crops/c1/crop-varieties/v{number:02}")
        await nested.make(f"/crops/c2/crop-varieties/w{number:02}")
    page = (await nested("GET", "/crops/c1/crop-varieties", params={"$maxPageSize": 10})).json()
    token = {"$skipToken": page["$skipToken"]}
    assert [each["id"] for each in page["value"]] == [f"v{number:02}" for number in range(10)]
    assert await nested.ids("/crops/c1/crop-varieties", **token) == ["v10"]
    for path in ("/crops/c2/crop-varieties", "/crop-varieties"):
        refused = await nested("GET", path, params=token)
        assert (refused.status_code, refused.json()["error"]["target"]) == (400, "$skipToken")


async def test_words_of_other_versions(caller: Make) -> None:
    old, new = caller(version=Version.B), caller(version=Version.C)
    await new.make("/parties/p1")
    path = "/farmers/p1/models/m1/resource-types/Farmer/resources/p1/insights/i1"
    made = await old.make(path, measures={"m": {"value": 1}})
    assert (made["resourceType"], made["farmerId"]) == ("Farmer", "p1")
    shown = await new("GET", "/parties/p1/models/m1/resource-types/Party/resources/p1/insights/i1")
    assert shown.json().items() >= {"resourceType": "Party", "measurements": {"m": {"value": 1}}}.items()
    assert "/farmers/p1/models/m1/resource-types/Farmer/resources/p1/" in made["attachmentsLink"]


async def test_ids_that_stand_twice(admin: Caller) -> None:
    refused = await admin("PATCH", "/crop-products/v1", json={"cropIds": ["c1", "c2", "c1"]})
    assert (refused.status_code, refused.json()["error"]["target"]) == (400, "cropIds")


async def test_what_only_some_versions_ask_for(caller: Make) -> None:
    """A seasonal field of an earlier version has no farm, and the later ones say so of what they answer."""
    old, new = caller(version=Version.C), caller(version=Version.F)
    await new.make("/parties/p1")
    await new.make("/parties/p1/farms/f1")
    path = "/parties/p1/seasonal-fields/s1"
    for body in ({}, {"farmId": None}, {"farmId": ""}):
        refused = await new("PATCH", path, json=body)
        assert (refused.status_code, refused.json()["error"]["target"]) == (400, "farmId")
    await old.make(path)
    assert "farmId" not in (await new("GET", path)).json()
    described = (await new("GET", "/openapi.json")).json()["components"]["schemas"]["SeasonalField"]
    assert "farmId" in described["properties"]
    assert described.get("required", []) == []
    assert (await new("PATCH", path, json={"name": "N"})).status_code == 400
    assert (await new("PATCH", path, json={"farmId": "f1"})).json()["farmId"] == "f1"


SQUARE = {
    "type": "Polygon",
    "coordinates": [[[10.0, 50.0], [10.01, 50.0], [10.01, 50.01], [10.0, 50.01], [10.0, 50.0]]],
}
INSIDE = {"type": "Point", "coordinates": [10.005, 50.005]}
OUTSIDE = {"type": "Point", "coordinates": [11.0, 50.005]}


@pytest.mark.parametrize("version", [Version.F, Version.G], ids=lambda version: version.name)
@pytest.mark.parametrize(
    ("path", "search", "body"),
    [
        ("fields", "fields:search", {}),
        ("seasonal-fields", "seasonal-fields:search", {"farmId": "f1"}),
        ("zones", "zone:search", {}),
        ("prescriptions", "prescription:search", {}),
        ("plant-tissue-analyses", "plant-tissue-analyses:search", {}),
        ("planting-data", "planting-data:search", {}),
        ("harvest-data", "harvest-data:search", {}),
    ],
)
async def test_the_latest_versions_search_by_place(
    caller: Make, version: Version, path: str, search: str, body: dict
) -> None:
    latest = caller(version=version)
    for party in ("p1", "p2"):
        await latest.make(f"/parties/{party}")
        made = await latest.make_linked(f"/parties/{party}/{path}/x1", geometry=SQUARE, **body)
        assert made["geometry"] == SQUARE
        await latest.make(f"/parties/{party}/{path}/x2", **body)
    assert (await latest("GET", f"/parties/p1/{path}/x1")).json()["geometry"] == SQUARE

    async def searched(**asked: object) -> list[dict]:
        answer = await latest("POST", f"/{search}", json=asked)
        assert answer.status_code == 200, answer.text
        return [dict(each) for each in answer.json()["value"]]

    found = await searched(intersectsWithGeometry=INSIDE)
    assert [(each["partyId"], each["id"]) for each in found] == [("p1", "x1"), ("p2", "x1")]
    assert not any("geometry" in each for each in found)
    assert await searched(intersectsWithGeometry=OUTSIDE) == []
    assert [each["partyId"] for each in await searched(intersectsWithGeometry=INSIDE, partyId="p2")] == ["p2"]
    assert len(await searched()) == 4
    assert (await latest("GET", f"/parties/p1/{path}")).status_code == 404
    # Earlier versions list the same documents, and know nothing of places.
    earlier = caller(version=Version.C)
    assert await earlier.ids(f"/parties/p1/{path}") == ["x1", "x2"]
    assert "geometry" not in (await earlier("GET", f"/parties/p1/{path}/x1")).json()
    await earlier("PATCH", f"/parties/p1/{path}/x1", json={"name": "N"})
    assert (await latest("GET", f"/parties/p1/{path}/x1")).json()["geometry"] == SQUARE


async def test_pages_of_a_search(caller: Make) -> None:
    first, second = caller(version=Version.F), caller(version=Version.G)
    await first.make("/parties/p1")
    for number in range(11):
        await first.make_linked(f"/parties/p1/fields/f{number:02}", farmId="a1")
    asked = {"json": {"farmIds": ["a1"]}, "params": {"maxPageSize": 10}}
    page = (await first("POST", "/fields:search", **asked)).json()
    assert page.keys() == {"value", "skipToken"}
    rest = await first("POST", "/fields:search", json={}, params={"skipToken": page["skipToken"]})
    assert [each["id"] for each in rest.json()["value"]] == ["f10"]
    page = (await second("POST", "/fields:search", **asked)).json()
    assert page.keys() == {"value", "skipToken", "nextLink"}
    # A public client follows the link by GET.
    assert await second.ids("/fields:search", skipToken=page["skipToken"]) == ["f10"]


async def test_a_colon_may_be_encoded(caller: Make) -> None:
    latest = caller(version=Version.G)
    assert (await latest("POST", "/fields%3Asearch", json={})).json() == {"value": []}


async def test_what_the_latest_versions_demand(caller: Make) -> None:
    latest, earlier = caller(version=Version.G), caller(version=Version.C)
    await latest.make("/parties/p1")
    path = "/parties/p1/seasonal-fields/s1"
    for body in ({}, {"farmId": None}, {"farmId": ""}):
        refused = await latest("PATCH", path, json=body)
        assert (refused.status_code, refused.json()["error"]["target"]) == (400, "farmId")
    await earlier.make(path, name="N")
    assert (await latest("GET", path)).json()["name"] == "N"


async def test_one_name_for_two_forms(caller: Make) -> None:
    latest, earlier = caller(version=Version.G), caller(version=Version.C)
    old, new = {"unit": "days", "value": 90.0}, {"unit": "days", "value": 95.0, "method": "CRM"}
    await earlier.make("/crop-products/x1", relativeMaturity=old, trait="T")
    changed = await latest("PATCH", "/crop-products/x1", json={"relativeMaturity": new, "traitStack": "S"})
    assert changed.json().items() >= {"relativeMaturity": new, "traits": "T", "traitStack": "S"}.items()
    known = {"unit": "days", "value": 95.0}
    seen = (await earlier("GET", "/crop-products/x1")).json()
    assert (seen["relativeMaturity"], seen["trait"]) == (known, "T")
    # What the earlier form can't say stays, whatever is written in it.
    for patch, shown in (
        ({"name": "N"}, new),
        ({"relativeMaturity": {"value": 99}}, new | {"value": 99.0}),
        ({"relativeMaturity": None}, None),
    ):
        await earlier("PATCH", "/crop-products/x1", json=patch)
        assert (await latest("GET", "/crop-products/x1")).json().get("relativeMaturity") == shown
    await latest.make("/crop-products/x2", relativeMaturity=new)
    assert (await earlier("GET", "/crop-products/x2")).json()["relativeMaturity"] == known
    await latest("PATCH", "/crop-products/x2", json={"relativeMaturity": None})
    for version in (earlier, latest):
        assert "relativeMaturity" not in (await version("GET", "/crop-products/x2")).json()
