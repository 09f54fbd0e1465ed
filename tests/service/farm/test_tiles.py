"""Vector tiles of boundaries, read back by a decoder of the format."""

import math
from typing import Any

import httpx
import mapbox_vector_tile
import pytest
from tests.databases import ON_EITHER
from tests.service.farm.conftest import Caller

from headland.farm.tiles import finding

pytestmark = pytest.mark.anyio

TILES = "/tiles/boundaries"
#: At which the squares below are some pixels wide.
ZOOM = 12
SIDE = 0.02


def square(x: float, y: float, side: float = SIDE) -> dict[str, Any]:
    ring = [[x, y], [x + side, y], [x + side, y + side], [x, y + side], [x, y]]
    hole = [[x + side / 4, y + side / 4], [x + side / 2, y + side / 4], [x + side / 2, y + side / 2]]
    return {"type": "Polygon", "coordinates": [ring, [*hole, hole[0]]]}


def tile_at(longitude: float, latitude: float, zoom: int = ZOOM) -> str:
    """By the formulas of https://wiki.openstreetmap.org/wiki/Slippy_map_tilenames."""
    row = (1 - math.asinh(math.tan(math.radians(latitude))) / math.pi) / 2
    return f"{TILES}/{zoom}/{int((longitude + 180) / 360 * 2**zoom)}/{int(row * 2**zoom)}"


def on_earth(tile: str, x: float, y: float) -> tuple[float, float]:
    zoom, column, row = map(int, tile.split("/")[-3:])
    north = math.pi * (1 - 2 * (row + y / 4096) / 2**zoom)
    return (column + x / 4096) / 2**zoom * 360 - 180, math.degrees(math.atan(math.sinh(north)))


def layers(answer: httpx.Response) -> dict[str, list[dict[str, Any]]]:
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/vnd.mapbox-vector-tile"
    decoded = mapbox_vector_tile.decode(answer.content, default_options={"y_coord_down": True})
    return {name: layer["features"] for name, layer in decoded.items()}


def ids(answer: httpx.Response) -> set[str]:
    return {feature["properties"]["id"] for feature in layers(answer).get("outlines", ())}


@pytest.fixture
async def land(admin: Caller) -> Caller:
    for party in ("p1", "p2"):
        await admin.make(f"/parties/{party}")
        await admin.make(f"/parties/{party}/farms/home")
        await admin.make(f"/parties/{party}/fields/west", farmId="home")
    await admin.make("/parties/p1/fields/east")
    for party, id_, x, field in (
        ("p1", "b1", 10.0, "west"),
        ("p1", "b2", 10.03, "east"),
        ("p2", "b3", 10.06, "west"),
    ):
        await admin.make(
            f"/parties/{party}/boundaries/{id_}",
            name=f"Named {id_}",
            parentId=field,
            parentType="Field",
            geometry=square(x, 50.02),
        )
    await admin.make("/parties/p1/boundaries/nowhere")
    return admin


@ON_EITHER
async def test_an_outline_lies_where_it_is(land: Caller) -> None:
    tile = tile_at(10.001, 50.021)
    (feature,) = [f for f in layers(await land("GET", tile))["outlines"] if f["properties"]["id"] == "b1"]
    assert feature["properties"] == {
        "id": "b1",
        "partyId": "p1",
        "name": "Named b1",
        "parentId": "west",
        "parentType": "Field",
    }
    outer, hole = feature["geometry"]["coordinates"]
    corners = {on_earth(tile, *position) for position in outer}
    # A pixel of the tile is a 2,900th of a degree wide.
    for x, y in square(10.0, 50.02)["coordinates"][0]:
        assert min(math.dist((x, y), corner) for corner in corners) < 0.0002
    assert len(hole) == 4


