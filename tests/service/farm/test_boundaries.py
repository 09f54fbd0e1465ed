"""Boundaries: what is kept of them, what is measured, and what lists leave out."""

import json
import math
from typing import Any

import pytest
from tests.service.farm.conftest import MAX_BODY, MAX_GEOMETRY_BODY, Caller

pytestmark = pytest.mark.anyio

RING = [
    [73.70457172393799, 20.545385304358106],
    [73.70457172393799, 20.545385304358106],
    [73.70448589324951, 20.542411534243367],
    [73.70877742767334, 20.541688176010233],
    [73.71023654937744, 20.545083911372505],
    [73.70663166046143, 20.546992723579137],
    [73.70457172393799, 20.545385304358106],
]
GEOMETRY = {"type": "Polygon", "coordinates": [RING]}
WEST, SOUTH, EAST, NORTH = 73.70448589324951, 20.541688176010233, 73.71023654937744, 20.546992723579137
MEASURED = {
    "area": {"unit": "Acre", "value": 60.405},
    "crs": "WGS84",
    "centroid": {"type": "Point", "coordinates": [73.70711478791443, 20.54418916247634]},
    "bbox": {
        "type": "Polygon",
        "coordinates": [[[WEST, SOUTH], [WEST, NORTH], [EAST, NORTH], [EAST, SOUTH]]],
    },
}
PATH = "/parties/p1/boundaries/b1"


def square(x: float, y: float, side: float) -> dict[str, Any]:
    ring = [[x, y], [x + side, y], [x + side, y + side], [x, y + side], [x, y]]
    return {"type": "Polygon", "coordinates": [ring]}


@pytest.fixture
async def party(admin: Caller) -> Caller:
    await admin.make("/parties/p1")
    return admin


async def test_a_boundary_is_measured(party: Caller) -> None:
    body = {"geometry": GEOMETRY, "parentType": "Field", "parentId": "f1", "type": "outer", "name": "N"}
    made = await party.make_linked(PATH, **body)
    assert made.items() >= (body | MEASURED).items()
    assert (await party("GET", PATH)).json() == made


async def test_lists_have_no_geometry(party: Caller) -> None:
    made = await party.make(PATH, geometry=GEOMETRY, name="N")
    for path in ("/boundaries", "/parties/p1/boundaries"):
        (listed,) = (await party("GET", path)).json()["value"]
        assert listed == {
            name: value for name, value in made.items() if name not in {"geometry", "crs", "centroid", "bbox"}
        }
        assert listed["area"] == MEASURED["area"]


async def test_what_is_measured_is_not_the_clients_to_say(party: Caller) -> None:
    claims = {"area": {"unit": "Hectare", "value": 1}, "crs": "X", "centroid": 5, "bbox": None}
    made = await party.make(PATH, geometry=GEOMETRY, **claims)
    assert made.items() >= MEASURED.items()
    bare = await party.make("/parties/p1/boundaries/b2", **claims)
    assert not bare.keys() & {*MEASURED, "geometry"}


async def test_a_geometry_is_replaced_whole_kept_and_removed(party: Caller) -> None:
    made = await party.make(PATH, geometry=GEOMETRY)
    renamed = (await party("PATCH", PATH, json={"name": "N"})).json()
    assert renamed.items() >= ({"name": "N", "geometry": GEOMETRY} | MEASURED).items()
    moved = (await party("PATCH", PATH, json={"geometry": square(1, 2, 1)})).json()
    assert moved["geometry"] == square(1, 2, 1)
    assert moved["centroid"]["coordinates"] == pytest.approx([1.5, 2.5])
    assert moved["area"]["value"] > 1000 * made["area"]["value"]
    part = await party("PATCH", PATH, json={"geometry": {"coordinates": RING}})
    assert part.status_code == 400
    assert (await party("GET", PATH)).json() == moved
    gone = (await party("PATCH", PATH, json={"geometry": None})).json()
    assert not gone.keys() & {*MEASURED, "geometry"}
    assert (await party("GET", PATH)).json() == gone


