"""Geometries of what is not a boundary: in the latest versions, fields and others have one themselves."""

from typing import Any

import pytest
from tests.service.farm.conftest import Caller

pytestmark = pytest.mark.anyio

C, F, G = "2022-11-01-preview", "2023-07-01-preview", "2023-11-01-preview"
JSON = {"content-type": "application/json"}


def square(x: float, y: float, side: float) -> dict[str, Any]:
    ring = [[x, y], [x + side, y], [x + side, y + side], [x, y + side], [x, y]]
    return {"type": "Polygon", "coordinates": [ring]}


@pytest.fixture(params=[F, G], ids="FG")
def latest(request: pytest.FixtureRequest) -> dict[str, str]:
    return {"api-version": str(request.param)}


@pytest.fixture
async def party(admin: Caller, latest: dict[str, str]) -> Caller:
    for name in ("p1", "p2"):
        await admin.make(f"/parties/{name}")
    for name, x in (("f1", 0), ("f2", 2)):
        made = await admin(
            "PATCH",
            f"/parties/p1/fields/{name}",
            json={"geometry": square(x, 0, 1), "name": name},
            params=latest,
        )
        assert made.status_code == 201, made.text
    zone = await admin("PATCH", "/parties/p2/zones/z1", json={"geometry": square(0.5, 0, 1)}, params=latest)
    assert zone.status_code == 201, zone.text
    return admin


async def test_a_geometry_is_kept_and_older_versions_do_not_show_it(
    party: Caller, latest: dict[str, str]
) -> None:
    path = "/parties/p1/fields/f1"
    assert (await party("GET", path, params=latest)).json()["geometry"] == square(0, 0, 1)
    older = (await party("GET", path)).json()
    assert "geometry" not in older
    assert "area" not in older
    # What an older version writes leaves it where it is.
    await party("PATCH", path, json={"name": "N", "geometry": square(9, 9, 1)})
    found = (await party("GET", path, params=latest)).json()
    assert (found["name"], found["geometry"]) == ("N", square(0, 0, 1))
    wrong = {"geometry": {"type": "Point", "coordinates": [0, 100]}}
    refused = await party("PATCH", path, json=wrong, params=latest)
    assert (refused.status_code, refused.json()["error"]["target"]) == (400, "geometry.coordinates[1]")


@pytest.mark.parametrize(
    ("geometry", "found"),
    [
        (square(0.2, 0.2, 0.1), ["f1"]),
        (square(0.2, 0.2, 3), ["f1", "f2"]),
        ({"type": "Point", "coordinates": [2.5, 0.5]}, ["f2"]),
        (square(5, 5, 1), []),
        (None, ["f1", "f2"]),
    ],
)
async def test_searches_find_by_place(
    party: Caller, latest: dict[str, str], geometry: Any, found: list[str]
) -> None:
    body = {"intersectsWithGeometry": geometry}
    answer = await party("POST", "/fields:search", json=body, headers=JSON, params=latest)
    assert [each["id"] for each in answer.json()["value"]] == found
    assert not any("geometry" in each for each in answer.json()["value"])
    of_other = await party(
        "POST", "/fields:search", json={**body, "partyId": "p2"}, headers=JSON, params=latest
    )
    assert of_other.json() == {"value": []}


async def test_tokens_of_searches_go_on_in_the_query(party: Caller, latest: dict[str, str]) -> None:
    for number in range(12):
        body = {"geometry": square(20, 20, 1)}
        await party("PATCH", f"/parties/p1/fields/n{number:02}", json=body, params=latest)
    search = {"intersectsWithGeometry": square(20, 20, 1), "partyId": "p1"}
    first = await party(
        "POST", "/fields:search", json=search, headers=JSON, params={**latest, "maxPageSize": 10}
    )
    assert len(first.json()["value"]) == 10
    token = {"skipToken": first.json()["skipToken"]}
    second = await party("POST", "/fields:search", json={}, headers=JSON, params={**latest, **token})
    assert [each["id"] for each in second.json()["value"]] == ["n10", "n11"]


def resource(kind: str, party: str, name: str) -> dict[str, str]:
    return {"partyId": party, "resourceType": kind, "resourceId": name}


async def test_overlaps_of_whatever_has_a_geometry(party: Caller, latest: dict[str, str]) -> None:
    body = {"resources": [resource("Field", "p1", "f1"), resource("Zone", "p2", "z1")]}
    answer = await party("POST", "/parties:overlap", json=body, headers=JSON, params=latest)
    assert answer.status_code == 200, answer.text
    shown = answer.json()
    areas = [each.pop("resourceArea") for each in shown["resources"]]
    assert shown["resources"] == body["resources"]
    assert areas[0] == pytest.approx(areas[1])
    assert shown["overlappingArea"] == pytest.approx(areas[0] / 2, rel=1e-4)


@pytest.mark.parametrize(
    ("other", "status", "target"),
    [
        (resource("Field", "p1", "none"), 404, None),
        (resource("Party", "p1", "p1"), 400, "resources[1].resourceType"),
        (resource("Boundary", "p1", "b1"), 400, "resources[1].resourceType"),
        (resource("", "p1", "f1"), 400, "resources[1].resourceType"),
        ({"partyId": "p1", "resourceType": "Field"}, 400, "resources[1].resourceId"),
    ],
)
async def test_what_can_not_be_compared(
    party: Caller, latest: dict[str, str], other: dict[str, str], status: int, target: str | None
) -> None:
    body = {"resources": [resource("Field", "p1", "f1"), other]}
    refused = await party("POST", "/parties:overlap", json=body, headers=JSON, params=latest)
    assert (refused.status_code, refused.json()["error"].get("target")) == (status, target)


async def test_two_are_compared_and_no_more(party: Caller, latest: dict[str, str]) -> None:
    for count in (0, 1, 3):
        body = {"resources": [resource("Field", "p1", "f1")] * count}
        refused = await party("POST", "/parties:overlap", json=body, headers=JSON, params=latest)
        assert (refused.status_code, refused.json()["error"]["target"]) == (400, "resources")


async def test_what_has_no_geometry_has_no_area(party: Caller, latest: dict[str, str]) -> None:
    await party("PATCH", "/parties/p1/fields/bare", json={}, params=latest)
    body = {"resources": [resource("Field", "p1", "f1"), resource("Field", "p1", "bare")]}
    refused = await party("POST", "/parties:overlap", json=body, headers=JSON, params=latest)
    assert (refused.status_code, refused.json()["error"]["target"]) == (400, "resources[1].resourceId")


async def test_everything_is_taken_out_and_comes_back(party: Caller, latest: dict[str, str]) -> None:
    before = (await party("GET", "/parties/p1/fields/f1", params=latest)).json()
    taken = (await party("GET", "/bulk")).content
    await party("PATCH", "/parties/p1/fields/f1", json={"geometry": None}, params=latest)
    lines = {"content-type": "application/x-ndjson"}
    await party("POST", "/restore", content=taken, headers=lines)
    assert (await party("GET", "/parties/p1/fields/f1", params=latest)).json() == before
    body = {"intersectsWithGeometry": square(0, 0, 0.4)}
    answer = await party("POST", "/fields:search", json=body, headers=JSON, params=latest)
    assert [each["id"] for each in answer.json()["value"]] == ["f1"]
