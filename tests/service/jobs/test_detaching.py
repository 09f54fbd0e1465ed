"""When the program that submitted to a cluster has ended: is there an application that goes on without it?"""

import os

import pytest

from headland.jobs.batches import store
from headland.settings import JobsSettings

pytestmark = pytest.mark.anyio

SAID = b"INFO RestSubmissionClient: Submission successfully created as driver-2026-0007. Polling\n"

#: The discard port, on which nothing listens: a master that does not answer.
NOWHERE = JobsSettings(
    master="spark://127.0.0.1:9", deploy_mode="cluster", manager_url=("http://127.0.0.1:9",), rest_port=9
)


@pytest.fixture
async def service(make_service):
    return await make_service(jobs=NOWHERE)


@pytest.mark.parametrize(
    "end", [{"exit_code": 0}, {"exit_code": 1}, {"signal": 9}, {"exit_code": 143, "killed": True}]
)
async def test_however_it_ended_the_manager_has_the_last_word(service, end):
    await service.submit()
    service.change(0, claimed_by="node", claimed_at=1)
    service.directory(0).path.mkdir(parents=True)
    service.end(0, SAID, **end)
    row = service.row(0)
    assert (row.state, row.finished_at, row.handle) == ("starting", None, "driver-2026-0007")
    assert row.detached_at == service.clock.milliseconds()
    assert (await service.get("/batches/0/state")).json() == {"id": 0, "state": "starting"}


async def test_one_that_was_lost_may_have_submitted(service):
    await service.submit()
    service.change(0, claimed_by="node", claimed_at=1)
    directory = service.directory(0)
    directory.path.mkdir(parents=True)
    directory.write(directory.launched, {})
    service.keeper().step(service.row(0))
    assert (service.row(0).handle, service.row(0).detached) == (None, True)


@pytest.mark.parametrize(("end", "state"), [({"killed": True}, "killed"), ({"problem": "no java"}, "dead")])
async def test_one_that_never_started_has_submitted_nothing(service, end, state):
    await service.submit()
    service.end(0, **end)
    assert (service.row(0).state, service.row(0).detached_at) == (state, None)


async def test_one_that_is_deleted_is_not_forgotten_before_its_application_is(service):
    await service.submit()
    service.change(0, claimed_by="node", claimed_at=1)
    service.directory(0).path.mkdir(parents=True)
    service.database.write_and_wait(lambda connection: store.request_delete(connection, 0, 1))
    service.end(0, SAID, exit_code=143, killed=True)
    assert service.row(0).detached
    assert service.directory(0).path.exists()


async def test_a_submitter_at_work_is_not_the_application(service):
    await service.submit()
    service.change(0, claimed_by="node", claimed_at=1)
    directory = service.directory(0)
    directory.path.mkdir(parents=True)
    directory.write(directory.launched, {})
    directory.write(directory.application, {"pid": 1, "start": "1", "boot": "x", "since": 5})
    lock = directory.take_lock()
    service.keeper().step(service.row(0))
    assert (service.row(0).state, service.row(0).app_info) == ("starting", None)
    os.close(lock)


async def test_staged_files_stay_as_long_as_the_application_may_need_them(service):
    await service.submit()
    service.run(0)
    service.directory(0).staged.mkdir()
    service.end(0, SAID)
    assert service.directory(0).staged.exists()


async def test_master_and_mode_are_those_that_it_was_accepted_for(make_service):
    service = await make_service(
        jobs=JobsSettings(allowed_masters=("local[2]", NOWHERE.master), blocked_conf=())
    )
    await service.submit(conf={"spark.master": NOWHERE.master, "spark.submit.deployMode": "cluster"})
    await service.submit(conf={"spark.master": "local[2]"})
    for batch in (0, 1):
        service.end(batch, SAID)
    assert [service.row(batch).detached for batch in (0, 1)] == [True, False]
    assert service.row(1).state == "success"
