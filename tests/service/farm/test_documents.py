"""Documents: made, changed, read, deleted."""

import re

import pytest
from tests.service.farm.conftest import Caller

from headland.farm.versions import ALL

pytestmark = pytest.mark.anyio

ETAG = re.compile(r"[0-9a-f]{8}-0000-[0-9a-f]{4}-0000-[0-9a-f]{12}")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


async def test_a_party_is_created_read_and_updated(admin: Caller) -> None:
    body = {"name": "N", "properties": {"foo": "bar", "numeric one": 1, "1": "k"}}
    created = await admin("PATCH", "/parties/p-1", json=body)
    assert created.status_code == 201
    assert created.headers["location"] == "https://headland.example:8443/farm/meadow/parties/p-1"
    assert created.headers["content-type"] == "application/json; charset=utf-8"
    assert created.headers["api-supported-versions"] == ", ".join(sorted(ALL))
    document = created.json()
    assert document == {
        "id": "p-1",
        "eTag": created.headers["etag"],
        "createdDateTime": document["createdDateTime"],
        "modifiedDateTime": document["createdDateTime"],
        "name": "N",
        "createdBy": "admin",
        "modifiedBy": "admin",
        "properties": body["properties"],
    }
    assert ETAG.fullmatch(document["eTag"])
    assert TIME.fullmatch(document["createdDateTime"])

    read = await admin("GET", "/parties/p-1")
    assert (read.status_code, read.json(), read.headers["etag"]) == (200, document, document["eTag"])

    updated = await admin("PATCH", "/parties/p-1", json={"description": "D"})
    assert updated.status_code == 200
    assert "location" not in updated.headers
    assert updated.json()["description"] == "D"
    assert updated.json()["name"] == "N"
    assert updated.json()["eTag"] != document["eTag"]
    assert updated.json()["createdDateTime"] == document["createdDateTime"]


async def test_a_patch_merges(admin: Caller) -> None:
    await admin.make("/parties/p1", name="N", status="S", properties={"keep": 1, "drop": 2})
    patch = {"name": None, "properties": {"drop": None, "new": "x"}}
    patched = (await admin("PATCH", "/parties/p1", json=patch)).json()
    assert "name" not in patched
    assert patched["status"] == "S"
    assert patched["properties"] == {"keep": 1, "new": "x"}
    assert (await admin("GET", "/parties/p1")).json() == patched
    emptied = (await admin("PATCH", "/parties/p1", json={"properties": None})).json()
    assert "properties" not in emptied


async def test_what_the_service_writes_is_not_the_clients_to_say(admin: Caller) -> None:
    stamps = {
        "id": "other",
        "eTag": "mine",
        "createdDateTime": "1999-01-01T00:00:00Z",
        "modifiedDateTime": "never",
        "createdBy": 7,
        "modifiedBy": "me",
    }
    made = await admin.make("/parties/p1", **stamps)
    assert made["id"] == "p1"
    assert made["createdBy"] == made["modifiedBy"] == "admin"
    assert ETAG.fullmatch(made["eTag"])
    assert not made["createdDateTime"].startswith("1999")


async def test_who_changed_it_last_stands_beside_who_made_it(admin: Caller, caller) -> None:
    await admin.make("/parties/p1")
    changed = (await caller("contributor")("PATCH", "/parties/p1", json={"name": "x"})).json()
    assert (changed["createdBy"], changed["modifiedBy"]) == ("admin", "contributor")


async def test_unknown_members_are_passed_over(admin: Caller) -> None:
    made = await admin.make("/parties/p1", nme="typo", nested={"a": [1, {"b": None}]})
    assert not {"nme", "nested"} & set(made)


async def test_times_are_shown_in_seconds_of_utc(admin: Caller) -> None:
    sent = {
        "startDateTime": "2021-01-01T20:08:10.137Z",
        "endDateTime": "2021-06-06T02:00:00+02:00",
        "year": "2021",
    }
    made = await admin.make("/seasons/s1", **sent)
    assert made["startDateTime"] == "2021-01-01T20:08:10Z"
    assert made["endDateTime"] == "2021-06-06T00:00:00Z"
    assert made["year"] == 2021
    zoneless = (await admin("PATCH", "/seasons/s1", json={"startDateTime": "2021-03-04T05:06:07"})).json()
    assert zoneless["startDateTime"] == "2021-03-04T05:06:07Z"


async def test_documents_of_a_party_need_it(admin: Caller) -> None:
    refused = await admin("PATCH", "/parties/p1/farms/f1", json={})
    assert refused.status_code == 404
    assert refused.json()["error"]["message"] == "Resource 'Party' with id 'p1' does not exist."
    await admin.make("/parties/p1")
    made = await admin.make("/parties/p1/farms/f1", partyId="other")
    assert made["partyId"] == "p1"


