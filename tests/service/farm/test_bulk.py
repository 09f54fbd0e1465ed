"""Many documents at once, by HTTP: brought in, taken out, and brought back."""

import gzip
import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from tests.service.farm.conftest import MAX_GEOMETRY_BODY, PUBLIC_URL, Caller

pytestmark = pytest.mark.anyio

NDJSON = {"content-type": "application/x-ndjson"}


def lines(*documents: Any) -> bytes:
    return b"".join(json.dumps(each).encode() + b"\n" for each in documents)


def events(answer: httpx.Response) -> list[dict[str, Any]]:
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/x-ndjson"
    return [json.loads(line) for line in answer.text.splitlines()]


async def bring(caller: Caller, path: str, content: Any, **options: Any) -> list[dict[str, Any]]:
    headers = NDJSON | options.pop("headers", {})
    return events(await caller("POST", path, content=content, headers=headers, **options))


def counts(event: dict[str, Any]) -> tuple[str, int, int, int, int]:
    return event["event"], event["lines"], event["created"], event["updated"], event["refused"]


async def test_lines_become_documents(admin: Caller) -> None:
    party = {"id": "p1", "name": "Elm", "eTag": "mine", "createdBy": "me", "modifiedDateTime": "yesterday"}
    told = await bring(admin, "/bulk/parties", lines(party, {"id": "p2"}))
    assert [counts(each) for each in told] == [("committed", 2, 2, 0, 0), ("finished", 2, 2, 0, 0)]
    made = (await admin("GET", "/parties/p1")).json()
    assert made["name"] == "Elm"
    assert made["createdBy"] == made["modifiedBy"] == "admin"
    assert made["eTag"] != "mine"
    assert made["createdDateTime"] == made["modifiedDateTime"] == "2027-01-15T08:00:00Z"
    assert await admin.ids("/parties") == ["p1", "p2"]


async def test_what_is_brought_in_is_what_a_patch_would_have_made(admin: Caller) -> None:
    farm = {
        "name": "North",
        "source": "erp",
        "status": "",
        "unknown": [1],
        "properties": {"a": 1.5, "b": "c", "gone": None},
    }
    await admin.make("/parties/p1")
    await admin.make("/parties/p1/farms/by-patch", **farm)
    plain = {**farm, "properties": {"a": 1.5, "b": "c"}}
    told = await bring(
        admin,
        "/bulk/farms",
        lines({**farm, "id": "slow", "partyId": "p1"}, {**plain, "id": "fast", "partyId": "p1"}),
    )
    assert counts(told[-1]) == ("finished", 2, 2, 0, 0)
    found = [
        (await admin("GET", f"/parties/p1/farms/{name}")).json() for name in ("by-patch", "slow", "fast")
    ]
    same = [{k: v for k, v in each.items() if k not in {"id", "eTag"}} for each in found]
    assert same[0] == same[1] == same[2]
    for asked in ({"propertyFilters": "a eq 1.5"}, {"sources": "erp"}, {"names": "North"}):
        if asked.keys() != {"sources"}:
            assert await admin.ids("/parties/p1/farms", **asked) == ["by-patch", "slow", "fast"]


async def test_a_line_is_merged_into_what_is_there(admin: Caller) -> None:
    await admin.make("/parties/p1", name="Elm", status="on", properties={"a": 1})
    told = await bring(
        admin,
        "/bulk/parties",
        lines({"id": "p1", "status": None, "properties": {"b": 2}}, {"id": "p2", "name": "x"}, {"id": "p2"}),
    )
    assert counts(told[-1]) == ("finished", 3, 1, 2, 0)
    found = (await admin("GET", "/parties/p1")).json()
    assert (found["name"], found.get("status"), found["properties"]) == ("Elm", None, {"a": 1, "b": 2})
    assert (await admin("GET", "/parties/p2")).json()["name"] == "x"


async def test_create_refuses_what_is_there(admin: Caller) -> None:
    await admin.make("/parties/p1", name="Elm")
    content = lines({"id": "p1", "name": "Oak"}, {"id": "p2"}, {"id": "p2", "name": None})
    told = await bring(admin, "/bulk/parties", content, params={"mode": "create"})
    assert [(each["line"], each["code"], each["id"]) for each in told[:2]] == [
        (1, "ResourceExists", "p1"),
        (3, "ResourceExists", "p2"),
    ]
    assert counts(told[-1]) == ("finished", 3, 1, 0, 2)
    assert (await admin("GET", "/parties/p1")).json()["name"] == "Elm"


