"""How far boundaries overlap."""

from typing import Any

import pytest
import shapely
import shapely.geometry
from pyproj import Geod
from tests.service.farm.conftest import Caller

pytestmark = pytest.mark.anyio

PATH = "/parties/p1/boundaries/b1/overlap"


def square(x: float, y: float, side: float) -> dict[str, Any]:
    ring = [[x, y], [x + side, y], [x + side, y + side], [x, y + side], [x, y]]
    return {"type": "Polygon", "coordinates": [ring]}


@pytest.fixture
async def boundaries(admin: Caller) -> Caller:
    for party in ("p1", "p2"):
        await admin.make(f"/parties/{party}")
    await admin.make("/parties/p1/boundaries/b1", geometry=square(10, 50, 0.02))
    await admin.make("/parties/p2/boundaries/b1", geometry=square(10.01, 50.01, 0.02))
    await admin.make("/parties/p2/boundaries/inner", geometry=square(10.01, 50.01, 0.01))
    await admin.make("/parties/p2/boundaries/far", geometry=square(11, 50, 0.02))
    await admin.make("/parties/p2/boundaries/beside", geometry=square(10.02, 50, 0.02))
    await admin.make("/parties/p2/boundaries/nowhere")
    return admin


async def compared(caller: Caller, other: str) -> dict[str, float]:
    answer = await caller("GET", PATH, params={"otherPartyId": "p2", "otherBoundaryId": other})
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


async def test_areas_are_in_acres(boundaries: Caller) -> None:
    found = await compared(boundaries, "b1")
    shown = [
        (await boundaries("GET", f"/parties/{p}/boundaries/b1")).json()["area"]["value"] for p in ("p1", "p2")
    ]
    inner = (await boundaries("GET", "/parties/p2/boundaries/inner")).json()["area"]["value"]
    assert found == {"boundaryArea": shown[0], "otherBoundaryArea": shown[1], "intersectingArea": inner}
    assert inner == pytest.approx(shown[0] / 4, rel=0.01)


async def test_with_itself(boundaries: Caller) -> None:
    answer = await boundaries("GET", PATH, params={"otherPartyId": "p1", "otherBoundaryId": "b1"})
    (area,) = set(answer.json().values())
    assert area > 0


@pytest.mark.parametrize("other", ["far", "beside"])
async def test_what_is_not_common_has_no_area(boundaries: Caller, other: str) -> None:
    found = await compared(boundaries, other)
    assert found["intersectingArea"] == 0
    assert found["otherBoundaryArea"] > 0


@pytest.mark.parametrize(
    ("params", "status", "target"),
    [
        ({}, 400, "otherPartyId"),
        ({"otherPartyId": "p2"}, 400, "otherBoundaryId"),
        ({"otherPartyId": "p2", "otherBoundaryId": "none"}, 404, None),
        ({"otherPartyId": "p3", "otherBoundaryId": "b1"}, 404, None),
        ({"otherPartyId": "p2", "otherBoundaryId": "nowhere"}, 400, "otherBoundaryId"),
    ],
)
async def test_refusals(boundaries: Caller, params: dict[str, str], status: int, target: str | None) -> None:
    refused = await boundaries("GET", PATH, params=params)
    assert (refused.status_code, refused.json()["error"].get("target")) == (status, target)


async def test_who_may_compare(boundaries: Caller, caller: Any) -> None:
    params = {"otherPartyId": "p2", "otherBoundaryId": "b1"}
    assert (await caller("reader")("GET", PATH, params=params)).status_code == 200
    assert (await caller("nobody")("GET", PATH, params=params)).status_code == 403


async def test_area_on_the_ellipsoid(boundaries: Caller) -> None:
    answer = await boundaries("GET", "/parties/p1/boundaries/b1/geodesic-area")
    assert answer.status_code == 200, answer.text
    expected, _ = Geod(ellps="WGS84").geometry_area_perimeter(shapely.box(10, 50, 10.02, 50.02))
    assert answer.json()["squareMetres"] == pytest.approx(abs(expected), rel=1e-9)
    assert answer.json()["area"]["value"] == pytest.approx(abs(expected) * 0.000247105, abs=1e-3)
    on_sphere = (await boundaries("GET", "/parties/p1/boundaries/b1")).json()["area"]["value"]
    assert answer.json()["area"]["value"] == pytest.approx(on_sphere, rel=0.0073)
    nowhere = await boundaries("GET", "/parties/p2/boundaries/nowhere/geodesic-area")
    assert (nowhere.status_code, nowhere.json()["error"]["code"]) == (400, "InvalidInput")


@pytest.mark.parametrize(
    ("box", "expected"),
    [((-180, -90, 180, 90), 510_065_621_724_088), ((-180, 0, 180, 90), 255_032_810_862_044)],
)
async def test_area_of_half_the_earth_and_all_of_it(
    admin: Caller, box: tuple[int, ...], expected: float
) -> None:
    await admin.make("/parties/p1")
    await admin.make("/parties/p1/boundaries/b1", geometry=shapely.geometry.mapping(shapely.box(*box)))
    answer = await admin("GET", "/parties/p1/boundaries/b1/geodesic-area")
    assert answer.json()["squareMetres"] == pytest.approx(expected, rel=1e-6)
