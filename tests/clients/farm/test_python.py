"""azure-agrifood-farming, with azure-identity."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.clients.farm.conftest import drivers_of, reached_at
from tests.serving import Served


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


def test_a_client_that_joins_addresses_from_the_root(
    make_served: Callable[..., Served], tmp_path: Path
) -> None:
    served = make_served(server_services="identity,control,farm", control_instance_domain="farm.example")
    served.start(authorize=False)
    reached = reached_at(served)
    client_id, secret = reached.applications["admin"]
    seen = drivers_of(reached, tmp_path)(
        "joined.py",
        AZURE_AUTHORITY_HOST=reached.authority,
        AZURE_TENANT_ID="adfs",
        AZURE_CLIENT_ID=client_id,
        AZURE_CLIENT_SECRET=secret,
    )
    assert seen == {"made": 201, "ids": ["joined"]}