async def test_every_refused_line_is_told_and_no_other_is_lost(admin: Caller) -> None:
    content = b"\xef\xbb\xbf" + b"\n".join(
        [
            b'{"id":"p1"}',
            b"",
            b"  \r",
            b"not json",
            b"[]",
            b'{"name":"no id"}',
            b'{"id":"?"}',
            b'{"id":7}',
            b'{"id":"p2","name":5}',
            b'{"id":"p3","properties":{"a":[]}}',
            b'{"id":"' + b"x" * (MAX_GEOMETRY_BODY + 1) + b'"}',
            b"[" * 5000,
            b'{"id":"p4","name":"\xff"}',
            b'{"id":"p5"}\r',
            b'{"id":"p6"}',
        ]
    )
    told = await bring(admin, "/bulk/parties", content)
    refused = [each for each in told if each["event"] == "refused"]
    assert [(each["line"], each.get("target")) for each in refused] == [
        (4, None),
        (5, None),
        (6, "id"),
        (7, "id"),
        (8, "id"),
        (9, "name"),
        (10, "properties.a"),
        (11, None),
        (12, None),
        (13, None),
    ]
    assert {each["code"] for each in refused} == {"InvalidInput"}
    assert all(each["message"] and each["family"] == "parties" for each in refused)
    assert counts(told[-1]) == ("finished", 15, 3, 0, 10)
    assert await admin.ids("/parties") == ["p1", "p5", "p6"]


async def test_a_document_needs_its_party(admin: Caller) -> None:
    await admin.make("/parties/p1")
    told = await bring(
        admin,
        "/bulk/farms",
        lines({"id": "f1", "partyId": "p1"}, {"id": "f2", "partyId": "nobody"}, {"id": "f3"}),
    )
    assert [(each["line"], each["code"]) for each in told[:2]] == [
        (2, "ResourceNotFound"),
        (3, "InvalidInput"),
    ]
    assert told[0]["message"] == "Resource 'Party' with id 'nobody' does not exist."
    assert (told[0]["party"], told[0]["id"], told[1]["target"]) == ("nobody", "f2", "partyId")


async def test_an_attachment_needs_its_resource(admin: Caller) -> None:
    await admin.make("/parties/p1")
    content = lines(
        {"id": "a1", "partyId": "p1", "resourceType": "Farm", "resourceId": "none"},
        {"id": "a2", "partyId": "p1", "resourceType": "Party", "resourceId": "p1"},
        {"id": "a3", "partyId": "p1"},
    )
    for path in ("/bulk/attachments", "/restore/attachments"):
        told = await bring(admin, path, content)
        refused = [(each["line"], each["code"]) for each in told if each["event"] == "refused"]
        assert refused == [(1, "ResourceNotFound"), (3, "InvalidInput")]
    assert await admin.ids("/parties/p1/attachments") == ["a2"]
    assert (await admin("GET", "/parties/p1/attachments/a2/file")).status_code == 404


async def test_records_are_of_any_family(admin: Caller) -> None:
    told = await bring(
        admin,
        "/bulk",
        lines(
            {"family": "parties", "document": {"id": "p1"}},
            {"family": "farms", "document": {"id": "f1", "partyId": "p1"}},
            {"family": "barns", "document": {"id": "f1"}},
            {"family": "crops", "document": {"id": "wheat"}, "version": "1999-01-01"},
            {"family": "crops"},
            {"family": "crops", "document": {"id": "rye"}, "rest": {"nothing": 1}},
        ),
    )
    assert [
        (each["line"], each["code"], each.get("target")) for each in told if each["event"] == "refused"
    ] == [
        (3, "ResourceNotFound", "family"),
        (4, "InvalidInput", "version"),
        (5, "InvalidInput", None),
        (6, "InvalidInput", "rest"),
    ]
    assert await admin.ids("/parties/p1/farms") == ["f1"]


async def test_many_chunks(admin: Caller) -> None:
    await admin.make("/parties/p1")
    numbers = range(2000)
    content = lines(*({"id": f"f-{n}", "partyId": "p1", "properties": {"n": n}} for n in numbers))

    async def pieces() -> Any:
        for start in range(0, len(content), 7001):
            yield content[start : start + 7001]

    told = await bring(admin, "/bulk/farms", pieces())
    assert [each["lines"] for each in told] == [512, 1024, 1536, 2000, 2000]
    taken = await admin("GET", "/bulk/farms")
    found = [json.loads(line) for line in taken.text.splitlines()]
    assert [(each["id"], each["properties"]) for each in found] == [(f"f-{n}", {"n": n}) for n in numbers]


async def test_an_import_goes_on_from_a_line(admin: Caller) -> None:
    told = await bring(admin, "/bulk/parties", lines({"id": "p1"}, {"id": "?"}), params={"firstLine": "1001"})
    assert told[0]["line"] == told[-1]["lines"] == 1002


async def test_gzip(admin: Caller) -> None:
    joined = gzip.compress(lines({"id": "p1"})) + gzip.compress(lines({"id": "p2"}))
    told = await bring(admin, "/bulk/parties", joined, headers={"content-encoding": "gzip"})
    assert counts(told[-1]) == ("finished", 2, 2, 0, 0)
    for broken in (b"nothing of the kind", gzip.compress(lines({"id": "p3"}))[:-9]):
        told = await bring(admin, "/bulk/parties", broken, headers={"content-encoding": "gzip"})
        assert told[-1]["event"] == "stopped"
        assert "gzip" in told[-1]["error"]["message"]


async def test_an_empty_body_brings_nothing(admin: Caller) -> None:
    assert [counts(each) for each in await bring(admin, "/bulk", b"")] == [("finished", 0, 0, 0, 0)]
    assert (await admin("GET", "/bulk")).text == ""


