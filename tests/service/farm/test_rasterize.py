"""Jobs that make rasters of a shapefile's columns: from the request to files that are attached."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import rasterio
from tests.service.farm.conftest import PUBLIC_URL, Caller
from tests.service.farm.test_attachments import send, stored
from tests.service.farm.test_refusals import check
from tests.shapefiles import parts, square, zipped

from headland.farm import Pending, Worker
from headland.farm.rasters import running
from headland.farm.work import rasterize

pytestmark = pytest.mark.anyio

PATH = "/image-processing/rasterize/job-1"
SHAPEFILE = zipped(parts([(square(10, 50, 0.001), [5.5, "a"])], prj="GEOGCS[]"))
ASKED = {"partyId": "p1", "shapefileAttachmentId": "a-1", "shapefileColumnNames": ["YIELD"]}


@pytest.fixture
async def attached(admin: Caller) -> None:
    await admin.make("/parties/p1")
    await admin.make("/parties/p1/farms/farm-1")


async def attach(caller: Caller, data: bytes | None) -> None:
    sent = await send(caller, data, resourceId="farm-1", resourceType="Farm")
    assert sent.status_code in {200, 201}, sent.text


async def put(caller: Caller, path: str = PATH, **changes: Any) -> Any:
    body = {name: value for name, value in (ASKED | changes).items() if value is not None}
    return await caller("PUT", path, json=body, headers={"content-type": "application/json"})


@pytest.mark.usefixtures("attached")
async def test_a_column_becomes_an_attachment(
    admin: Caller, caller: Callable[..., Caller], worker: Worker, tmp_path: Path
) -> None:
    contributor = caller("contributor")
    await attach(contributor, zipped(parts([(square(10, 50, 0.001), [5.5, "a"])])))
    asked = await put(contributor, name="N", properties={"n": 1}, status="Failed", createdBy="x")
    assert asked.status_code == 202, asked.text
    at = f"{PUBLIC_URL}/farm/meadow{PATH}?api-version=2022-11-01-preview"
    assert (asked.headers["location"], asked.headers["operation-location"]) == (at, at)
    assert {name: value for name, value in asked.json().items() if not name.endswith("DateTime")} == {
        **ASKED,
        "id": "job-1",
        "status": "Waiting",
        "message": "Created job 'job-1' to rasterize the shapefile 'a-1'.",
        "name": "N",
        "properties": {"n": 1},
        "createdBy": "contributor",
        "modifiedBy": "contributor",
    }
    await asyncio.to_thread(worker.work)
    ended = (await caller("reader")("GET", PATH)).json()
    assert ended["status"] == "Succeeded", ended
    listed = (await admin("GET", "/parties/p1/attachments", params={"names": "YIELD"})).json()["value"]
    assert len(listed) == 1
    (made,) = listed
    assert ended["message"] == f"Rasterized the shapefile 'a-1': 'YIELD' is attachment '{made['id']}'."
    assert (made["resourceType"], made["resourceId"], made["originalFileName"], made["createdBy"]) == (
        "Farm",
        "farm-1",
        "YIELD.tif",
        "contributor",
    )
    file = await admin("GET", f"/parties/p1/attachments/{made['id']}/file")
    (tmp_path / "got.tif").write_bytes(file.content)
    with rasterio.open(tmp_path / "got.tif") as raster:
        assert 5.5 in raster.read(1)
    # The same request is the same job, which has ended; another one is none.
    assert (await put(contributor, name="N", properties={"n": 1})).json()["status"] == "Succeeded"
    check(await put(contributor, shapefileColumnNames=["NAME"]), 409, "JobAlreadyExists", "jobId")


@pytest.mark.usefixtures("attached")
async def test_what_can_not_be_rasterized_fails_and_leaves_nothing(
    admin: Caller, worker: Worker, tmp_path: Path, pending: Pending
) -> None:
    await attach(admin, None)
    await put(admin)
    await asyncio.to_thread(worker.work)
    await attach(admin, SHAPEFILE)
    await put(admin, "/image-processing/rasterize/job-2")
    await asyncio.to_thread(worker.work)
    jobs = [(await admin("GET", f"/image-processing/rasterize/job-{n}")).json() for n in (1, 2)]
    assert [(job["status"], job["errorCode"]) for job in jobs] == [
        ("Failed", "AttachmentWithoutFile"),
        ("Failed", "UnknownCoordinateSystem"),
    ]
    assert jobs[0]["message"] == "The attachment 'a-1' has no file."
    assert await admin.ids("/parties/p1/attachments") == ["a-1"]
    assert stored(tmp_path) == [SHAPEFILE]


@pytest.mark.usefixtures("attached")
async def test_a_shapefile_that_goes_meanwhile(
    admin: Caller, worker: Worker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    received = rasterize._received

    async def deleted(*of: Any) -> Any:
        made = await received(*of)
        await admin("DELETE", "/parties/p1/attachments/a-1")
        return made

    await attach(admin, zipped(parts([(square(10, 50, 0.001), [5.5, "a"])])))
    monkeypatch.setattr(rasterize, "_received", deleted)
    await put(admin)
    await asyncio.to_thread(worker.work)
    job = (await admin("GET", PATH)).json()
    assert (job["status"], job["errorCode"]) == ("Failed", "ResourceNotFound")
    # Neither the shapefile nor what was made of it.
    assert stored(tmp_path) == []


@pytest.mark.usefixtures("attached")
async def test_a_service_that_stops_leaves_it_to_the_next(
    admin: Caller, worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    began = asyncio.Event()
    loop = asyncio.get_running_loop()

    def endless(*_: Path) -> list[str]:
        loop.call_soon_threadsafe(began.set)
        return ["sleep", "60"]

    await attach(admin, SHAPEFILE)
    await put(admin)
    monkeypatch.setattr(running, "command", endless)
    working = asyncio.create_task(asyncio.to_thread(worker.work))
    await began.wait()
    assert (await admin("GET", PATH)).json()["status"] == "Running"
    worker.stop()
    await asyncio.wait_for(working, 20)
    assert (await admin("GET", PATH)).json()["status"] == "Waiting"


@pytest.mark.usefixtures("attached")
async def test_refusals(admin: Caller, caller: Callable[..., Caller]) -> None:
    await attach(admin, b"x")
    for changes, field in (
        ({"partyId": None}, "partyId"),
        ({"shapefileAttachmentId": ""}, "shapefileAttachmentId"),
        ({"shapefileColumnNames": []}, "shapefileColumnNames"),
        ({"shapefileColumnNames": [""]}, "shapefileColumnNames[0]"),
        ({"shapefileColumnNames": ["YIELD", "YIELD"]}, "shapefileColumnNames"),
        ({"name": "x" * 101}, "name"),
        ({"properties": {"x": True}}, "properties.x"),
    ):
        check(await put(admin, **changes), 400, "InvalidInput", field)
    check(await put(admin, "/image-processing/rasterize/!"), 400, "InvalidInput", "jobId")
    assert "'Party'" in check(await put(admin, partyId="p2"), 404, "ResourceNotFound")
    assert "'Attachment'" in check(await put(admin, shapefileAttachmentId="a-2"), 404, "ResourceNotFound")
    check(await admin("GET", PATH), 404, "ResourceNotFound")
    check(await put(caller("reader")), 403, "AuthorizationFailed")
    # Another kind's job is none of this one.
    await admin("PUT", "/parties/cascade-delete/job-1", params={"partyId": "p1"})
    check(await admin("GET", PATH), 404, "ResourceNotFound")
    check(await put(admin), 409, "JobAlreadyExists", "jobId")


@pytest.mark.usefixtures("attached")
async def test_the_earliest_versions_know_farmers(admin: Caller, caller: Callable[..., Caller]) -> None:
    await attach(admin, b"x")
    early = caller(version="2021-07-31-preview")
    asked = await put(early, partyId=None, farmerId="p1")
    assert asked.status_code == 202, asked.text
    assert "createdBy" not in asked.json()
    assert (
        (await early("GET", PATH)).json()["farmerId"] == (await admin("GET", PATH)).json()["partyId"] == "p1"
    )
