"""Attachments: a file comes in as a form, and goes out as it came."""

import asyncio
import base64
import hashlib
import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.requests import ClientDisconnect
from tests.service.farm.conftest import FILE_TYPES, MAX_BODY, MAX_FILE, PUBLIC_URL, Caller
from tests.service.farm.test_refusals import check

from headland.farm import Files, Pending, Presence, Stores, Worker
from headland.farm.documents import files as file_rows
from headland.farm.documents.files import File
from headland.http.ranges import Span
from headland.server.instance_stores import InstanceStores
from headland.settings import StorageSettings
from headland.storage import BlobReader, Storage

pytestmark = pytest.mark.anyio

PATH = "/parties/p1/attachments/a-1"
BYTES = bytes(range(256)) * 4000
FARM = {"resourceId": "farm-1", "resourceType": "Farm"}


@pytest.fixture
async def farm(admin: Caller) -> None:
    await admin.make("/parties/p1")
    await admin.make("/parties/p1/farms/farm-1", name="F")


async def send(
    caller: Caller,
    data: bytes | None,
    path: str = PATH,
    *,
    file_name: str | None = "yield map.bin",
    **fields: str,
) -> httpx.Response:
    """As the Python SDK does."""
    parts: list[Any] = [(field, (None, value)) for field, value in fields.items()]
    if data is not None:
        parts.append(("file", (file_name, data, "application/octet-stream")))
    return await caller("PATCH", path, files=parts)


def stored(home: Path) -> list[bytes]:
    """All bytes that are kept of files."""
    return [path.read_bytes() for path in (home / "files").rglob("*") if path.is_file()]


@pytest.mark.usefixtures("farm")
async def test_a_file_goes_out_as_it_came(admin: Caller, tmp_path: Path) -> None:
    created = await send(admin, BYTES, file_name="sub/yield map.bin", description="D", source="drone", **FARM)
    assert created.status_code == 201, created.text
    assert created.headers["location"] == f"{PUBLIC_URL}/farm/meadow{PATH}"
    document = created.json()
    stamps = {"createdDateTime", "modifiedDateTime", "createdBy", "modifiedBy"}
    assert {name: value for name, value in document.items() if name not in stamps} == {
        "id": "a-1",
        "eTag": created.headers["etag"],
        "partyId": "p1",
        "description": "D",
        "source": "drone",
        "resourceId": "farm-1",
        "resourceType": "Farm",
        "originalFileName": "yield map.bin",
    }
    assert (await admin("GET", PATH)).json() == document
    assert (await admin("GET", "/parties/p1/attachments")).json() == {"value": [document]}

    file = await admin("GET", f"{PATH}/file")
    assert (file.status_code, file.content) == (200, BYTES)
    assert file.headers["content-type"] == "application/octet-stream"
    assert file.headers["content-length"] == str(len(BYTES))
    assert file.headers["content-disposition"] == 'attachment; filename="yield map.bin"'
    digest = base64.b64encode(hashlib.sha256(BYTES).digest()).decode()
    assert file.headers["repr-digest"] == f"sha-256=:{digest}:"
    head = await admin("HEAD", f"{PATH}/file")
    assert (head.status_code, head.content, head.headers["content-length"]) == (200, b"", str(len(BYTES)))
    assert stored(tmp_path) == [BYTES]


