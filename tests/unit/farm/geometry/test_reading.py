"""GeoJSON: what is taken, what is put right, and what is refused where."""

import json
from typing import Any

import msgspec
import pytest
import shapely

from headland.farm.geometry import Limits, placed
from headland.http.validation import BodyInvalidError

Positions = list[list[float]]


def square(x: float, y: float, side: float) -> Positions:
    return [[x, y], [x + side, y], [x + side, y + side], [x, y + side], [x, y]]


def polygon(*rings: Any) -> dict[str, Any]:
    return {"type": "Polygon", "coordinates": list(rings)}


def several(*polygons: Any) -> dict[str, Any]:
    return {"type": "MultiPolygon", "coordinates": list(polygons)}


def point(*coordinates: Any) -> dict[str, Any]:
    return {"type": "Point", "coordinates": list(coordinates)}


@pytest.mark.parametrize(
    "geometry",
    [
        point(1.5, 2.5),
        point(-180.0, 90.0, 12.5),
        polygon(square(0, 0, 1)),
        polygon(square(0, 0, 1)[::-1]),
        polygon(square(0, 0, 10), square(2, 2, 3), square(6, 6, 2)[::-1]),
        polygon([[0.0, 0.0], [0.0, 0.0], [1.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 0.0]]),
        polygon([[0.0, 0.0, 5.0], [1.0, 0.0, 6.0], [1.0, 1.0, 7.0], [0.0, 0.0, 5.0]]),
        polygon([[-180.0, -90.0], [180.0, -90.0], [180.0, 90.0], [-180.0, 90.0], [-180.0, -90.0]]),
        several([square(0, 0, 1)], [square(5, 5, 1)]),
        # What crosses the antimeridian, in two.
        several([square(179, -17, 1)], [square(-180, -17, 1)]),
        # Neighbours.
        several([square(0, 0, 1)], [square(1, 0, 1)]),
        several([square(0, 0, 1)], [square(1, 1, 1)]),
    ],
)
def test_what_is_legal_stays_as_it_is(geometry: dict[str, Any]) -> None:
    kept = placed(geometry, "geometry")
    assert json.loads(msgspec.json.encode(kept.geometry)) == geometry
    shape = shapely.from_wkb(kept.wkb)
    assert shapely.is_valid(shape)
    assert not shapely.has_z(shape)
    assert kept.box == tuple(shapely.bounds(shape))


def test_rings_are_closed() -> None:
    kept = placed(polygon(square(0, 0, 9)[:-1], square(1, 1, 2)[:-1]), "geometry")
    assert kept == placed(polygon(square(0, 0, 9), square(1, 1, 2)), "geometry")


@pytest.mark.parametrize(
    ("geometry", "field", "reason"),
    [
        (5, "geometry", "expected object, got integer"),
        ([], "geometry", "expected object, got array"),
        ({}, "geometry.type", "is required"),
        ({"type": "LineString", "coordinates": [[0, 0], [1, 1]]}, "geometry.type", "LineString"),
        ({"type": None, "coordinates": [0, 0]}, "geometry.type", "expected string"),
        ({"type": "Point"}, "geometry.coordinates", "is required"),
        ({"type": "Polygon", "coordinates": None}, "geometry.coordinates", "got null"),
        (point(1), "geometry.coordinates", "length >= 2"),
        (point(1, 2, 3, 4), "geometry.coordinates", "length <= 3"),
        (point(1, "x"), "geometry.coordinates[1]", "got string"),
        (point(180.5, 0), "geometry.coordinates[0]", "the longitude 180.5 is not between -180 and 180"),
        (point(0, -90.01), "geometry.coordinates[1]", "the latitude -90.01 is not between -90 and 90"),
        (point("nan", 0), "geometry.coordinates[0]", "expected number, got string"),
        (point(0, "-inf"), "geometry.coordinates[1]", "expected number, got string"),
        (point(0, 0, "inf"), "geometry.coordinates[2]", "expected number, got string"),
        (point(10**400, 0), "geometry.coordinates[0]", "out of range"),
        (polygon(), "geometry.coordinates", "length >= 1"),
        (polygon([]), "geometry.coordinates[0]", "is no ring"),
        (polygon([[0, 0], [1, 1], [0, 0]]), "geometry.coordinates[0]", "is no ring"),
        (polygon(square(0, 0, 9), [[1, 1]]), "geometry.coordinates[1]", "is no ring"),
        (polygon([[0, 0], [1, 0], [200, 1]]), "geometry.coordinates[0][2][0]", "longitude 200.0"),
        (several([square(0, 0, 1)], [[[0, 0], [1, 91], [1, 1]]]), "geometry.coordinates[1][0][1][1]", "91.0"),
        (several([square(0, 0, 1)], []), "geometry.coordinates[1]", "length >= 1"),
        (polygon([[0, 0], [0, 0], [0, 0], [0, 0]]), "geometry.coordinates[0]", "fewer than three different"),
        (polygon([[0, 0], [1, 1], [1, 0], [0, 1]]), "geometry.coordinates[0]", "itself, at [0.5, 0.5]"),
        (polygon([[0, 0], [1, 1], [2, 2]]), "geometry.coordinates[0]", "intersects itself"),
        (
            polygon([[0, 0], [2, 0], [1, 1], [2, 2], [0, 2], [1, 1]]),
            "geometry.coordinates[0]",
            "a ring touches itself, at [1.0, 1.0]",
        ),
        (
            polygon(square(0, 0, 1), square(5, 5, 1)),
            "geometry.coordinates[1]",
            "outside of the outer ring, at [5",
        ),
        (
            polygon(square(0, 0, 9), square(1, 1, 7), square(2, 2, 1)),
            "geometry.coordinates[2]",
            "a hole lies in another hole, at [2.0, 2.0]",
        ),
        (
            several([square(9, 9, 1)], [square(0, 0, 2)], [square(1, 1, 2)]),
            "geometry.coordinates[2]",
            "overlaps the one at geometry.coordinates[1], at [1.5, 1.5]",
        ),
        (
            several([square(5, 5, 1)], [[[0, 0], [1, 1], [1, 0], [0, 1]]]),
            "geometry.coordinates[1][0]",
            "intersects itself, at [0.5, 0.5]",
        ),
        (
            polygon([[179, -17], [-179, -17], [-179, -16], [179, -16]]),
            "geometry.coordinates[0][1]",
            "cut what crosses the antimeridian in two there",
        ),
    ],
)
def test_what_is_no_geometry_is_refused_by_its_place(geometry: object, field: str, reason: str) -> None:
    with pytest.raises(BodyInvalidError) as refused:
        placed(geometry, "geometry")
    assert refused.value.field == field
    assert reason in refused.value.reason


def test_sizes_have_a_limit() -> None:
    assert placed(polygon(square(0, 0, 1)), "g", Limits(5))
    with pytest.raises(BodyInvalidError, match=r"^g\.coordinates: has 10 positions; at most 9 are taken$"):
        placed(polygon(square(0, 0, 9), square(1, 1, 1)), "g", Limits(9))


def test_many_polygons_are_compared_in_little_time() -> None:
    """Were each compared with each, it would be half an hour."""
    tiles = [[square(x / 10, y / 10, 0.1)] for x in range(60) for y in range(60)]
    with pytest.raises(BodyInvalidError, match="overlaps the one at"):
        placed(several(*tiles, [square(1.01, 1.01, 0.01)]), "geometry")