async def test_ids_are_the_partys_own(admin: Caller) -> None:
    for party in ("p1", "p2"):
        await admin.make(f"/parties/{party}")
        await admin.make(f"/parties/{party}/farms/f1", name=party)
    assert (await admin("GET", "/parties/p2/farms/f1")).json()["name"] == "p2"
    await admin("DELETE", "/parties/p2/farms/f1")
    assert (await admin("GET", "/parties/p1/farms/f1")).json()["name"] == "p1"
    assert (await admin("GET", "/parties/p2/farms/f1")).status_code == 404


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/parties/p1/farms/x1", {"name": "N"}),
        ("/parties/p1/fields/x1", {"farmId": "f1"}),
        ("/parties/p1/seasonal-fields/x1", {"farmId": "f1", "fieldId": "g1", "cropProductIds": ["a1", "b1"]}),
        ("/seasons/x1", {"year": 2026, "geographicIdentifier": "Europe"}),
        (
            "/crops/x1",
            {
                "phenotype": "P",
                "breedingMethod": "HYBRID",
                "measurements": {"m": {"unit": "u", "value": 1.5}},
            },
        ),
        ("/crop-products/x1", {"cropIds": ["c1"], "brand": "B", "relativeMaturity": {"value": 2.0}}),
    ],
)
async def test_every_family_keeps_what_it_is_given(admin: Caller, path: str, body: dict) -> None:
    await admin.make("/parties/p1")
    made = await admin.make_linked(path, **body, source="SRC")
    assert made.items() >= {**body, "source": "SRC"}.items()
    assert (await admin("GET", path)).json() == made
    assert (await admin("DELETE", path)).status_code == 204
    gone = await admin("GET", path)
    assert gone.status_code == 404
    assert gone.headers["x-ms-error-code"] == "ResourceNotFound"


async def test_deleting_twice_is_no_mistake(admin: Caller) -> None:
    await admin.make("/parties/p1")
    for _ in range(2):
        deleted = await admin("DELETE", "/parties/p1")
        assert (deleted.status_code, deleted.content) == (204, b"")


@pytest.mark.parametrize(
    ("used", "user", "body"),
    [
        ("", "/farms/x", {}),
        ("", "/seasonal-fields/x", {}),
        ("/farms/f1", "/fields/x", {"farmId": "f1"}),
        ("/farms/f1", "/seasonal-fields/x", {"farmId": "f1"}),
        ("/fields/f1", "/seasonal-fields/x", {"fieldId": "f1"}),
        ("/fields/f1", "/management-zones/x", {"fieldId": "f1"}),
        ("/fields/f1", "/prescription-maps/x", {"fieldId": "f1"}),
        ("/fields/f1", "/plant-tissue-analyses/x", {"fieldId": "f1"}),
        ("/management-zones/m1", "/zones/x", {"managementZoneId": "m1"}),
        ("/prescription-maps/m1", "/prescriptions/x", {"prescriptionMapId": "m1"}),
        (
            "/plant-tissue-analyses/a1",
            "/nutrient-analyses/x",
            {"parentType": "PlantTissueAnalysis", "parentId": "a1"},
        ),
        ("/fields/f1", "/models/m1/resource-types/Field/resources/f1/insights/x", {}),
        ("", "/models/m1/resource-types/Party/resources/p1/insights/x", {}),
    ],
)
async def test_what_others_are_linked_to_stays(admin: Caller, used: str, user: str, body: dict) -> None:
    for party in ("p1", "p2"):
        await admin.make(f"/parties/{party}")
        if used:
            await admin.make(f"/parties/{party}{used}")
    await admin.make(f"/parties/p1{user}1", **body)
    refused = await admin("DELETE", f"/parties/p1{used}")
    assert refused.status_code == 409
    assert refused.json()["error"]["code"] == "ResourceInUse"
    assert "'x1'" in refused.json()["error"]["message"]
    assert (await admin("GET", f"/parties/p1{used}")).status_code == 200
    # Another party's documents are none of its business.
    assert (await admin("DELETE", f"/parties/p2{used}")).status_code == 204
    await admin("DELETE", f"/parties/p1{user}1")
    assert (await admin("DELETE", f"/parties/p1{used}")).status_code == 204


@pytest.mark.parametrize(
    ("path", "link"),
    [
        (
            "/parties/p1/harvest-data/x1",
            "/parties/p1/attachments?{v}&resourceIds=x1&resourceTypes=HarvestData",
        ),
        (
            "/parties/p1/plant-tissue-analyses/x1",
            "/parties/p1/attachments?{v}&resourceIds=x1&resourceTypes=PlantTissueAnalysis",
        ),
        (
            "/parties/p1/models/m1/resource-types/Party/resources/p1/insights/x1",
            "/parties/p1/models/m1/resource-types/Party/resources/p1/insight-attachments?{v}&insightIds=x1",
        ),
    ],
)
async def test_links_to_attachments(admin: Caller, caller, path: str, link: str) -> None:
    await admin.make("/parties/p1")
    wanted = link.format(v="api-version=2022-11-01-preview")
    base = "https://headland.example:8443/farm/meadow"
    made = await admin.make(path, attachmentsLink="https://elsewhere.example", name="ü")
    assert made["attachmentsLink"] == f"{base}{wanted}"
    assert (await admin("GET", path)).json() == made
    listed = (await admin("GET", path.rpartition("/")[0])).json()
    assert listed == {"value": [made]}
    # The address is the one that was asked at.
    by_host = caller(base="https://meadow.farms.example")
    shown = (await by_host("GET", path)).json()
    assert shown["attachmentsLink"] == f"https://meadow.farms.example:8443{wanted}"


async def test_a_product_is_no_carrier_unless_it_is_said_to_be(admin: Caller) -> None:
    await admin.make("/parties/p1")
    sent = [{"productName": "A"}, {"productName": "B", "isCarrier": True}, {"isCarrier": False}]
    made = await admin.make("/parties/p1/application-data/x1", applicationProductDetails=sent)
    assert [each["isCarrier"] for each in made["applicationProductDetails"]] == [False, True, False]