@pytest.mark.usefixtures("farm")
async def test_a_file_that_is_replaced_while_it_is_asked_for(
    admin: Caller, worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    await send(admin, b"old", **FARM)
    opened = Files.open

    async def replaced_before(self: Files, store_key: str, file: File, span: Span | None) -> BlobReader:
        monkeypatch.setattr(Files, "open", opened)
        await send(admin, b"new")
        await asyncio.to_thread(worker.work)
        return await opened(self, store_key, file, span)

    monkeypatch.setattr(Files, "open", replaced_before)
    assert (await admin("GET", f"{PATH}/file")).content == b"new"


@pytest.mark.usefixtures("farm")
async def test_what_is_said_of_a_file_changes_without_it(admin: Caller) -> None:
    before = (await send(admin, BYTES, **FARM)).json()
    updated = await send(admin, None, name="N", id="another", eTag="x", createdBy="y", unknown="z")
    assert updated.status_code == 200
    changed = updated.json()
    assert changed["eTag"] != before["eTag"]
    assert changed == before | {"name": "N", "eTag": changed["eTag"]}
    assert (await admin("GET", f"{PATH}/file")).content == BYTES


@pytest.mark.usefixtures("farm")
async def test_a_new_file_takes_the_place_of_the_old(admin: Caller, worker: Worker, tmp_path: Path) -> None:
    await send(admin, BYTES, description="D", **FARM)
    updated = await send(admin, b"new", file_name="b.tif")
    assert (updated.status_code, updated.json()["originalFileName"]) == (200, "b.tif")
    assert updated.json()["description"] == "D"
    assert (await admin("GET", f"{PATH}/file")).content == b"new"
    await asyncio.to_thread(worker.work)
    assert stored(tmp_path) == [b"new"]
    assert (await admin("GET", f"{PATH}/file")).content == b"new"


@pytest.mark.usefixtures("farm")
@pytest.mark.parametrize(
    ("name", "fields", "shown"),
    [
        ("a.bin", {}, "a.bin"),
        ("C:\\maps\\a.bin", {}, "a.bin"),
        (None, {}, "a-1"),
        (None, {"originalFileName": "b.tif"}, "b.tif"),
        # What a browser's Blob is called when nobody has named it.
        ("blob", {"originalFileName": "b.tif"}, "b.tif"),
        ("Äcker.bin", {}, "Äcker.bin"),
    ],
)
async def test_what_a_file_is_called(
    admin: Caller, name: str | None, fields: dict[str, str], shown: str
) -> None:
    created = await send(admin, b"x", file_name=name, **fields, **FARM)
    assert created.json()["originalFileName"] == shown
    told = (await admin("GET", f"{PATH}/file")).headers["content-disposition"]
    if shown == "Äcker.bin":
        assert told == "attachment; filename=\"_cker.bin\"; filename*=UTF-8''%C3%84cker.bin"
    else:
        assert told == f'attachment; filename="{shown}"'


@pytest.mark.usefixtures("farm")
@pytest.mark.parametrize("version", ["2021-03-31-preview", "2021-07-31-preview"])
async def test_forms_of_the_earliest_versions(
    caller: Callable[..., Caller], admin: Caller, version: str
) -> None:
    someone = caller(version=version)
    fields = {"FarmerId": "p1", "ResourceId": "p1", "ResourceType": "Farmer", "Name": "N", "ETag": "x"}
    path = "/farmers/p1/attachments/a-1"
    created = await send(someone, BYTES, path, **fields)
    assert created.status_code == 201, created.text
    shown = created.json()
    assert (shown["farmerId"], shown["resourceType"], shown["name"]) == ("p1", "Farmer", "N")
    assert shown["originalFileName"] == "yield map.bin"
    assert (await admin("GET", PATH)).json()["resourceType"] == "Party"
    assert await someone.ids("/farmers/p1/attachments", resourceTypes=["Farmer"]) == ["a-1"]
    assert (await someone("GET", f"{path}/file")).content == BYTES
    renamed = await send(someone, None, path, OriginalFileName="b.bin")
    assert renamed.json()["originalFileName"] == "b.bin"
    assert (await someone("DELETE", path)).status_code == 204


@pytest.mark.usefixtures("farm")
async def test_attachments_without_a_file(admin: Caller) -> None:
    assert (await send(admin, None, **FARM)).json()["originalFileName"] == "a-1"
    check(await admin("GET", f"{PATH}/file"), 404, "ResourceNotFound")
    check(await admin("GET", "/parties/p1/attachments/none/file"), 404, "ResourceNotFound")
    assert (await send(admin, b"")).status_code == 200
    assert (await admin("GET", f"{PATH}/file")).content == b""


@pytest.mark.usefixtures("farm")
async def test_lists(admin: Caller) -> None:
    await admin.make("/parties/p1/fields/field-1")
    await send(admin, b"1", "/parties/p1/attachments/a-1", **FARM)
    await send(admin, b"2", "/parties/p1/attachments/a-2", resourceType="Party", resourceId="p1")
    await send(admin, b"3", "/parties/p1/attachments/a-3", resourceType="Field", resourceId="field-1")
    path = "/parties/p1/attachments"
    assert await admin.ids(path) == ["a-1", "a-2", "a-3"]
    assert await admin.ids(path, resourceTypes=["Farm", "Field"]) == ["a-1", "a-3"]
    assert await admin.ids(path, resourceIds=["p1", "field-1"]) == ["a-2", "a-3"]
    check(await admin("GET", "/attachments"), 404, "NotFound")


@pytest.mark.usefixtures("farm")
async def test_a_resource_with_attachments_stays(admin: Caller, worker: Worker, tmp_path: Path) -> None:
    await send(admin, BYTES, **FARM)
    message = check(await admin("DELETE", "/parties/p1/farms/farm-1"), 409, "ResourceInUse")
    assert "Attachment" in message
    assert (await admin("DELETE", PATH)).status_code == 204
    check(await admin("GET", f"{PATH}/file"), 404, "ResourceNotFound")
    assert (await admin("DELETE", "/parties/p1/farms/farm-1")).status_code == 204
    await asyncio.to_thread(worker.work)
    assert stored(tmp_path) == []


@pytest.mark.usefixtures("farm")
@pytest.mark.parametrize("names", [{"partyId": "p1"}, {"partyId": "p1", "farmId": "farm-1"}])
async def test_a_cascade_takes_files_along(
    admin: Caller, worker: Worker, tmp_path: Path, names: dict[str, str]
) -> None:
    await admin.make("/parties/p2")
    await send(admin, b"other", "/parties/p2/attachments/a-1", resourceType="Party", resourceId="p2")
    await send(admin, BYTES, **FARM)
    segment = "farms" if "farmId" in names else "parties"
    await admin("PUT", f"/{segment}/cascade-delete/job-1", params=names)
    await asyncio.to_thread(worker.work)
    message = (await admin("GET", f"/{segment}/cascade-delete/job-1")).json()["message"]
    assert "1 Attachment" in message
    check(await admin("GET", PATH), 404, "ResourceNotFound")
    assert stored(tmp_path) == [b"other"]


@pytest.mark.usefixtures("farm")
async def test_what_attachments_belong_to_must_be_there(
    admin: Caller, worker: Worker, tmp_path: Path
) -> None:
    check(await send(admin, b"x", resourceId="farm-1"), 400, "InvalidInput", "resourceType")
    check(await send(admin, b"x", resourceType="Farm"), 400, "InvalidInput", "resourceId")
    check(await send(admin, b"x", resourceType="Barn", resourceId="b1"), 400, "InvalidInput", "resourceType")
    for kind in ("Farm", "Boundary", "Party"):
        message = check(
            await send(admin, b"x", resourceType=kind, resourceId="none"),
            404,
            "ResourceNotFound",
            "resourceId",
        )
        assert message == f"resourceId: Resource '{kind}' with id 'none' does not exist."
    missing = "/parties/none/attachments/a-1"
    check(await send(admin, b"x", missing, **FARM), 404, "ResourceNotFound")
    await send(admin, b"x", **FARM)
    check(await send(admin, b"y", resourceId="none"), 404, "ResourceNotFound", "resourceId")
    await asyncio.to_thread(worker.work)
    assert stored(tmp_path) == [b"x"]


@pytest.mark.usefixtures("farm")
async def test_conditions(admin: Caller, worker: Worker, tmp_path: Path) -> None:
    etag = (await send(admin, b"x", **FARM)).headers["etag"]
    file = [("file", ("a.bin", b"y"))]
    stale = await admin("PATCH", PATH, files=file, headers={"if-match": "x"})
    check(stale, 412, "PreconditionFailed", "If-Match")
    there = await admin("PATCH", PATH, files=file, headers={"if-none-match": "*"})
    check(there, 412, "PreconditionFailed", "If-None-Match")
    assert (await admin("PATCH", PATH, files=file, headers={"if-match": etag})).status_code == 200
    await asyncio.to_thread(worker.work)
    assert stored(tmp_path) == [b"y"]


@pytest.mark.usefixtures("farm")
async def test_files_that_are_not_taken(admin: Caller, worker: Worker, tmp_path: Path) -> None:
    assert (await send(admin, b"x" * MAX_FILE, **FARM)).status_code == 201
    check(await send(admin, b"x" * (MAX_FILE + 1), **FARM), 413, "RequestEntityTooLarge")
    check(await send(admin, b"x" * (MAX_FILE + 2 * MAX_BODY), **FARM), 413, "RequestEntityTooLarge")
    wrong = await admin("PATCH", PATH, files=[("file", ("a.exe", b"x", "text/plain"))])
    message = check(wrong, 415, "UnsupportedMediaType", "file")
    assert message == f"The file 'a.exe' (text/plain) is not taken; files are {', '.join(FILE_TYPES)}."
    parts = [("originalFileName", (None, "b.bin")), ("file", ("blob", b"x", "text/plain"))]
    assert (await admin("PATCH", PATH, files=parts)).status_code == 200
    for name, media_type in (("a.TIF", "text/plain"), ("a.exe", "image/png")):
        taken = await admin("PATCH", PATH, files=[("file", (name, b"x", media_type))])
        assert taken.status_code == 200
    await asyncio.to_thread(worker.work)
    assert stored(tmp_path) == [b"x"]


def form(*parts: str, end: str = "--B--\r\n") -> bytes:
    return (
        "".join(f"--B\r\nContent-Disposition: form-data; {part}\r\n" for part in parts).encode()
        + end.encode()
    )


@pytest.mark.usefixtures("farm")
@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b"nonsense", 400),
        (form('name="name"\r\n\r\nN', end=""), 400),
        (form('name="file"; filename="a.bin"\r\n\r\nbytes', end=""), 400),
        (form('filename="a.bin"\r\n\r\nx'), 400),
        (form('name="file"\r\n\r\nx', 'name="file"\r\n\r\ny'), 400),
        (form('name="name"\r\n\r\nx', 'name="name"\r\n\r\ny'), 400),
        (form('name="name"\r\n\r\nx', 'name="Name"\r\n\r\ny'), 400),
        (form(*['name="a"\r\n\r\nx'] * 70), 400),
        (form(*[f'name="a{number}"\r\n\r\nx' for number in range(70)]), 400),
        (form('name="name"\r\n\r\n' + "x" * 101), 400),
        (form('name="name"\r\n\r\n' + "x" * (MAX_BODY + 1)), 413),
        (form('name="originalFileName"\r\n\r\n' + "x" * 256), 400),
        (form('name="originalFileName"\r\n\r\na\tb'), 400),
        (form('name="name"\r\n\r\n').replace(b"\r\n\r\n", b"\r\n\r\n\xff"), 400),
    ],
)
async def test_forms_that_are_none(
    admin: Caller, worker: Worker, tmp_path: Path, body: bytes, status: int
) -> None:
    before = (await send(admin, b"kept", **FARM)).json()
    headers = {"content-type": "multipart/form-data; boundary=B"}
    refused = await admin("PATCH", PATH, content=body, headers=headers)
    assert refused.status_code == status, refused.text
    assert refused.json()["error"]["code"] in {"BadRequest", "InvalidInput", "RequestEntityTooLarge"}
    assert (await admin("GET", PATH)).json() == before
    await asyncio.to_thread(worker.work)
    assert stored(tmp_path) == [b"kept"]