async def test_what_is_too_small_or_too_many_is_counted(land: Caller, monkeypatch: Any) -> None:
    (place,) = {
        tuple(f["geometry"]["coordinates"]) for f in layers(await land("GET", f"{TILES}/0/0/0"))["places"]
    }
    assert on_earth(f"{TILES}/0/0/0", *place) == pytest.approx((10.03, 50.03), abs=0.2)
    # The tile beside it has nothing.
    assert layers(await land("GET", f"{TILES}/1/0/0")) == {}
    tile, one_party = f"{TILES}/7/67/43", {"partyId": "p1"}
    for most, looked_at in ((2, 100), (1, 100), (2, 1), (1, 1)):
        monkeypatch.setattr(finding, "MOST_OUTLINES", most)
        monkeypatch.setattr(finding, "MOST_LOOKED_AT", looked_at)
        # Written to, so that nothing is remembered.
        await land("PATCH", "/parties/p1", json={"name": f"Of {most}, {looked_at}"})
        found = layers(await land("GET", tile))
        assert set(found) == {"places"}
        assert sum(f["properties"]["count"] for f in found["places"]) == 3
        found = layers(await land("GET", tile, params=one_party))
        if most == 2:
            assert len(found["outlines"]) == 2
        else:
            assert sum(f["properties"]["count"] for f in found["places"]) == 2


async def test_tiles_are_narrowed(land: Caller) -> None:
    wests = {"b1": 10.0, "b2": 10.03, "b3": 10.06}
    for narrowed, found in (
        ({}, {"b1", "b2", "b3"}),
        ({"partyId": "p1"}, {"b1", "b2"}),
        ({"partyId": "p1", "farmId": "home"}, {"b1"}),
        ({"partyId": "p1", "parentId": "east"}, {"b2"}),
        ({"partyId": "p1", "boundaryId": "b2"}, {"b2"}),
        ({"partyId": "none"}, set()),
    ):
        assert ids(await land("GET", tile_at(10.03, 50.03, 9), params=narrowed)) == found
        bounds = (await land("GET", TILES, params=narrowed)).json().get("bounds")
        assert (bounds is None) is (not found)
        if found:
            west = min(wests[each] for each in found)
            east = max(wests[each] for each in found) + SIDE
            assert bounds == pytest.approx([west, 50.02, east, 50.04], abs=1e-5)


@ON_EITHER
async def test_the_description_leads_to_the_tiles(land: Caller) -> None:
    description = (await land("GET", TILES, params={"partyId": "p1"})).json()
    (template,) = description["tiles"]
    zoom, column, row = tile_at(10.03, 50.03, 9).split("/")[-3:]
    answer = await land.follow(template.replace("{z}", zoom).replace("{x}", column).replace("{y}", row))
    assert ids(answer) == {"b1", "b2"}
    assert [layer["id"] for layer in description["vector_layers"]] == ["outlines", "places"]


@ON_EITHER
async def test_a_tile_is_kept_until_something_is_written(land: Caller) -> None:
    tile = tile_at(10.03, 50.03, 9)
    first = await land("GET", tile)
    known = {"if-none-match": first.headers["etag"]}
    assert (await land("GET", tile, headers=known)).status_code == 304
    await land("PATCH", "/parties/p1/boundaries/b1", json={"geometry": square(10.1, 50.02)})
    later = await land("GET", tile, headers=known)
    assert later.status_code == 200
    assert later.content != first.content


@ON_EITHER
async def test_what_is_no_tile_is_refused(admin: Caller) -> None:
    for path, params, target in (
        (f"{TILES}/17/0/0", {}, "zoom"),
        (f"{TILES}/3/8/0", {}, "column"),
        (f"{TILES}/3/0/-1", {}, "row"),
        (f"{TILES}/3/0/a", {}, "row"),
        (f"{TILES}/3/0/0", {"farmId": "home"}, "partyId"),
    ):
        answer = await admin("GET", path, params=params)
        assert (answer.status_code, answer.json()["error"]["target"]) == (400, target)