@pytest.mark.parametrize(
    ("geometry", "target"),
    [
        ({"type": "Polygon", "coordinates": [[[0, 0], [1, 1], [1, 0], [0, 1]]]}, "geometry.coordinates[0]"),
        ({"type": "Point", "coordinates": [0, 91]}, "geometry.coordinates[1]"),
        ({"type": "Circle", "coordinates": [0, 0]}, "geometry.type"),
        ("POINT (1 2)", "geometry"),
        ({"type": "Polygon", "coordinates": [[[[0]]]]}, "geometry.coordinates[0][0]"),
    ],
)
async def test_a_wrong_geometry_is_refused_by_its_place(party: Caller, geometry: Any, target: str) -> None:
    refused = await party("PATCH", PATH, json={"name": "N", "geometry": geometry})
    assert refused.status_code == 400
    error = refused.json()["error"]
    assert (error["code"], error["target"]) == ("InvalidInput", target)
    assert error["details"][0]["target"] == target
    assert (await party("GET", PATH)).status_code == 404


async def test_a_body_that_is_nothing_but_depth(party: Caller) -> None:
    deep = b'{"geometry":{"type":"Polygon","coordinates":' + b"[" * 40_000 + b"]" * 40_000 + b"}}"
    headers = {"content-type": "application/merge-patch+json"}
    refused = await party("PATCH", PATH, content=deep, headers=headers)
    assert refused.status_code == 400
    assert refused.json()["error"]["code"] == "InvalidInput"


async def test_filters(party: Caller) -> None:
    for number, (kind, parent) in enumerate((("Field", "f1"), ("Field", "f2"), ("SeasonalField", "f1"))):
        body = {"parentType": kind, "parentId": parent, "type": f"t{number}"}
        await party.make_linked(
            f"/parties/p1/boundaries/b{number}", geometry=square(0, 0, 0.01 * (number + 1)), **body
        )
    areas = [each["area"]["value"] for each in (await party("GET", "/boundaries")).json()["value"]]
    for params, found in (
        ({"parentType": "Field"}, ["b0", "b1"]),
        ({"parentIds": ["f1"]}, ["b0", "b2"]),
        ({"parentIds": ["f1", "f2"], "parentType": "SeasonalField"}, ["b2"]),
        ({"type": "t1"}, ["b1"]),
        ({"minArea": areas[1]}, ["b1", "b2"]),
        ({"maxArea": areas[1], "minArea": areas[1] - 0.001}, ["b1"]),
        ({"isPrimary": "perhaps"}, ["b0", "b1", "b2"]),
    ):
        assert await party.ids("/boundaries", **params) == found, params


@pytest.mark.parametrize("kind", ["fields", "seasonal-fields"])
async def test_what_has_a_boundary_stays(party: Caller, kind: str) -> None:
    word = {"fields": "Field", "seasonal-fields": "SeasonalField"}[kind]
    await party.make(f"/parties/p1/{kind}/x1")
    await party.make(PATH, parentType=word, parentId="x1", geometry=GEOMETRY)
    refused = await party("DELETE", f"/parties/p1/{kind}/x1")
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "ResourceInUse")
    assert (await party("DELETE", PATH)).status_code == 204
    assert (await party("DELETE", f"/parties/p1/{kind}/x1")).status_code == 204


async def test_a_parent_is_of_a_known_kind(party: Caller) -> None:
    refused = await party("PATCH", PATH, json={"parentType": "Barn"})
    assert refused.status_code == 400
    assert refused.json()["error"]["target"] == "parentType"


def lines(*documents: Any) -> bytes:
    return b"".join(json.dumps(each).encode() + b"\n" for each in documents)


NDJSON = {"content-type": "application/x-ndjson"}
STAMPS = ("id", "eTag")


async def test_what_is_brought_in_is_what_a_patch_would_have_made(party: Caller) -> None:
    body = {"geometry": GEOMETRY, "name": "N"}
    made = await party.make(PATH, **body)
    plain = {"id": "fast", "partyId": "p1", **body, "area": {"value": 1}, "crs": "X", "bbox": square(0, 0, 1)}
    sent = lines(
        plain, {**plain, "id": "slow", "status": None}, {**plain, "id": "bad", "geometry": {"type": "Point"}}
    )
    told = (await party("POST", "/bulk/boundaries", content=sent, headers=NDJSON)).text.splitlines()
    refused = json.loads(told[0])
    assert (refused["line"], refused["target"]) == (3, "geometry.coordinates")
    assert json.loads(told[-1])["created"] == 2
    for name in ("fast", "slow"):
        found = (await party("GET", f"/parties/p1/boundaries/{name}")).json()
        assert {k: v for k, v in found.items() if k not in STAMPS} == {
            k: v for k, v in made.items() if k not in STAMPS
        }