@pytest.mark.usefixtures("farm")
@pytest.mark.parametrize(
    "media_type", ["application/json", "application/merge-patch+json", "multipart/form-data"]
)
async def test_bodies_of_other_types(admin: Caller, media_type: str) -> None:
    answer = await admin("PATCH", PATH, content=b"{}", headers={"content-type": media_type})
    assert answer.status_code == (400 if media_type == "multipart/form-data" else 415)


@pytest.mark.usefixtures("farm")
async def test_a_sender_that_goes_away(admin: Caller, worker: Worker, tmp_path: Path) -> None:
    async def body() -> AsyncIterator[bytes]:
        yield form('name="file"; filename="a.bin"\r\n\r\n' + "x" * 2_000_000, end="")
        raise ClientDisconnect

    headers = {"content-type": "multipart/form-data; boundary=B"}
    assert (await admin("PATCH", PATH, content=body(), headers=headers)).status_code == 400
    await asyncio.to_thread(worker.work)
    assert stored(tmp_path) == []
    check(await admin("GET", PATH), 404, "ResourceNotFound")


@pytest.mark.usefixtures("farm")
async def test_what_a_dead_process_was_receiving_is_swept(
    admin: Caller, stores: Stores, pending: Pending, worker: Worker, tmp_path: Path
) -> None:
    other = Presence(tmp_path / "receiving")
    storage = Storage(StorageSettings("farm", "files"), tmp_path / "files")

    async def chunks() -> AsyncIterator[bytes]:
        yield b"lost"

    pending.note("store-meadow")
    store = stores.open("store-meadow")
    await Files(storage, other, MAX_FILE).receive("store-meadow", store, chunks())
    await asyncio.to_thread(worker.work)
    assert stored(tmp_path) == [b"lost"], "its owner may still say whose it is"
    (tmp_path / "receiving" / other.name).unlink()
    await asyncio.to_thread(worker.work)
    assert stored(tmp_path) == []
    assert store.read(lambda connection: file_rows.unneeded(connection, 9)) == []


