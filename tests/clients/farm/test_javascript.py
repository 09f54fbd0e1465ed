"""@azure-rest/agrifood-farming, with @azure/identity."""

from collections.abc import Callable
from typing import Any


def test_records(driver: Callable[..., Any]) -> None:
    seen = driver("records.mjs", "js")
    status, created = seen["created"]
    assert (status, created["id"], created["name"]) == ("201", "js-party", "Contoso")
    assert seen["updated"] == "200"
    assert seen["pages"] == [25, 25, 10]
    assert seen["listed"] == [f"js-{number:03}" for number in range(60)]
    assert seen["collections"] == [["js-001", "js-002"]] * 2
    assert seen["refusals"] == {
        "no role": [True, "403", "AuthorizationFailed", "AuthorizationFailed"],
        "reader writes": [True, "403", "AuthorizationFailed", "AuthorizationFailed"],
        "contributor deletes": [True, "403", "AuthorizationFailed", "AuthorizationFailed"],
        "absent": [True, "404", "ResourceNotFound", "ResourceNotFound"],
        "stale": [True, "412", "PreconditionFailed", "PreconditionFailed"],
    }
    assert (seen["deleted"], seen["gone"]) == ("204", "404")
