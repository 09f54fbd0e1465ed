"""Boundaries by azure-agrifood-farming and by @azure-rest/agrifood-farming."""

from collections.abc import Callable
from typing import Any

import pytest


def test_python(driver: Callable[..., Any]) -> None:
    seen = driver("boundaries.py", "pyshape", "-40")
    created = seen["created"]
    assert created["area"] == {"unit": "Acre", "value": 60.405}
    assert created["crs"] == "WGS84"
    assert created["centroid"] == {"type": "Point", "coordinates": [73.70711478791443, 20.54418916247634]}
    assert created["geometry"]["coordinates"][0][0] == created["geometry"]["coordinates"][0][1]
    assert seen["same"]
    assert seen["renamed"]
    assert seen["listed"] == [["recorded", False, {"unit": "Acre", "value": 60.405}]]
    assert seen["pages"] == [50, 11]
    assert seen["searched"]
    assert seen["search pages"] == [50, 10]
    assert seen["at a point"] == ["b29", "b30"]
    one, other, common = seen["overlap"]
    assert one == pytest.approx(other)
    assert common == pytest.approx(one / 2, rel=1e-3)
    assert seen["refusals"] == {
        "crossed": ["HttpResponseError", 400, "InvalidInput"],
        "reader writes": ["HttpResponseError", 403, "AuthorizationFailed"],
        "field in use": ["ResourceExistsError", 409, "ResourceInUse"],
        "absent": ["ResourceNotFoundError", 404, "ResourceNotFound"],
    }
    assert seen["deleted"] == ["ResourceNotFoundError", 404, "ResourceNotFound"]
    assert seen["job"] == ["Succeeded", "Succeeded", 404]


def test_javascript(driver: Callable[..., Any]) -> None:
    seen = driver("boundaries.mjs", "jsshape", "-60")
    status, created = seen["created"]
    assert (status, created["name"], created["crs"], created["area"]["unit"]) == (
        "201",
        "First",
        "WGS84",
        "Acre",
    )
    assert seen["same"]
    assert seen["updated"] == "200"
    assert seen["lists"] == seen["searches"] == [[10, 10, 5]] * 2
    assert seen["point"] == [["b09", "b10"]]
    status, overlap = seen["overlap"]
    assert status == "200"
    assert overlap["intersectingArea"] == pytest.approx(overlap["boundaryArea"] / 2, rel=1e-3)
    assert seen["crossed"] == [True, "400", "geometry.coordinates[0]"]
    assert seen["job"] == ["202", "Succeeded"]
    assert seen["details"] == "Succeeded"
    assert (seen["deleted"], seen["gone"]) == ("204", ["404", "404"])