@pytest.mark.usefixtures("farm")
async def test_files_go_with_their_instance(
    admin: Caller, stores: Stores, files: Files, pending: Pending, tmp_path: Path
) -> None:
    await send(admin, BYTES, **FARM)
    assert len(stored(tmp_path)) == 1
    instances = InstanceStores(stores, files, pending)
    for _ in range(2):
        await asyncio.to_thread(instances.remove, "store-meadow")
    assert stored(tmp_path) == []
    assert pending.noted() == []
    assert (await admin("GET", f"{PATH}/file")).status_code == 503


async def test_files_of_insights(admin: Caller, worker: Worker, tmp_path: Path) -> None:
    await admin.make("/parties/p1")
    below = "/parties/p1/models/m1/resource-types/Party/resources/p1"
    await admin.make(f"{below}/insights/i-1")
    path = f"{below}/insight-attachments/a-1"
    check(await send(admin, b"x", path), 400, "InvalidInput", "insightId")
    check(await send(admin, b"x", path, insightId="none"), 404, "ResourceNotFound", "insightId")
    check(
        await send(admin, b"x", path.replace("m1", "m2"), insightId="i-1"),
        404,
        "ResourceNotFound",
        "insightId",
    )
    created = (await send(admin, BYTES, path, insightId="i-1")).json()
    assert (created["modelId"], created["resourceType"], created["resourceId"]) == ("m1", "Party", "p1")
    assert await admin.ids(f"{below}/insight-attachments", insightIds=["i-1"]) == ["a-1"]
    assert (await admin("GET", f"{path}/file")).content == BYTES
    check(await admin("DELETE", f"{below}/insights/i-1"), 409, "ResourceInUse")
    names = {
        "partyId": "p1",
        "modelId": "m1",
        "resourceType": "Party",
        "resourceId": "p1",
        "insightId": "i-1",
    }
    assert (await admin("PUT", "/insights/cascade-delete/job-1", params=names)).status_code == 202
    await asyncio.to_thread(worker.work)
    assert (await admin("GET", "/insights/cascade-delete/job-1")).json()["status"] == "Succeeded"
    check(await admin("GET", path), 404, "ResourceNotFound")
    assert stored(tmp_path) == []


