"""`If-Match` and `If-None-Match`."""

import pytest
from tests.service.farm.conftest import Caller

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("form", ["{}", '"{}"', 'W/"{}"', '"other", "{}"'])
async def test_the_right_etag(admin: Caller, form: str) -> None:
    made = await admin.make("/parties/p1")
    headers = {"if-match": form.format(made["eTag"])}
    assert (await admin("GET", "/parties/p1", headers=headers)).status_code == 200
    changed = await admin("PATCH", "/parties/p1", json={}, headers=headers)
    assert changed.status_code == 200
    headers = {"if-match": form.format(changed.json()["eTag"])}
    assert (await admin("DELETE", "/parties/p1", headers=headers)).status_code == 204


@pytest.mark.parametrize("method", ["GET", "PATCH", "DELETE"])
async def test_an_etag_that_has_passed(admin: Caller, method: str) -> None:
    made = await admin.make("/parties/p1")
    await admin("PATCH", "/parties/p1", json={"name": "newer"})
    body = {"json": {"name": "lost"}} if method == "PATCH" else {}
    refused = await admin(method, "/parties/p1", headers={"if-match": made["eTag"]}, **body)
    assert refused.status_code == 412
    assert refused.json()["error"]["code"] == "PreconditionFailed"
    assert (await admin("GET", "/parties/p1")).json()["name"] == "newer"


async def test_any_document_that_exists(admin: Caller) -> None:
    for method in ("PATCH", "DELETE"):
        body = {"json": {}} if method == "PATCH" else {}
        assert (await admin(method, "/parties/p1", headers={"if-match": "*"}, **body)).status_code == 412
    await admin.make("/parties/p1")
    assert (await admin("PATCH", "/parties/p1", headers={"if-match": "*"}, json={})).status_code == 200


async def test_only_if_it_is_new(admin: Caller) -> None:
    headers = {"if-none-match": "*"}
    assert (await admin("PATCH", "/parties/p1", json={}, headers=headers)).status_code == 201
    assert (await admin("PATCH", "/parties/p1", json={}, headers=headers)).status_code == 412


async def test_a_reader_who_has_it_already(admin: Caller) -> None:
    made = await admin.make("/parties/p1")
    same = await admin("GET", "/parties/p1", headers={"if-none-match": made["eTag"]})
    assert (same.status_code, same.content, same.headers["etag"]) == (304, b"", made["eTag"])
    assert (await admin("GET", "/parties/p1", headers={"if-none-match": "other"})).status_code == 200
