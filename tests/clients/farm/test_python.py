"""azure-agrifood-farming, with azure-identity."""

import re
from collections.abc import Callable
from typing import Any


def test_records(driver: Callable[..., Any]) -> None:
    seen = driver("records.py", "py")
    created, updated = seen["created"], seen["updated"]
    assert created["id"] == "py-party"
    assert created["properties"] == {"foo": "bar", "numeric one": 1, "1": "k"}
    assert re.fullmatch(r"[0-9a-f-]{36}", created["eTag"])
    assert seen["same"]
    assert "status" not in updated
    assert updated["name"] == "New"
    assert updated["createdDateTime"] == created["createdDateTime"]
    assert updated["createdBy"] == created["createdBy"]

    assert seen["listed"] == [f"py-{number:03}" for number in range(1, 120, 2)]
    assert seen["pages"] == [50, 10]
    assert seen["all"] == 121
    assert seen["ids"] == ["py-003", "py-007"]
    assert seen["season"]["startDateTime"] == "2021-01-01T20:08:10Z"
    assert seen["season"]["year"] == 2021
    assert seen["linked"] == {
        "farms": ["farm-1"],
        "fields": ["field-1"],
        "seasonal": ["sf-1"],
        "products": ["py-product"],
        "seasons": ["py-season"],
    }
    assert seen["refusals"] == {
        "no role": ["HttpResponseError", 403, "AuthorizationFailed"],
        "reader writes": ["HttpResponseError", 403, "AuthorizationFailed"],
        "contributor deletes": ["HttpResponseError", 403, "AuthorizationFailed"],
        "absent": ["ResourceNotFoundError", 404, "ResourceNotFound"],
        "invalid": ["HttpResponseError", 400, "InvalidInput"],
        "in use": ["ResourceExistsError", 409, "ResourceInUse"],
        "stale": ["HttpResponseError", 412, "PreconditionFailed"],
    }
    assert seen["deleted"] == ["ResourceNotFoundError", 404, "ResourceNotFound"]


def test_pages_of_the_asynchronous_client(driver: Callable[..., Any]) -> None:
    assert driver("records_async.py", "aio")["listed"] == [f"aio-{number:03}" for number in range(60)]
