"""What Headland has not, by both public clients: an error that they don't try again, and no absent record."""

from collections.abc import Callable
from typing import Any

from headland.farm.absent import ABSENT


def test_python(driver: Callable[..., Any]) -> None:
    seen = driver("absent.py")
    assert {name.replace("_", "") for name in seen} == {group.name.lower() for group in ABSENT}
    for name, refused in seen.items():
        assert refused == ["HttpResponseError", 501, "NotImplemented", 1], name


def test_javascript(driver: Callable[..., Any]) -> None:
    seen = driver("absent.mjs")
    assert seen.keys() == {group.name for group in ABSENT}
    for name, (status, code, message) in seen.items():
        assert (status, code) == ("501", "NotImplemented")
        assert f"'{name}'" in message
