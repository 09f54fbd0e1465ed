"""Refusals: each in the service's form, naming what is wrong."""

import pytest
from tests.databases import ON_EITHER
from tests.service.farm.conftest import MAX_BODY, Caller

pytestmark = [ON_EITHER, pytest.mark.anyio]


def check(answer, status: int, code: str, target: str | None = None) -> str:
    """Checks the whole form; the message."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-ms-error-code"] == code
    body = answer.json()
    assert set(body) == {"error", "traceId"}
    assert body["traceId"] == answer.headers["x-ms-request-id"] == answer.headers["x-request-id"]
    assert body["error"]["code"] == code
    assert body["error"].get("target") == target
    return str(body["error"]["message"])


async def test_what_is_not_there(admin: Caller) -> None:
    message = check(await admin("GET", "/parties/none"), 404, "ResourceNotFound")
    assert message == "Resource 'Party' with id 'none' does not exist."
    message = check(await admin("GET", "/parties/p1/seasonal-fields/sf"), 404, "ResourceNotFound")
    assert message == "Resource 'SeasonalField' with id 'sf' does not exist."


@pytest.mark.parametrize(
    "path",
    ["/", "", "/nothing", "/parties/", "/parties/p1/nothing", "/parties/p1/farms/f1/x", "/parties//farms"],
)
async def test_paths_that_lead_nowhere(admin: Caller, path: str) -> None:
    check(await admin("GET", path), 404, "NotFound")


@pytest.mark.parametrize(
    ("method", "path", "allowed"), [("POST", "/parties", "GET"), ("PUT", "/parties/p1", "DELETE, GET, PATCH")]
)
async def test_methods_that_there_are_not(admin: Caller, method: str, path: str, allowed: str) -> None:
    answer = await admin(method, path)
    check(answer, 405, "MethodNotAllowed")
    assert answer.headers["allow"] == allowed


@pytest.mark.parametrize(
    ("given", "code"),
    [
        (None, "MissingApiVersionParameter"),
        ("", "MissingApiVersionParameter"),
        ("2020-01-01", "UnsupportedApiVersionValue"),
        (["2022-11-01-preview", "2021-03-31-preview"], "UnsupportedApiVersionValue"),
    ],
)
async def test_versions_that_are_not_served(admin: Caller, given, code: str) -> None:
    answer = await admin(
        "GET", "/parties", params={"api-version": given} if given is not None else {"api-version": ""}
    )
    check(answer, 400, code, "api-version")


@pytest.mark.parametrize(
    "name",
    ["x", "-ab", "ab-", "a b", "x" * 51, "ab%25", "a+b", "äö", "cascade-delete", "a:b"],
)
async def test_ids_that_cannot_be(admin: Caller, name: str) -> None:
    check(await admin("PATCH", f"/parties/{name}", json={}), 400, "InvalidInput", "partyId")
    assert (await admin("GET", f"/parties/{name}")).status_code == 404


@pytest.mark.parametrize("name", ["ab", "a-_~.b", "0" * 50])
async def test_ids_that_can_be(admin: Caller, name: str) -> None:
    assert (await admin.make(f"/parties/{name}"))["id"] == name


@pytest.mark.parametrize(
    ("body", "target"),
    [
        ({"name": 1}, "name"),
        ({"name": "x" * 101}, "name"),
        ({"description": "x" * 501}, "description"),
        ({"status": "x" * 101}, "status"),
        ({"source": "x"}, "source"),
        ({"properties": []}, "properties"),
        ({"properties": {f"k{number}": 1 for number in range(26)}}, "properties"),
        ({"properties": {"k": "x" * 151}}, "properties.k"),
        ({"properties": {"k": True}}, "properties.k"),
        ({"properties": {"k": {"a": 1}}}, "properties.k"),
        ({"startDateTime": "tomorrow"}, "startDateTime"),
        ({"startDateTime": "0001-01-01T00:00:00+14:00"}, "startDateTime"),
        ({"year": 2026.5}, "year"),
        ({"year": 2**31}, "year"),
    ],
)
async def test_members_that_cannot_be(admin: Caller, body: dict, target: str) -> None:
    message = check(await admin("PATCH", "/seasons/s1", json=body), 400, "InvalidInput", target)
    assert target in message
    assert (await admin("GET", "/seasons/s1")).status_code == 404


async def test_a_refused_patch_changes_nothing(admin: Caller) -> None:
    made = await admin.make("/seasons/s1", name="N", properties={f"k{number}": 1 for number in range(25)})
    check(
        await admin("PATCH", "/seasons/s1", json={"name": "M", "properties": {"k": 1}}),
        400,
        "InvalidInput",
        "properties",
    )
    assert (await admin("GET", "/seasons/s1")).json() == made


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b" ",
        b"[]",
        b"null",
        b'"x"',
        b"{",
        b'{"name":"\xff"}',
        b'{"a":' * 5000,
        b'{"properties":' + b'{"a":' * 600 + b"1" + b"}" * 601,
    ],
)
async def test_bodies_that_cannot_be(admin: Caller, content: bytes) -> None:
    headers = {"content-type": "application/merge-patch+json"}
    answer = await admin("PATCH", "/parties/p1", content=content, headers=headers)
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == "InvalidInput"


async def test_bodies_of_other_types(admin: Caller) -> None:
    headers = {"content-type": "text/csv"}
    check(await admin("PATCH", "/parties/p1", content=b"{}", headers=headers), 415, "UnsupportedMediaType")
    headers = {"content-type": "application/json; charset=utf-8"}
    assert (await admin("PATCH", "/parties/p1", content=b"{}", headers=headers)).status_code == 201


async def test_bodies_that_are_too_large(admin: Caller) -> None:
    answer = await admin("PATCH", "/parties/p1", json={"name": "x" * MAX_BODY})
    check(answer, 413, "RequestEntityTooLarge")


async def test_the_callers_own_request_id_comes_back(admin: Caller) -> None:
    for path in ("/parties", "/parties/none"):
        answer = await admin("GET", path, headers={"x-ms-client-request-id": "mine"})
        assert answer.headers["x-ms-client-request-id"] == "mine"