@pytest.mark.parametrize("family", ["", "/boundaries"])
async def test_what_is_taken_out_comes_back_as_it_was(party: Caller, family: str) -> None:
    made = await party.make(PATH, geometry=GEOMETRY, name="N")
    bare = await party.make("/parties/p1/boundaries/b2", name="M")
    taken = (await party("GET", f"/bulk{family}")).content
    await party("PATCH", PATH, json={"geometry": square(1, 1, 1)})
    await party("PATCH", "/parties/p1/boundaries/b2", json={"geometry": square(1, 1, 1)})
    told = await party("POST", f"/restore{family}", content=taken, headers=NDJSON)
    assert json.loads(told.text.splitlines()[-1])["updated"] == 2
    assert (await party("GET", PATH)).json() == made
    assert (await party("GET", "/parties/p1/boundaries/b2")).json() == bare
    again = await party("POST", f"/restore{family}", content=taken, headers=NDJSON)
    assert json.loads(again.text.splitlines()[-1])["updated"] == 0


async def test_sizes_have_a_limit(party: Caller) -> None:
    many = {"type": "Polygon", "coordinates": [[[n / 100, (n / 1000) ** 2] for n in range(2700)]]}
    refused = await party("PATCH", PATH, json={"geometry": many})
    assert refused.json()["error"]["target"] == "geometry.coordinates"
    assert "has 2700 positions; at most 2600 are taken" in refused.json()["error"]["message"]
    for name in ("x", None):
        sent = lines({"id": "b1", "partyId": "p1", "geometry": many, "name": name})
        told = (await party("POST", "/bulk/boundaries", content=sent, headers=NDJSON)).text.splitlines()
        assert (json.loads(told[0])["target"], json.loads(told[0])["id"]) == ("geometry.coordinates", "b1")


async def test_a_line_moves_what_is_there(party: Caller) -> None:
    await party.make(PATH, geometry=GEOMETRY, name="N")
    for extra in ({}, {"status": None}):
        for number, side in enumerate((1, 2)):
            geometry = square(number, 0, side)
            sent = lines({"id": "b1", "partyId": "p1", "geometry": geometry, **extra})
            told = (await party("POST", "/bulk/boundaries", content=sent, headers=NDJSON)).text.splitlines()
            assert json.loads(told[-1])["updated"] == 1
            found = (await party("GET", PATH)).json()
            assert (found["geometry"], found["name"]) == (geometry, "N")
            body = {"intersectsWithGeometry": {"type": "Point", "coordinates": [number + side, side]}}
            answer = await party(
                "POST", "/boundaries", json=body, headers={"content-type": "application/json"}
            )
            assert [each["id"] for each in answer.json()["value"]] == ["b1"]


async def test_as_many_positions_as_may_be_fit_into_a_body(party: Caller) -> None:
    most = 2_600
    turn = [2 * math.pi * number / (most - 1) for number in range(most - 1)]
    ring = [[73.1 + math.cos(each) / 100, 20.1 + math.sin(each) / 100] for each in turn]
    geometry = {"type": "Polygon", "coordinates": [[*ring, ring[0]]]}
    body = json.dumps({"geometry": geometry}, indent=1).encode()
    assert MAX_BODY < len(body) < MAX_GEOMETRY_BODY
    merge = {"content-type": "application/merge-patch+json"}
    made = await party("PATCH", PATH, content=body, headers=merge)
    assert made.status_code == 201, made.text
    line = json.dumps({"id": "b2", "partyId": "p1", "name": "N" * 90, "geometry": geometry})
    told = await party(
        "POST", "/bulk/boundaries", content=line, headers={"content-type": "application/x-ndjson"}
    )
    assert json.loads(told.text.splitlines()[-1])["created"] == 1
    larger = await party("PATCH", PATH, content=body + b" " * MAX_GEOMETRY_BODY, headers=merge)
    assert larger.status_code == 413
    assert "farm.max_geometry_body" in larger.json()["error"]["message"]
    plain = await party("PATCH", "/parties/p2", content=b"{}" + b" " * MAX_BODY, headers=merge)
    assert plain.status_code == 413
    assert "server.max_body" in plain.json()["error"]["message"]
