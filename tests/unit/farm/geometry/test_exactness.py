"""Centroids at any size, beside GEOS's in planes of their own and the ellipsoid's; areas at the edges of maps."""

import math
import random

import numpy as np
import pyproj
import pytest
import shapely

from headland.farm.geometry import Geometry, MultiPolygon, Polygon, checked
from headland.farm.geometry.measuring import ACRES_A_SQUARE_METRE, EARTH_RADIUS, acres, centroid
from headland.farm.geometry.together import placed_together

_EARTH = 4 * math.pi * EARTH_RADIUS**2 * ACRES_A_SQUARE_METRE
_WGS84 = pyproj.Geod(ellps="WGS84")


def _ring(dice: random.Random, x: float, y: float, metres: float, corners: int) -> list[list[float]]:
    """A star, so that many are concave."""
    north = metres / 111_195
    east = north / math.cos(math.radians(y))
    turns = sorted(dice.uniform(0, 2 * math.pi) for _ in range(corners))
    ring = [
        [x + east * far * math.cos(turn), y + north * far * math.sin(turn)]
        for turn, far in ((turn, dice.uniform(0.3, 1)) for turn in turns)
    ]
    return [*ring, ring[0]]


def _hook(x: float, y: float, metres: float) -> list[list[float]]:
    """Its centroid is outside of it, or near its edge."""
    side = metres / 111_195
    corners = [(0, 0), (3, 0), (3, 1), (1, 1), (1, 3), (0, 3), (0, 0)]
    return [[x + side * a, y + side * b] for a, b in corners]


def _parcel(dice: random.Random) -> Geometry:
    # From 1 m² to 1e9 m².
    metres = 10 ** dice.uniform(0, 4.2)
    x, y = dice.uniform(-179, 179), dice.uniform(-75, 75)
    match dice.randrange(4):
        case 0:
            return Polygon([_hook(x, y, metres)])
        case 1:
            side = metres / 111_195
            hole = [[x + side * a, y + side * b] for a, b in ((1, 1), (1, 2), (2, 2), (2, 1), (1, 1))]
            outer = [[x + side * a, y + side * b] for a, b in ((0, 0), (4, 0), (4, 3), (0, 3), (0, 0))]
            return Polygon([outer, hole])
        case 2:
            far = 10 * metres / 111_195 / math.cos(math.radians(y))
            return MultiPolygon([[_hook(x, y, metres)], [_hook(x + min(far, 0.5), y, metres / 2)]])
        case _:
            return Polygon([_ring(dice, x, y, metres, dice.randrange(3, 30))])


def _good(dice: random.Random, count: int) -> list[Geometry]:
    found: list[Geometry] = []
    while len(found) < count:
        parcel = _parcel(dice)
        if _shape(parcel, 0, 0, 1, 1).is_valid:
            found.append(parcel)
    return found


def _shape(parcel: Geometry, x: float, y: float, east: float, north: float) -> shapely.MultiPolygon:
    """In a plane, with its origin somewhere."""
    parts = parcel.coordinates if isinstance(parcel, MultiPolygon) else [parcel.coordinates]
    moved = [
        [[((p[0] - x) * east, (p[1] - y) * north) for p in ring] for ring in rings]  # type: ignore[index,union-attr]
        for rings in parts
    ]
    return shapely.MultiPolygon([(rings[0], rings[1:]) for rings in moved])


def _first(parcel: Geometry) -> list[float]:
    found = np.array(parcel.coordinates[0][0], dtype=object)  # type: ignore[index]
    return list(found[0]) if isinstance(parcel, MultiPolygon) else list(parcel.coordinates[0][0])  # type: ignore[index]


@pytest.mark.parametrize("seed", range(8))
def test_centroids_of_parcels_of_any_size(seed: int) -> None:
    for parcel in _good(random.Random(seed), 400):
        x, y = _first(parcel)[:2]
        # Metres from its first corner, of which GEOS loses nothing.
        north = 111_195.0
        east = north * math.cos(math.radians(y))
        plane = _shape(parcel, x, y, east, north)
        expected = plane.centroid
        longitude, latitude = centroid(parcel).coordinates
        found = shapely.Point((longitude - x) * east, (latitude - y) * north)
        west, south, far_east, far_north = plane.bounds
        size = max(far_east - west, far_north - south)
        assert found.distance(expected) <= 2e-4 * size + 1e-6, parcel
        deep = plane.boundary.distance(expected) > 1e-3 * size
        if deep:
            assert plane.contains(found) == plane.contains(expected), parcel


