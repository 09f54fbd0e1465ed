"""Whatever is sent as a geometry is refused by its place, or is one that GEOS calls good."""

import math
from typing import Any

import msgspec
import shapely
from hypothesis import given
from hypothesis import strategies as st

from headland.farm.geometry import Placed, placed
from headland.farm.geometry.measuring import acres, box_of, centroid
from headland.farm.geometry.overlapping import overlap
from headland.farm.geometry.seeking import Sought
from headland.http.validation import BodyInvalidError

numbers = st.one_of(
    st.integers(-4, 4),
    st.floats(-4, 4),
    st.floats(-200, 200),
    st.sampled_from(["1", "nan", "x", None, 1e300]),
)
positions = st.lists(numbers, min_size=1, max_size=4)
rings = st.lists(positions, max_size=8)
geometries = st.one_of(
    st.fixed_dictionaries({"type": st.just("Point"), "coordinates": positions}),
    st.fixed_dictionaries({"type": st.just("Polygon"), "coordinates": st.lists(rings, max_size=3)}),
    st.fixed_dictionaries(
        {"type": st.just("MultiPolygon"), "coordinates": st.lists(st.lists(rings, max_size=2), max_size=3)}
    ),
    st.recursive(
        st.none() | st.text() | numbers, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
    ),
)

#: Stars around a centre: each ray once, so that no edge crosses another.
stars = st.builds(
    lambda x, y, reaches: [
        [
            x + reach * math.cos(2 * math.pi * n / len(reaches)),
            y + reach * math.sin(2 * math.pi * n / len(reaches)),
        ]
        for n, reach in enumerate(reaches)
    ],
    st.floats(-100, 100),
    st.floats(-60, 60),
    st.lists(st.floats(0.01, 5), min_size=3, max_size=12),
)


def polygon(*rings: Any) -> dict[str, Any]:
    return {"type": "Polygon", "coordinates": list(rings)}


def taken(geometry: object) -> Placed | BodyInvalidError:
    try:
        return placed(geometry, "geometry")
    except BodyInvalidError as error:
        return error


@given(geometries)
def test_anything(geometry: object) -> None:
    kept = taken(geometry)
    if isinstance(kept, BodyInvalidError):
        assert kept.field == "geometry" or kept.field.startswith("geometry.")
        assert kept.reason
        return
    shape = shapely.from_wkb(kept.wkb)
    assert shapely.is_valid(shape)
    assert kept.box == tuple(shapely.bounds(shape))
    assert math.isfinite(acres(kept.geometry))
    longitude, latitude = centroid(kept.geometry).coordinates
    west, south, east, north = box_of(kept.geometry)
    assert west <= longitude <= east
    assert south <= latitude <= north
    # What is kept is good when it comes back.
    assert placed(msgspec.to_builtins(kept.geometry), "geometry") == kept


@given(stars)
def test_what_does_not_cross_itself_is_taken_either_way_round(ring: list[list[float]]) -> None:
    one, other = placed(polygon(ring), "geometry"), placed(polygon(ring[::-1]), "geometry")
    assert acres(one.geometry) > 0
    assert math.isclose(acres(one.geometry), acres(other.geometry), rel_tol=1e-6)
    assert Sought.of_wkb(one.wkb).meets([other.wkb]) == [True]


@given(stars, stars)
def test_what_is_common_is_no_more_than_either(first: list[list[float]], second: list[list[float]]) -> None:
    one, other = placed(polygon(first), "geometry"), placed(polygon(second), "geometry")
    areas = overlap(one.wkb, other.wkb)
    assert areas.common <= min(areas.one, areas.other) * (1 + 1e-6)
    assert math.isclose(areas.common, overlap(other.wkb, one.wkb).common, rel_tol=1e-6, abs_tol=1e-6)
    if not Sought.of_wkb(one.wkb).meets([other.wkb])[0]:
        assert areas.common == 0
