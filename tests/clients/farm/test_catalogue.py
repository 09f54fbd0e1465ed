"""Every operation on plain documents, by both public clients."""

from collections.abc import Callable
from typing import Any

#: What the instance's documents have in common; a party's are listed twice.
OF_ALL = {"seasons", "crops", "crop_products", "crop-products"}


def test_python(driver: Callable[..., Any]) -> None:
    seen = driver("catalogue.py", "pyc")
    assert len(seen["groups"]) == 16
    for name, group in seen["groups"].items():
        kept = {member for member, value in group.pop("kept").items() if value is not None}
        assert kept, name
        wanted = {
            "same": True,
            "changed": "pyc",
            "listed": ["x1"],
            "gone": ["ResourceNotFoundError", 404],
        }
        assert group == wanted | ({} if name in OF_ALL else {"below": ["x1"]}), name
    insight = seen["insight"]
    assert insight.pop("made").items() >= {"id": "i1", "modelId": "model-1", "resourceType": "Party"}.items()
    assert insight == {
        "same": True,
        "by unit": ["i1"],
        "by value": [],
        "gone": ["ResourceNotFoundError", 404],
    }
    assert seen["pages"] == {"below": [50, 1], "listed": [50, 1]}


def test_javascript(driver: Callable[..., Any]) -> None:
    seen = driver("catalogue.mjs", "jsc")
    assert len(seen["groups"]) == 17
    for name, group in seen["groups"].items():
        lists = 1 if name in OF_ALL | {"insights"} else 2
        assert group == {
            "made": ["201", True],
            "same": True,
            "changed": "200",
            "listed": [["x1"]] * lists,
            "deleted": "204",
            "gone": "404",
        }, name
    assert seen["searched"] == [50, True]
    assert seen["followed"] == [f"f{number:02}" for number in range(51)]
    assert seen["dataset"] == ["201", "201", "jsc-d1"]