@pytest.mark.usefixtures("farm")
async def test_another_instances_files_are_out_of_reach(admin: Caller, caller: Callable[..., Caller]) -> None:
    await send(admin, BYTES, **FARM)
    elsewhere = caller("admin", base=f"{PUBLIC_URL}/farm/orchard")
    check(await elsewhere("GET", f"{PATH}/file"), 403, "AuthorizationFailed")


@pytest.mark.usefixtures("farm")
async def test_a_file_is_brought_back_and_leaves_its_record_as_it_is(
    admin: Caller, caller: Callable[..., Caller], worker: Worker, tmp_path: Path
) -> None:
    record = (await send(admin, b"old", **FARM)).json()
    digest = base64.b64encode(hashlib.sha256(b"kept").digest()).decode()
    good = {"repr-digest": f"sha-256=:{digest}:"}
    file = f"{PATH}/file"
    for headers in (
        {"repr-digest": "sha-256=:AAAA:"},
        {"repr-digest": "md5"},
        {"repr-digest": "sha-256=:A:"},
    ):
        refused = await admin("PUT", file, content=b"kept", headers=headers)
        check(refused, 400, "InvalidInput", "Repr-Digest")
    check(await admin("PUT", "/parties/p1/attachments/none/file", content=b"x"), 404, "ResourceNotFound")
    check(await admin("PUT", file, content=bytes(MAX_FILE + 1)), 413, "RequestEntityTooLarge")
    assert (await caller("contributor")("PUT", file, content=b"kept", headers=good)).status_code == 403
    assert (await admin("GET", file)).content == b"old"

    assert (await admin("PUT", file, content=b"kept", headers=good)).status_code == 204
    assert (await admin("GET", file)).content == b"kept"
    assert (await admin("GET", PATH)).json() == record
    await asyncio.to_thread(worker.work)
    assert stored(tmp_path) == [b"kept"]


