"""Boundaries found by where they are, beside what shapely finds among all of them."""

import random
from collections.abc import Iterator
from typing import Any

import pytest
import shapely
from tests.service.farm.conftest import Caller

from headland.farm.documents import pages

pytestmark = pytest.mark.anyio


def square(x: float, y: float, side: float) -> dict[str, Any]:
    ring = [[x, y], [x + side, y], [x + side, y + side], [x, y + side], [x, y]]
    return {"type": "Polygon", "coordinates": [ring]}


def point(x: float, y: float) -> dict[str, Any]:
    return {"type": "Point", "coordinates": [x, y]}


async def search(caller: Caller, path: str = "/boundaries", **body: Any) -> dict[str, Any]:
    answer = await caller("POST", path, json=body, headers={"content-type": "application/json"})
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


async def found(caller: Caller, path: str = "/boundaries", **body: Any) -> list[str]:
    return [each["id"] for each in (await search(caller, path, **body))["value"]]


async def every_page(caller: Caller, path: str = "/boundaries", **body: Any) -> list[str]:
    """All ids, by links as the public clients follow them: with GET."""
    page = await search(caller, path, **body)
    ids = [each["id"] for each in page["value"]]
    while link := page.get("nextLink"):
        assert len(page["value"]) <= body.get("maxPageSize", 50)
        page = (await caller.follow(link)).json()
        ids += [each["id"] for each in page["value"]]
    return ids


@pytest.fixture
async def party(admin: Caller) -> Caller:
    for name in ("p1", "p2"):
        await admin.make(f"/parties/{name}")
    return admin


async def test_what_meets_the_geometry_is_found(party: Caller) -> None:
    await party.make("/parties/p1/boundaries/b1", geometry=square(10, 10, 1), name="N")
    await party.make("/parties/p2/boundaries/b2", geometry=square(12, 10, 1))
    await party.make("/parties/p2/boundaries/b3")
    assert await found(party, intersectsWithGeometry=square(10.5, 10.5, 0.1)) == ["b1"]
    assert await found(party, intersectsWithGeometry=square(10.5, 10.5, 5)) == ["b1", "b2"]
    assert await found(party, intersectsWithGeometry=point(12.5, 10.5)) == ["b2"]
    # What only touches meets, too.
    assert await found(party, intersectsWithGeometry=point(11, 11)) == ["b1"]
    assert await found(party, intersectsWithGeometry=square(20, 20, 1)) == []
    several = {
        "type": "MultiPolygon",
        "coordinates": [square(0, 0, 1)["coordinates"], square(9, 9, 3.5)["coordinates"]],
    }
    assert await found(party, intersectsWithGeometry=several) == ["b1", "b2"]
    assert await found(party) == ["b1", "b2", "b3"]
    assert await found(party, "/parties/p2/boundaries", intersectsWithGeometry=square(10, 10, 5)) == ["b2"]
    assert await found(party, "/parties/p2/boundaries") == ["b2", "b3"]


async def test_boxes_that_meet_are_not_enough(party: Caller) -> None:
    corner = {"type": "Polygon", "coordinates": [[[0, 0], [4, 0], [0, 4], [0, 0]]]}
    await party.make("/parties/p1/boundaries/b1", geometry=corner)
    assert await found(party, intersectsWithGeometry=square(3, 3, 1)) == []
    assert await found(party, intersectsWithGeometry=square(1, 1, 1)) == ["b1"]


async def test_pages_of_metadata(party: Caller) -> None:
    await party.make("/parties/p1/boundaries/b1", geometry=square(10, 10, 1), name="N")
    (listed,) = (await search(party, intersectsWithGeometry=point(10.5, 10.5)))["value"]
    assert listed["name"] == "N"
    assert not {"geometry", "crs", "centroid", "bbox"} & set(listed)


