"""Jobs that delete a resource with all that is linked to it: how they are started, asked for and done."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest
from tests.service.farm.conftest import PUBLIC_URL, Caller, Clock
from tests.service.farm.test_refusals import check

from headland.farm import Pending, Worker
from headland.farm.versions import Version
from headland.farm.work.pending import SETTLED
from headland.farm.work.wire import CascadeDeleteJob, job_struct

pytestmark = pytest.mark.anyio

VERSION = "2022-11-01-preview"


async def start(admin: Caller, segment: str, job: str, **names: str) -> httpx.Response:
    return await admin("PUT", f"/{segment}/cascade-delete/{job}", params=names)


async def details(admin: Caller, segment: str, job: str) -> dict[str, Any]:
    answer = await admin("GET", f"/{segment}/cascade-delete/{job}")
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


async def make_holding(admin: Caller, party: str) -> None:
    """A party with two farms; one has a field, and that one seasonal fields."""
    await admin.make(f"/parties/{party}")
    for farm in ("farm-1", "farm-2"):
        await admin.make(f"/parties/{party}/farms/{farm}")
    await admin.make(f"/parties/{party}/fields/field-1", farmId="farm-1")
    await admin.make(f"/parties/{party}/fields/field-2", farmId="farm-2")
    await admin.make(f"/parties/{party}/seasonal-fields/sf-1", fieldId="field-1")
    await admin.make(f"/parties/{party}/seasonal-fields/sf-2", farmId="farm-1", fieldId="field-2")
    await admin.make(f"/parties/{party}/seasonal-fields/sf-3", fieldId="field-2")


async def left(admin: Caller, party: str) -> dict[str, list[str]]:
    families = ("farms", "fields", "seasonal-fields")
    return {family: await admin.ids(f"/parties/{party}/{family}") for family in families}


ALL = {
    "farms": ["farm-1", "farm-2"],
    "fields": ["field-1", "field-2"],
    "seasonal-fields": ["sf-1", "sf-2", "sf-3"],
}


async def test_a_job_from_its_start_to_its_end(admin: Caller, worker: Worker, clock: Clock) -> None:
    await make_holding(admin, "p1")
    await make_holding(admin, "p2")
    started = await start(admin, "parties", "job-1", partyId="p1")
    assert started.status_code == 202
    address = f"{PUBLIC_URL}/farm/meadow/parties/cascade-delete/job-1?api-version={VERSION}"
    assert started.headers["location"] == started.headers["operation-location"] == address
    assert started.headers["retry-after"] == "1"
    waiting = {
        "id": "job-1",
        "status": "Waiting",
        "message": "Created job 'job-1' to delete Party 'p1' and all that is linked to it.",
        "createdDateTime": "2027-01-15T08:00:00Z",
        "partyId": "p1",
        "resourceId": "p1",
        "resourceType": "party",
    }
    assert started.json() == waiting
    assert await details(admin, "parties", "job-1") == waiting
    assert await left(admin, "p1") == ALL

    clock.now += 3
    worker.work()
    asked = await admin("GET", "/parties/cascade-delete/job-1")
    assert "retry-after" not in asked.headers
    assert asked.json() == waiting | {
        "status": "Succeeded",
        "message": "Deleted Party 'p1' and what was linked to it: 2 Farm, 2 Field, 3 SeasonalField.",
        "durationInSeconds": 0.0,
        "lastActionDateTime": "2027-01-15T08:00:03Z",
        "startTime": "2027-01-15T08:00:03Z",
        "endTime": "2027-01-15T08:00:03Z",
    }
    assert (await admin("GET", "/parties/p1")).status_code == 404
    assert await left(admin, "p1") == {"farms": [], "fields": [], "seasonal-fields": []}
    assert await left(admin, "p2") == ALL


@pytest.mark.parametrize(
    ("segment", "names", "expected"),
    [
        (
            "farms",
            {"farmId": "farm-1"},
            {"farms": ["farm-2"], "fields": ["field-2"], "seasonal-fields": ["sf-3"]},
        ),
        (
            "fields",
            {"fieldId": "field-1"},
            ALL | {"fields": ["field-2"], "seasonal-fields": ["sf-2", "sf-3"]},
        ),
        ("fields", {"fieldId": "field-2"}, ALL | {"fields": ["field-1"], "seasonal-fields": ["sf-1"]}),
        ("seasonal-fields", {"seasonalFieldId": "sf-2"}, ALL | {"seasonal-fields": ["sf-1", "sf-3"]}),
    ],
)
async def test_what_refers_to_what_goes_goes_along(
    admin: Caller, worker: Worker, segment: str, names: dict[str, str], expected: dict[str, list[str]]
) -> None:
    await make_holding(admin, "p1")
    await make_holding(admin, "p2")
    assert (await start(admin, segment, "job-1", partyId="p1", **names)).status_code == 202
    worker.work()
    assert (await details(admin, segment, "job-1"))["status"] == "Succeeded"
    assert await left(admin, "p1") == expected
    assert await left(admin, "p2") == ALL


@pytest.mark.parametrize(
    ("version", "has_code"), [("2021-03-31-preview", False), ("2023-06-01-preview", True)]
)
async def test_jobs_by_the_names_of_each_version(
    admin: Caller, caller: Callable[..., Caller], worker: Worker, version: str, has_code: bool
) -> None:
    await make_holding(admin, "p1")
    someone = caller(version=version)
    farmers, farmer = ("parties", "partyId") if has_code else ("farmers", "farmerId")
    started = await someone("PUT", "/farms/cascade-delete/job-1", params={farmer: "p1", "farmId": "farm-1"})
    assert started.status_code == 202, started.text
    assert started.headers["location"].endswith(f"/farms/cascade-delete/job-1?api-version={version}")
    assert started.json()[farmer] == "p1"
    await someone("PUT", f"/{farmers}/cascade-delete/job-2", params={farmer: "p1"})
    worker.work()
    shown = (await someone("GET", f"/{farmers}/cascade-delete/job-2")).json()
    assert (shown["status"], shown[farmer]) == ("Succeeded", "p1")
    assert (await details(admin, "farms", "job-1"))["partyId"] == "p1"
    with_code = set(job_struct(CascadeDeleteJob, Version(version)).__struct_fields__)
    assert ("error_code" in with_code) is has_code


async def test_the_same_request_again_is_the_same_job(admin: Caller, worker: Worker) -> None:
    await make_holding(admin, "p1")
    first = await start(admin, "farms", "job-1", partyId="p1", farmId="farm-1")
    assert (await start(admin, "farms", "job-1", partyId="p1", farmId="farm-1")).json() == first.json()
    worker.work()
    # Its resource is gone by now, but it is the job that is asked for.
    again = await start(admin, "farms", "job-1", partyId="p1", farmId="farm-1")
    assert (again.status_code, again.json()["status"]) == (202, "Succeeded")
    assert "retry-after" not in again.headers


async def test_an_id_is_never_used_for_two_jobs(admin: Caller, worker: Worker) -> None:
    await make_holding(admin, "p1")
    await start(admin, "farms", "job-1", partyId="p1", farmId="farm-1")
    for _ in range(2):
        other = await start(admin, "farms", "job-1", partyId="p1", farmId="farm-2")
        check(other, 409, "JobAlreadyExists", "jobId")
        check(await start(admin, "parties", "job-1", partyId="p1"), 409, "JobAlreadyExists", "jobId")
        worker.work()
    assert await admin.ids("/parties/p1/farms") == ["farm-2"]
    check(await admin("GET", "/parties/cascade-delete/job-1"), 404, "ResourceNotFound")


async def test_jobs_that_can_not_be_started(admin: Caller, pending: Pending) -> None:
    await make_holding(admin, "p1")
    check(await start(admin, "farms", "job-1", partyId="p1"), 400, "InvalidInput", "farmId")
    check(await start(admin, "farms", "job-1", partyId="", farmId="farm-1"), 400, "InvalidInput", "partyId")
    check(await start(admin, "farms", "j", partyId="p1", farmId="farm-1"), 400, "InvalidInput", "jobId")
    check(await start(admin, "farms", "job-1", partyId="p1", farmId="none"), 404, "ResourceNotFound")
    check(await start(admin, "parties", "job-1", partyId="none"), 404, "ResourceNotFound")
    check(await admin("GET", "/farms/cascade-delete/job-1"), 404, "ResourceNotFound")
    check(await admin("DELETE", "/farms/cascade-delete/job-1"), 405, "MethodNotAllowed")


async def test_who_may_start_and_ask(admin: Caller, caller: Callable[..., Caller]) -> None:
    await make_holding(admin, "p1")
    for role in ("contributor", "reader", "stranger"):
        check(await start(caller(role), "parties", "job-1", partyId="p1"), 403, "AuthorizationFailed")
    await start(admin, "parties", "job-1", partyId="p1")
    assert (await details(caller("reader"), "parties", "job-1"))["status"] == "Waiting"
    check(await caller("stranger")("GET", "/parties/cascade-delete/job-1"), 403, "AuthorizationFailed")


async def test_what_is_gone_before_its_job_began(admin: Caller, worker: Worker) -> None:
    await make_holding(admin, "p1")
    await start(admin, "farms", "job-1", partyId="p1", farmId="farm-1")
    await start(admin, "parties", "job-2", partyId="p1")
    await start(admin, "seasonal-fields", "job-3", partyId="p1", seasonalFieldId="sf-3")
    worker.work()
    for segment, job in (("farms", "job-1"), ("parties", "job-2"), ("seasonal-fields", "job-3")):
        assert (await details(admin, segment, job))["status"] == "Succeeded"
    message = (await details(admin, "seasonal-fields", "job-3"))["message"]
    assert message == "SeasonalField 'sf-3' was not there any more."


async def test_nothing_is_pending_once_all_is_done(
    admin: Caller, worker: Worker, pending: Pending, clock: Clock
) -> None:
    await make_holding(admin, "p1")
    await start(admin, "parties", "job-1", partyId="p1")
    assert pending.noted() == ["store-meadow"]
    worker.work()
    # What was noted only now may be committed in a moment.
    assert pending.noted() == ["store-meadow"]
    clock.now += SETTLED + 1
    worker.work()
    assert pending.noted() == []