@pytest.mark.usefixtures("farm")
async def test_a_restored_record_need_not_say_what_its_file_is_called(admin: Caller) -> None:
    line = {"id": "a-1", "partyId": "p1", **FARM}
    ndjson = {"content-type": "application/x-ndjson"}
    await admin("POST", "/restore/attachments", content=json.dumps(line), headers=ndjson)
    assert (await admin("PUT", f"{PATH}/file", content=b"kept")).status_code == 204
    file = await admin("GET", f"{PATH}/file")
    assert (file.content, file.headers["content-disposition"]) == (b"kept", 'attachment; filename="a-1"')
    told = json.loads((await admin("GET", "/bulk")).text.splitlines()[-1])["file"]
    assert (told["name"], told["size"]) == ("a-1", 4)


@pytest.mark.usefixtures("farm")
async def test_a_part_of_a_file(admin: Caller) -> None:
    await send(admin, BYTES, **FARM)
    whole = await admin("GET", f"{PATH}/file")
    assert whole.headers["accept-ranges"] == "bytes"
    etag, size = whole.headers["etag"], len(BYTES)
    head = await admin("HEAD", f"{PATH}/file", headers={"range": "bytes=0-1"})
    assert (head.status_code, head.headers["content-length"], head.headers["etag"]) == (200, str(size), etag)
    for text, first, last in (
        ("bytes=2-5", 2, 5),
        ("bytes=-3", size - 3, size - 1),
        ("bytes=4-", 4, size - 1),
    ):
        answer = await admin("GET", f"{PATH}/file", headers={"range": text, "if-range": etag})
        assert (answer.status_code, answer.content) == (206, BYTES[first : last + 1])
        assert answer.headers["content-range"] == f"bytes {first}-{last}/{size}"
        assert answer.headers["content-length"] == str(last - first + 1)
        assert answer.headers["etag"] == etag
    for headers in (
        {"range": "bytes=0-1,3-4"},
        {"range": "bytes=0-1", "if-range": '"other"'},
        {"range": "bytes=0-1", "if-range": "Sun, 06 Nov 1994 08:49:37 GMT"},
    ):
        answer = await admin("GET", f"{PATH}/file", headers=headers)
        assert (answer.status_code, answer.content) == (200, BYTES)
    refused = await admin("GET", f"{PATH}/file", headers={"range": f"bytes={size}-"})
    check(refused, 416, "RangeNotSatisfiable", "Range")
    assert refused.headers["content-range"] == f"bytes */{size}"
