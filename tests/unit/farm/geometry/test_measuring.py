"""Area, centroid and bounding box, beside what the public service answers and what GEOS has."""

import random

import pytest
import shapely

from headland.farm.geometry import Geometry, placed
from headland.farm.geometry.measuring import acres, bounding_polygon, box_of, centroid

#: What the public service was sent, and answered: the acreage, then the centroid.
RECORDED = [
    [73.70457172393799, 20.545385304358106],
    [73.70457172393799, 20.545385304358106],
    [73.70448589324951, 20.542411534243367],
    [73.70877742767334, 20.541688176010233],
    [73.71023654937744, 20.545083911372505],
    [73.70663166046143, 20.546992723579137],
    [73.70457172393799, 20.545385304358106],
]
ACREAGE = 60.40491151079627
CENTROID = [73.70711478791443, 20.54418916247634]


def geometry(kind: str, coordinates: object) -> Geometry:
    return placed({"type": kind, "coordinates": coordinates}, "geometry").geometry


def square(x: float, y: float, side: float) -> list[list[float]]:
    return [[x, y], [x + side, y], [x + side, y + side], [x, y + side], [x, y]]


def test_the_recorded_polygon_to_the_last_digit() -> None:
    polygon = geometry("Polygon", [RECORDED])
    assert acres(polygon) == ACREAGE
    assert centroid(polygon).coordinates == CENTROID
    (corners,) = bounding_polygon(box_of(polygon)).coordinates
    west, south, east, north = 73.70448589324951, 20.541688176010233, 73.71023654937744, 20.546992723579137
    assert corners == [[west, south], [west, north], [east, north], [east, south]]


def test_whichever_way_round_a_ring_is_written() -> None:
    assert acres(geometry("Polygon", [RECORDED[::-1]])) == pytest.approx(ACREAGE, rel=1e-9)
    assert centroid(geometry("Polygon", [RECORDED[::-1]])).coordinates == pytest.approx(CENTROID, abs=1e-6)


def test_parts_are_added_and_holes_taken_out() -> None:
    whole, hole, other = square(10, 10, 1), square(10.25, 10.25, 0.25), square(40, -20, 0.5)
    area = {
        name: acres(geometry("Polygon", [ring])) for name, ring in (("w", whole), ("h", hole), ("o", other))
    }
    for turned in (hole, hole[::-1]):
        assert acres(geometry("Polygon", [whole, turned])) == pytest.approx(area["w"] - area["h"])
    both = geometry("MultiPolygon", [[whole, hole], [other]])
    assert acres(both) == pytest.approx(area["w"] - area["h"] + area["o"])


def test_a_point_has_a_place_and_no_area() -> None:
    here = geometry("Point", [7.25, 50.5, 300.0])
    assert acres(here) == 0
    assert centroid(here).coordinates == [7.25, 50.5]
    assert box_of(here) == (7.25, 50.5, 7.25, 50.5)


def test_the_whole_earth() -> None:
    earth = geometry("Polygon", [[[-180, -90], [0, -90], [180, -90], [180, 90], [0, 90], [-180, 90]]])
    # The formula takes the lesser side of what has no lesser one; it must not fail.
    assert acres(earth) >= 0
    assert centroid(earth).coordinates == pytest.approx([0, 0])


@pytest.mark.parametrize("seed", range(20))
def test_centroids_are_where_geos_has_them(seed: int) -> None:
    dice = random.Random(seed)
    x, y, side = dice.uniform(-170, 160), dice.uniform(-80, 70), dice.uniform(0.001, 5)
    rings = [square(x, y, side), square(x + side / 8, y + side / 8, side / 3)]
    parts = [rings, [square(x + 2 * side, y + side, side / 2)]]
    several = geometry("MultiPolygon", parts)
    polygons = [shapely.Polygon(outer, holes) for outer, *holes in parts]
    expected = shapely.centroid(shapely.multipolygons(polygons))
    assert centroid(several).coordinates == pytest.approx([expected.x, expected.y], abs=1e-4)


@pytest.mark.parametrize("side", [1e-6, 1e-9, 1e-12, 1e-160])
def test_what_is_tiny_has_its_centroid_inside(side: float) -> None:
    x, y = (73.7, 20.5) if side > 1e-100 else (0.0, 0.0)
    tiny = geometry("Polygon", [[[x, y], [x + side, y], [x + side, y + side], [x, y + side]]])
    west, south, east, north = box_of(tiny)
    longitude, latitude = centroid(tiny).coordinates
    assert west <= longitude <= east
    assert south <= latitude <= north
