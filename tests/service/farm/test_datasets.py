"""Datasets: their records, and who was given access."""

import json
from collections.abc import Callable

import pytest
from tests.service.farm.conftest import Caller
from tests.service.farm.test_refusals import check

from headland.farm.versions import Version

pytestmark = pytest.mark.anyio

ACCESS = "/datasets/d1/access"


@pytest.fixture
async def latest(caller: Callable[..., Caller]) -> Caller:
    """Who speaks the version that has datasets, and two of them."""
    latest = caller(version=Version.G)
    for name in ("d1", "d2"):
        await latest.make(f"/datasets/{name}", type="ChemicalProduct")
    return latest


async def test_records_are_a_datasets_own(latest: Caller) -> None:
    made = await latest.make("/datasets/d1/records/r1", record={"name": "N", "codes": ["a", "b"], "on": True})
    assert (made["datasetId"], made["record"]["codes"]) == ("d1", ["a", "b"])
    await latest.make("/datasets/d2/records/r1", record={"name": "M"})
    for asked, found in (
        ("name eq N", ["r1"]),
        ("codes eq b", ["r1"]),
        ("on eq true", ["r1"]),
        ("name eq M", []),
    ):
        assert await latest.ids("/datasets/d1/records", recordFilters=asked) == found, asked
    missing = await latest("PATCH", "/datasets/none/records/r1", json={})
    assert (missing.status_code, missing.json()["error"]["message"]) == (
        404,
        "Resource 'Dataset' with id 'none' does not exist.",
    )


async def test_a_dataset_with_records_stays(latest: Caller) -> None:
    await latest.make("/datasets/d1/records/r1")
    refused = await latest("DELETE", "/datasets/d1")
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "ResourceInUse")
    assert (await latest("DELETE", "/datasets/d2")).status_code == 204


SCHEMA = {
    "type": "object",
    "required": ["name"],
    "properties": {"name": {"type": "string"}, "codes": {"items": {"pattern": "^[a-z]+$"}}},
}


async def test_records_are_held_to_their_datasets_schema(latest: Caller) -> None:
    await latest.make("/datasets/d3", recordsSchema=SCHEMA)
    good = {"name": "N", "codes": ["a"]}
    await latest.make("/datasets/d3/records/r1", record=good)
    for record, target, said in (
        ({}, "record", '"name" is a required property'),
        ({"name": 7}, "record.name", "is not of type"),
        ({"name": "N", "codes": ["a", "7"]}, "record.codes[1]", "does not match"),
    ):
        refused = await latest("PATCH", "/datasets/d3/records/r2", json={"record": record})
        assert said in check(refused, 400, "InvalidInput", target)
    # A patch is held to it by what comes of it.
    refused = await latest("PATCH", "/datasets/d3/records/r1", json={"record": {"name": None}})
    check(refused, 400, "InvalidInput", "record")
    assert (await latest("GET", "/datasets/d3/records/r1")).json()["record"] == good

    line = json.dumps({"id": "r3", "datasetId": "d3", "record": {}})
    for path, refused_lines in (("/bulk/records", 1), ("/restore/records", 0)):
        told = await latest("POST", path, content=line, headers={"content-type": "application/x-ndjson"})
        assert json.loads(told.text.splitlines()[-1])["refused"] == refused_lines
    # Another schema leaves what is there as it is.
    assert (
        await latest("PATCH", "/datasets/d3", json={"recordsSchema": {"type": "array"}})
    ).status_code == 200
    assert (await latest("GET", "/datasets/d3/records/r1")).status_code == 200


async def test_what_is_no_schema(latest: Caller) -> None:
    for schema, target, said in (
        ({"type": "text"}, "recordsSchema.type", "is not valid"),
        ({"properties": {"a": {"required": 7}}}, "recordsSchema.properties.a.required", "is not of type"),
        ({"pattern": "("}, "recordsSchema.pattern", "regex"),
        ({"pattern": "(?=x)"}, "recordsSchema.pattern", "regex"),
        ({"$ref": "https://example.org/schema"}, "recordsSchema", "is not fetched"),
        ({"$ref": "#/nowhere"}, "recordsSchema", "does not exist"),
        ({"$schema": "https://example.org/other"}, "recordsSchema", "Unknown meta-schema"),
    ):
        refused = await latest("PATCH", "/datasets/d1", json={"recordsSchema": schema})
        assert said in check(refused, 400, "InvalidInput", target)
    assert "recordsSchema" not in (await latest("GET", "/datasets/d1")).json()


async def test_access_is_granted_listed_and_removed(latest: Caller) -> None:
    given = {"subscriptionId": "sub-1", "resourceId": "/some/resource"}
    granted = await latest("POST", f"{ACCESS}:grant", json=given)
    assert granted.status_code == 200
    body = granted.json()
    assert body.items() >= {**given, "createdBy": "admin", "modifiedBy": "admin"}.items()
    assert body.keys() == {*given, "createdDateTime", "modifiedDateTime", "createdBy", "modifiedBy"}
    # Nobody is given it twice.
    assert (await latest("POST", f"{ACCESS}:grant", json=given)).status_code == 200
    await latest("POST", f"{ACCESS}:grant", json={"subscriptionId": "sub-2"})
    for params, found in (
        ({}, ["sub-1", "sub-2"]),
        ({"subscriptionIds": "sub-2"}, ["sub-2"]),
        ({"resourceIds": ["/some/resource", "x"]}, ["sub-1"]),
    ):
        listed = (await latest("GET", ACCESS, params=params)).json()["value"]
        assert [each["subscriptionId"] for each in listed] == found
    assert (await latest("GET", "/datasets/d2/access")).json() == {"value": []}
    for _ in range(2):
        assert (await latest("POST", f"{ACCESS}:remove", json=given)).status_code == 204
    assert [each["subscriptionId"] for each in (await latest("GET", ACCESS)).json()["value"]] == ["sub-2"]


@pytest.mark.parametrize(
    ("body", "target"),
    [
        ({}, "subscriptionId"),
        ({"subscriptionId": None}, "subscriptionId"),
        ({"subscriptionId": "x"}, "subscriptionId"),
        ({"resourceId": "x" * 201}, "resourceId"),
        ({"resourceId": 7}, "resourceId"),
    ],
)
async def test_access_that_cannot_be(latest: Caller, body: dict, target: str) -> None:
    for verb in ("grant", "remove"):
        refused = await latest("POST", f"{ACCESS}:{verb}", json=body)
        assert (refused.status_code, refused.json()["error"]["target"]) == (400, target), verb


async def test_access_to_what_is_not_there(latest: Caller) -> None:
    assert (await latest("POST", "/datasets/none/access:grant", json={"resourceId": "xx"})).status_code == 404


async def test_only_administrators_take_access_away(latest: Caller, caller: Callable[..., Caller]) -> None:
    contributor = caller("contributor", version=Version.G)
    given = {"resourceId": "xx"}
    assert (await contributor("POST", f"{ACCESS}:grant", json=given)).status_code == 200
    assert (await contributor("POST", f"{ACCESS}:remove", json=given)).status_code == 403