async def test_what_moves_is_found_where_it_is(party: Caller) -> None:
    path = "/parties/p1/boundaries/b1"
    here, there = {"intersectsWithGeometry": square(0, 0, 1)}, {"intersectsWithGeometry": square(50, 50, 1)}
    await party.make(path, geometry=square(0, 0, 1))
    await party("PATCH", path, json={"name": "N"})
    assert (await found(party, **here), await found(party, **there)) == (["b1"], [])
    await party("PATCH", path, json={"geometry": square(50, 50, 1)})
    assert (await found(party, **here), await found(party, **there)) == ([], ["b1"])
    await party("PATCH", path, json={"geometry": None})
    assert (await found(party, **here), await found(party, **there)) == ([], [])
    await party("PATCH", path, json={"geometry": square(0, 0, 1)})
    assert await found(party, **here) == ["b1"]
    await party("DELETE", path)
    assert await found(party, **here) == []
    await party.make(path, geometry=square(50, 50, 1))
    assert (await found(party, **here), await found(party, **there)) == ([], ["b1"])


async def test_filters_and_geometry_must_both_hold(party: Caller) -> None:
    for number in range(4):
        body = {
            "parentType": "Field",
            "parentId": f"f{number % 2}",
            "name": f"n{number}",
            "properties": {"k": number},
        }
        await party.make_linked(
            f"/parties/p1/boundaries/b{number}", geometry=square(number, 0, 0.5 + number / 10), **body
        )
    everywhere = {"intersectsWithGeometry": square(-1, -1, 9)}
    for body, expected in (
        ({"parentIds": ["f1"]}, ["b1", "b3"]),
        ({"names": ["n0", "n3"], "parentType": "Field"}, ["b0", "b3"]),
        ({"ids": ["b2"], "propertyFilters": ["k eq 2"]}, ["b2"]),
        ({"ids": []}, ["b0", "b1", "b2", "b3"]),
        ({"minArea": None, "minCreatedDateTime": "2000-01-01T00:00:00Z"}, ["b0", "b1", "b2", "b3"]),
        ({"maxCreatedDateTime": "2000-01-01"}, 400),
        ({"maxCreatedDateTime": "2000-01-01T00:00:00"}, []),
        ({"minArea": 1e7}, []),
        ({"minArea": "1e7"}, 400),
        ({"unknown": {"x": 1}}, ["b0", "b1", "b2", "b3"]),
    ):
        for sent in (body, body | everywhere):
            answer = await party(
                "POST", "/boundaries", json=sent, headers={"content-type": "application/json"}
            )
            if expected == 400:
                assert answer.status_code == 400
            else:
                assert [each["id"] for each in answer.json()["value"]] == expected, sent
    areas = sorted(each["area"]["value"] for each in (await search(party))["value"])
    assert await found(party, **everywhere, minArea=areas[1], maxArea=areas[2]) == ["b1", "b2"]


@pytest.mark.parametrize(
    ("body", "target"),
    [
        (
            {"intersectsWithGeometry": point(0, 99)},
            "intersectsWithGeometry.coordinates[1]",
        ),
        ({"intersectsWithGeometry": 5}, "intersectsWithGeometry"),
        (
            {
                "intersectsWithGeometry": {
                    "type": "Polygon",
                    "coordinates": [[[n / 99, 0] for n in range(2600)]],
                }
            },
            "intersectsWithGeometry.coordinates",
        ),
        ({"maxPageSize": 9}, "maxPageSize"),
        ({"maxPageSize": "many"}, "maxPageSize"),
        ({"skipToken": "x"}, "skipToken"),
        ({"ids": "b1"}, "ids"),
        ({"ids": [1]}, "ids[0]"),
        ({"minArea": "much"}, "minArea"),
        ({"propertyFilters": ["k is 2"]}, "propertyFilters"),
        ({"ids": ["x"] * 1001}, "ids"),
    ],
)
async def test_wrong_searches_are_refused(party: Caller, body: dict[str, Any], target: str) -> None:
    refused = await party("POST", "/boundaries", json=body, headers={"content-type": "application/json"})
    assert refused.status_code == 400
    assert refused.json()["error"]["target"] == target, refused.text