@pytest.mark.parametrize("seed", range(4))
def test_together_they_are_the_same_to_the_last_digit(seed: int) -> None:
    parcels = [each for each in _good(random.Random(seed), 400) if isinstance(each, Polygon)]
    together = placed_together(parcels)
    for parcel, placed in zip(parcels, together, strict=True):
        assert placed is not None
        alone = checked(parcel, "geometry")
        assert (placed.acres, placed.centroid, placed.box) == (alone.acres, alone.centroid, alone.box)


def test_centroids_are_the_ellipsoids_own() -> None:
    """Each is as far as can be from what its parts on the ellipsoid say: less than a thousandth of its size."""
    dice = random.Random(5)
    for _ in range(200):
        metres = 10 ** dice.uniform(0, 3.5)
        x, y = dice.uniform(-179, 179), dice.uniform(-60, 60)
        hook = _hook(x, y, metres)
        longitude, latitude = centroid(Polygon([hook])).coordinates
        local = pyproj.Transformer.from_crs("EPSG:4326", f"+proj=laea +lat_0={y} +lon_0={x}", always_xy=True)
        plane = shapely.Polygon([local.transform(*p) for p in hook])
        away = shapely.Point(local.transform(longitude, latitude)).distance(plane.centroid)
        assert away <= 2e-3 * metres


def _band(west: float, south: float, east: float, north: float) -> list[list[float]]:
    return [[west, south], [east, south], [east, north], [west, north], [west, south]]


def _cap(south: float, north: float) -> float:
    return _EARTH / 2 * (math.sin(math.radians(north)) - math.sin(math.radians(south)))


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(
    ("south", "north"), [(10, 20), (-20, 20), (-90, 90), (60, 90), (-90, -60), (-89.9, 0)]
)
def test_what_goes_all_around_the_earth(south: float, north: float, turned: bool) -> None:
    ring = _band(-180, south, 180, north)
    polygon = Polygon([ring[::-1] if turned else ring])
    placed = checked(polygon, "geometry")
    assert placed.acres == pytest.approx(_cap(south, north), rel=1e-9)
    (together,) = placed_together([polygon])
    assert together is not None
    assert (together.acres, together.centroid) == (placed.acres, placed.centroid)
    assert placed.centroid.coordinates == pytest.approx([0, (south + north) / 2])


def test_edges_that_go_half_around_the_earth() -> None:
    ring = [[-180, 10], [0, 10], [180, 10], [180, 20], [0, 20], [-180, 20], [-180, 10]]
    assert acres(Polygon([ring])) == pytest.approx(_cap(10, 20), rel=1e-9)


def test_a_field_cut_in_two_at_the_antimeridian_is_measured_as_one() -> None:
    east, west = _band(179.99, -17, 180, -16.99), _band(-180, -17, -179.98, -16.99)
    whole = Polygon([_band(10, -17, 10.03, -16.99)])
    both = checked(MultiPolygon([[east], [west]]), "geometry")
    assert both.acres == pytest.approx(acres(whole), rel=1e-6)
    longitude, latitude = both.centroid.coordinates
    assert (longitude, latitude) == pytest.approx((-179.995, -16.995), abs=1.1e-6)
    other = checked(MultiPolygon([[_band(179.97, -17, 180, -16.99)], [west]]), "geometry")
    assert other.centroid.coordinates == pytest.approx([179.995, -16.995], abs=1.1e-6)


@pytest.mark.parametrize("west", [179.99, -180.0])
def test_a_field_at_the_antimeridian(west: float) -> None:
    field = checked(Polygon([_band(west, 50, west + 0.01, 50.01)]), "geometry")
    assert field.acres == pytest.approx(acres(Polygon([_band(7, 50, 7.01, 50.01)])), rel=1e-9)
    assert field.centroid.coordinates == pytest.approx([west + 0.005, 50.005], abs=1.1e-6)


@pytest.mark.parametrize("pole", [90, -90])
def test_a_field_at_a_pole(pole: int) -> None:
    edge = pole - math.copysign(0.01, pole)
    ring = [[longitude, edge] for longitude in range(-180, 181, 30)]
    ring += [[180, pole], [-180, pole], ring[0]]
    cap = _EARTH / 2 * (1 - math.sin(math.radians(abs(edge))))
    # The edges are arcs of great circles, nearer to the pole than the parallel.
    assert acres(Polygon([ring])) == pytest.approx(cap, rel=0.05)
