"""Insights: documents that lie below a party, a model and a resource."""

import pytest
from tests.databases import ON_EITHER
from tests.service.farm.conftest import Caller

pytestmark = [ON_EITHER, pytest.mark.anyio]

FIELD = "/parties/p1/models/m1/resource-types/Field/resources/f1/insights"


@pytest.fixture
async def farmed(admin: Caller) -> Caller:
    """Two parties with a farm and a field each."""
    for party in ("p1", "p2"):
        await admin.make(f"/parties/{party}")
        await admin.make(f"/parties/{party}/farms/f1")
        await admin.make(f"/parties/{party}/fields/f1")
    return admin


async def test_what_the_path_says_is_in_the_document(farmed: Caller) -> None:
    made = await farmed.make(
        f"{FIELD}/i1", modelId="other", resourceType="Farm", modelVersion="2", source="S"
    )
    assert (
        made.items()
        >= {
            "id": "i1",
            "partyId": "p1",
            "modelId": "m1",
            "resourceType": "Field",
            "resourceId": "f1",
            "modelVersion": "2",
        }.items()
    )
    assert "source" not in made
    assert (await farmed("GET", f"{FIELD}/i1")).json() == made


async def test_ids_belong_to_the_whole_path(farmed: Caller) -> None:
    paths = [
        f"{FIELD}/i1",
        "/parties/p1/models/m2/resource-types/Field/resources/f1/insights/i1",
        "/parties/p1/models/m1/resource-types/Farm/resources/f1/insights/i1",
        "/parties/p1/models/m1/resource-types/Party/resources/p1/insights/i1",
        "/parties/p2/models/m1/resource-types/Field/resources/f1/insights/i1",
    ]
    for path in paths:
        await farmed.make(path, name=path)
    for path in paths:
        assert (await farmed("GET", path)).json()["name"] == path
        assert await farmed.ids(path.removesuffix("/i1")) == ["i1"]
    assert (await farmed("DELETE", paths[0])).status_code == 204
    assert [(await farmed("GET", path)).status_code for path in paths] == [404, 200, 200, 200, 200]


async def test_pages_stay_below_their_resource(farmed: Caller) -> None:
    elsewhere = FIELD.replace("m1", "m2")
    for number in range(11):
        await farmed.make(f"{FIELD}/i{number:02}", status="on")
        await farmed.make(f"{elsewhere}/j{number:02}", status="on")
    first = (await farmed("GET", FIELD, params={"maxPageSize": 10, "statuses": "on"})).json()
    assert [each["id"] for each in first["value"]] == [f"i{number:02}" for number in range(10)]
    assert await farmed.ids(FIELD, skipToken=first["skipToken"]) == ["i10"]
    refused = await farmed("GET", elsewhere, params={"skipToken": first["skipToken"]})
    assert refused.json()["error"]["target"] == "skipToken"


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/parties/none/models/m1/resource-types/Field/resources/f1/insights/i1", "Party"),
        ("/parties/p1/models/m1/resource-types/Field/resources/none/insights/i1", "Field"),
        ("/parties/p1/models/m1/resource-types/Party/resources/p2/insights/i1", "Party"),
    ],
)
async def test_the_resource_must_be_there(farmed: Caller, path: str, kind: str) -> None:
    refused = await farmed("PATCH", path, json={})
    assert refused.status_code == 404
    assert f"'{kind}'" in refused.json()["error"]["message"]


@pytest.mark.parametrize("method", ["GET", "PATCH", "DELETE"])
async def test_types_that_have_no_insights(farmed: Caller, method: str) -> None:
    for word in ("Farmer", "field", "Season"):
        path = f"/parties/p1/models/m1/resource-types/{word}/resources/f1/insights/i1"
        refused = await farmed(method, path, **({"json": {}} if method == "PATCH" else {}))
        assert (refused.status_code, refused.json()["error"]["target"]) == (400, "resourceType")


async def test_measurements_are_found_by_unit_and_by_value(farmed: Caller) -> None:
    await farmed.make(f"{FIELD}/i1", measurements={"NDVI": {"unit": "%", "value": 40}, "a b": {"value": 1.5}})
    await farmed.make(f"{FIELD}/i2", measurements={"NDVI": {"unit": "of 1", "value": 0.4}, "empty": {}})
    for asked, found in (
        ("NDVI.value eq 40", ["i1"]),
        ("NDVI.value eq 40.0", ["i1"]),
        ("NDVI.value eq 4e-1", ["i2"]),
        ("NDVI.unit eq of 1", ["i2"]),
        ("a b.value eq 1.5", ["i1"]),
        (["NDVI.unit eq %", "NDVI.value eq 0.4"], ["i1", "i2"]),
        ("ndvi.value eq 40", []),
    ):
        assert await farmed.ids(FIELD, measurementFilters=asked) == found, asked


@pytest.mark.parametrize(
    "asked", ["NDVI", "NDVI eq 1", "NDVI.value eq much", "NDVI.value = 1", "NDVI.value eq nan"]
)
async def test_measurements_that_cannot_be_asked_for(farmed: Caller, asked: str) -> None:
    refused = await farmed("GET", FIELD, params={"measurementFilters": asked})
    assert (refused.status_code, refused.json()["error"]["target"]) == (400, "measurementFilters")