async def test_who_may_search(party: Caller, caller: Any) -> None:
    assert await found(caller("reader")) == []
    refused = await caller("nobody")("POST", "/boundaries", json={})
    assert refused.status_code == 403


async def scattered(caller: Caller, dice: random.Random, count: int) -> dict[str, Any]:
    """Boundaries of two parties, by id, in the order in which they were made."""
    made = {}
    for number in range(count):
        geometry = square(dice.uniform(0, 10), dice.uniform(0, 10), dice.uniform(0.1, 3))
        party = dice.choice(("p1", "p2"))
        await caller.make(f"/parties/{party}/boundaries/b{number:03}", geometry=geometry, status=party)
        made[f"b{number:03}"] = shapely.Polygon(geometry["coordinates"][0])
    return made


@pytest.fixture(params=[3, 20, 5000])
def most_looked_at(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """So few that a search has to walk through rows, and so many that the index names them all."""
    monkeypatch.setattr(pages, "MOST_LOOKED_AT", request.param)
    return request.param


@pytest.mark.parametrize("seed", range(2))
async def test_pages_have_what_shapely_finds(party: Caller, most_looked_at: int, seed: int) -> None:
    dice = random.Random(seed)
    made = await scattered(party, dice, 60)
    for _ in range(4):
        geometry = square(dice.uniform(0, 8), dice.uniform(0, 8), dice.uniform(0.1, 5))
        shape = shapely.Polygon(geometry["coordinates"][0])
        expected = [name for name, other in made.items() if shapely.intersects(shape, other)]
        assert await every_page(party, intersectsWithGeometry=geometry, maxPageSize=10) == expected
        of_party = [
            each["id"] for each in (await search(party, "/parties/p1/boundaries", maxPageSize=100))["value"]
        ]
        assert await every_page(
            party, "/parties/p1/boundaries", intersectsWithGeometry=geometry, maxPageSize=10
        ) == [name for name in expected if name in of_party]
        assert await every_page(party, intersectsWithGeometry=geometry, statuses=["p2"], maxPageSize=10) == [
            name for name in expected if name not in of_party
        ]


async def test_tokens_go_on_by_body_and_by_query(party: Caller) -> None:
    for number in range(25):
        await party.make(f"/parties/p1/boundaries/b{number:02}", geometry=square(1, 1, 1), name="N")
    body = {"intersectsWithGeometry": point(1.5, 1.5), "names": ["N"], "maxPageSize": 10}
    first = await search(party, **body)
    token = first["skipToken"]
    assert first["nextLink"].startswith(
        "https://headland.example:8443/farm/meadow/boundaries?api-version=2022-11-01"
    )
    second = await search(party, skipToken=token)
    assert [each["id"] for each in second["value"]] == [f"b{n}" for n in range(10, 20)]
    assert (await party.follow(first["nextLink"])).json()["value"] == second["value"]
    # What was deleted meanwhile is gone, and nothing else is.
    await party("DELETE", "/parties/p1/boundaries/b21")
    third = await search(party, skipToken=second["skipToken"])
    assert [each["id"] for each in third["value"]] == ["b20", "b22", "b23", "b24"]
    assert "nextLink" not in third
    elsewhere = await party("GET", "/parties/p1/boundaries", params={"skipToken": token})
    assert elsewhere.status_code == 400


async def test_a_search_of_many_corners_goes_on(party: Caller) -> None:
    for number in range(12):
        await party.make(f"/parties/p1/boundaries/b{number:02}", geometry=square(0, 0, 1))
    ring = [[n / 1000, 0] for n in range(1250)] + [[n / 1000, 1.123456789] for n in reversed(range(1249))]
    circle = {"type": "Polygon", "coordinates": [[*ring, ring[0]]]}
    assert len(await every_page(party, intersectsWithGeometry=circle, maxPageSize=10)) == 12