@pytest.mark.parametrize(
    ("path", "options", "status", "target"),
    [
        ("/bulk/barns", {}, 404, "family"),
        ("/bulk/parties", {"headers": {"content-type": "text/csv"}}, 415, None),
        ("/bulk/parties", {"headers": NDJSON | {"content-encoding": "br"}}, 415, None),
        ("/bulk/parties", {"params": {"mode": "guess"}}, 400, "mode"),
        ("/bulk/parties", {"params": {"firstLine": "0"}}, 400, "firstLine"),
        ("/restore/parties", {"params": {"firstLine": "x"}}, 400, "firstLine"),
    ],
)
async def test_refusals_of_the_whole(
    admin: Caller, path: str, options: dict[str, Any], status: int, target: str | None
) -> None:
    answer = await admin("POST", path, content=b'{"id":"p1"}', **{"headers": NDJSON, **options})
    assert (answer.status_code, answer.json()["error"].get("target")) == (status, target)
    assert await admin.ids("/parties") == []


async def test_everything_is_taken_out_and_brought_back_as_it_was(
    caller: Callable[..., Caller], directory: Any
) -> None:
    admin = caller()
    await admin.make("/parties/p1", name="Elm", properties={"größe": "ö"})
    await admin.make("/parties/p1/farms/f1", name="North")
    await admin.make("/parties/p1/fields/l1", farmId="f1")
    await admin.make("/seasons/s1", year=2026)
    await admin.make("/crops/c1")
    await admin("PATCH", "/parties/p1", json={"status": "on"})
    taken = await admin("GET", "/bulk")
    records = [json.loads(line) for line in taken.text.splitlines()]
    assert [(each["family"], each["document"]["id"]) for each in records] == [
        ("parties", "p1"),
        ("seasons", "s1"),
        ("crops", "c1"),
        ("farms", "f1"),
        ("fields", "l1"),
    ]
    directory.assign("admin", "admin", "orchard")
    other = caller(base=f"{PUBLIC_URL}/farm/orchard")
    told = await bring(other, "/restore", taken.content)
    assert counts(told[-1]) == ("finished", 5, 5, 0, 0)
    assert (await other("GET", "/bulk")).content == taken.content
    assert (await other("GET", "/parties/p1")).content == (await admin("GET", "/parties/p1")).content
    assert await other.ids("/parties/p1/fields", farmIds="f1") == ["l1"]

    again = await bring(other, "/restore", taken.content)
    assert again[-1]["unchanged"] == 5
    assert (await other("GET", "/bulk")).content == taken.content

    await other("PATCH", "/parties/p1", json={"name": "Oak"})
    changed = await bring(other, "/restore", taken.content)
    assert (changed[-1]["updated"], changed[-1]["unchanged"]) == (1, 4)
    assert (await other("GET", "/bulk")).content == taken.content


async def test_an_etag_never_stands_for_two_states(admin: Caller) -> None:
    before = await admin.make("/parties/p1", name="Elm")
    told = await bring(admin, "/restore/parties", lines({**before, "name": "Oak"}))
    assert told[-1]["updated"] == 1
    after = (await admin("GET", "/parties/p1")).json()
    assert (after["name"], after["createdDateTime"]) == ("Oak", before["createdDateTime"])
    assert after["eTag"] != before["eTag"]


async def test_a_restored_document_keeps_its_stamps(admin: Caller) -> None:
    kept = {
        "id": "p1",
        "eTag": "00005465-0000-0600-0000-63ed41dc0000",
        "createdDateTime": "2020-02-02T02:02:02Z",
        "modifiedDateTime": "2021-02-02T02:02:02Z",
        "createdBy": "one",
        "modifiedBy": "another",
    }
    await bring(admin, "/restore/parties", lines(kept, {"id": "p2", "eTag": '"\r\nx'}))
    assert (await admin("GET", "/parties/p1")).json() == kept
    made = (await admin("GET", "/parties/p2")).json()
    assert made["createdDateTime"] == made["modifiedDateTime"] == "2027-01-15T08:00:00Z"
    assert len(made["eTag"]) == 36
    assert await admin.ids("/parties", maxCreatedDateTime="2020-12-31T00:00:00Z") == ["p1"]


@pytest.mark.parametrize(
    ("role", "allowed"),
    [
        ("admin", {"export", "import", "restore"}),
        ("contributor", {"export", "import"}),
        ("reader", {"export"}),
        ("nobody", set()),
    ],
)
async def test_roles(caller: Callable[..., Caller], role: str, allowed: set[str]) -> None:
    someone = caller(role)
    for family in ("", "/parties"):
        tried = {
            "export": await someone("GET", f"/bulk{family}"),
            "import": await someone("POST", f"/bulk{family}", content=b"", headers=NDJSON),
            "restore": await someone("POST", f"/restore{family}", content=b"", headers=NDJSON),
        }
        assert {name for name, answer in tried.items() if answer.status_code == 200} == allowed
        assert {answer.status_code for answer in tried.values()} <= {200, 403}
