"""Primary boundaries, which the first two versions know: one at most of each field and seasonal field."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from tests.service.farm.conftest import Caller

pytestmark = pytest.mark.anyio

A, B, C = "2021-03-31-preview", "2021-07-31-preview", "2022-11-01-preview"
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

Ask = Callable[..., Any]


@pytest.fixture(params=[A, B], ids="AB")
def version(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
async def old(admin: Caller, version: str) -> Ask:
    """Somebody who speaks an old version: method, path below the farmer, body; status and answer."""

    async def ask(
        method: str, path: str, body: Any = None, speaks: str = version, **params: str
    ) -> tuple[int, Any]:
        above = "parties" if speaks == C else "farmers"
        options = {} if body is None else {"json": body}
        answer = await admin(
            method, f"/{above}/p1{path}", params={"api-version": speaks, **params}, **options
        )
        return answer.status_code, answer.json() if answer.content else None

    await ask("PATCH", "", {})
    for name in ("f1", "f2"):
        await ask("PATCH", f"/fields/{name}", {})
    await ask("PATCH", "/seasonal-fields/f1", {})
    return ask


def of_field(name: str, **members: Any) -> dict[str, Any]:
    return {"parentType": "Field", "parentId": name, **members}


async def test_acreage_is_not_rounded(old: Ask) -> None:
    status, made = await old("PATCH", "/boundaries/b1", {"geometry": GEOMETRY, "isPrimary": True})
    assert (status, made["acreage"], made["isPrimary"]) == (201, 60.40491151079627, True)
    assert not {"area", "crs", "centroid", "bbox", "type"} & set(made)
    _, newer = await old("GET", "/boundaries/b1", speaks=C)
    assert newer["area"] == {"unit": "Acre", "value": 60.405}
    assert not {"acreage", "isPrimary"} & set(newer)
    await old("PATCH", "/boundaries/b2", {"geometry": GEOMETRY}, speaks=C)
    assert (await old("GET", "/boundaries/b2"))[1]["acreage"] == 60.40491151079627
    await old("PATCH", "/boundaries/b1", {"name": "N", "geometry": None}, speaks=C)
    assert (await old("GET", "/boundaries/b1"))[1].keys() & {"acreage", "geometry", "isPrimary"} == {
        "isPrimary"
    }


async def test_lists_have_the_geometry_in_the_first_version_alone(old: Ask, version: str) -> None:
    await old("PATCH", "/boundaries/b1", {"geometry": GEOMETRY})
    for method, body in (("GET", None), ("POST", {"intersectsWithGeometry": GEOMETRY})):
        _, page = await old(method, "/boundaries", body)
        (listed,) = page["value"]
        assert ("geometry" in listed) == (version == A)
        assert listed["acreage"] == 60.40491151079627


async def test_overlaps_are_acreages(old: Ask) -> None:
    await old("PATCH", "/boundaries/b1", {"geometry": GEOMETRY})
    _, found = await old("GET", "/boundaries/b1/overlap", otherFarmerId="p1", otherBoundaryId="b1")
    assert found["boundaryAcreage"] == found["otherBoundaryAcreage"] == 60.40491151079627
    assert found["intersectingAcreage"] == pytest.approx(60.40491151079627)


async def test_a_field_has_one_primary_boundary(old: Ask) -> None:
    assert (await old("PATCH", "/boundaries/b1", of_field("f1", isPrimary=True)))[0] == 201
    status, refused = await old("PATCH", "/boundaries/b2", of_field("f1", isPrimary=True))
    assert (status, refused["error"]["code"], refused["error"]["target"]) == (
        409,
        "ResourceConflict",
        "isPrimary",
    )
    assert "'b1'" in refused["error"]["message"]
    assert (await old("GET", "/boundaries/b2"))[0] == 404
    assert (await old("PATCH", "/boundaries/b2", of_field("f1")))[0] == 201
    assert (await old("PATCH", "/boundaries/b2", {"isPrimary": True}))[0] == 409
    # Again itself, another field's, a seasonal field's, nobody's.
    assert (await old("PATCH", "/boundaries/b1", {"isPrimary": True, "name": "N"}))[0] == 200
    assert (await old("PATCH", "/boundaries/b3", of_field("f2", isPrimary=True)))[0] == 201
    seasonal = {"parentType": "SeasonalField", "parentId": "f1", "isPrimary": True}
    assert (await old("PATCH", "/boundaries/b4", seasonal))[0] == 201
    for name in ("b5", "b6"):
        assert (await old("PATCH", f"/boundaries/{name}", {"isPrimary": True}))[0] == 201
    assert (await old("PATCH", "/boundaries/b1", {"isPrimary": False}))[0] == 200
    assert (await old("PATCH", "/boundaries/b2", {"isPrimary": True}))[0] == 200
    # One that was made primary in an old version can't be moved to where there is one, in any version.
    assert (await old("PATCH", "/boundaries/b3", {"parentId": "f1"}, speaks=C))[0] == 409


async def test_fields_show_their_boundaries(old: Ask) -> None:
    _, bare = await old("GET", "/fields/f1")
    assert not {"boundaryIds", "primaryBoundaryId"} & set(bare)
    await old("PATCH", "/boundaries/b1", of_field("f1"))
    await old("PATCH", "/boundaries/b2", of_field("f1", isPrimary=True))
    await old("PATCH", "/boundaries/b3", {"parentType": "SeasonalField", "parentId": "f1"})
    shown = {"boundaryIds": ["b1", "b2"], "primaryBoundaryId": "b2"}
    _, field = await old("GET", "/fields/f1")
    assert field == bare | shown
    _, page = await old("GET", "/fields")
    assert [each.get("boundaryIds") for each in page["value"]] == [["b1", "b2"], None]
    _, patched = await old("PATCH", "/fields/f1", {"name": "N", "boundaryIds": ["x"]})
    assert patched == patched | shown
    _, seasonal = await old("GET", "/seasonal-fields/f1")
    assert seasonal["boundaryIds"] == ["b3"]
    assert "primaryBoundaryId" not in seasonal
    _, newer = await old("GET", "/fields/f1", speaks=C)
    assert not shown.keys() & newer.keys()
    await old("DELETE", "/boundaries/b2")
    assert "primaryBoundaryId" not in (await old("GET", "/fields/f1"))[1]


async def test_lines_are_held_to_it_too(admin: Caller, old: Ask, version: str) -> None:
    sent = b"".join(
        json.dumps({"id": name, "farmerId": "p1", **of_field("f1", isPrimary=True)}).encode() + b"\n"
        for name in ("b1", "b2")
    )
    headers = {"content-type": "application/x-ndjson"}
    answer = await admin(
        "POST", "/bulk/boundaries", content=sent, headers=headers, params={"api-version": version}
    )
    refused, *_, last = map(json.loads, answer.text.splitlines())
    assert (refused["line"], refused["code"], refused["id"]) == (2, "ResourceConflict", "b2")
    assert (last["created"], last["refused"]) == (1, 1)
