"""Stop and forget: DELETE, the `kill` beside it, and what callers at once are told."""

import asyncio
import sqlite3
import threading

import pytest

from headland.database import DatabaseUnavailableError
from headland.jobs.batches import service as rules
from headland.jobs.wakeup import listen
from headland.settings import JobsSettings

pytestmark = pytest.mark.anyio


@pytest.fixture
async def hurried(make_service, monkeypatch):
    """A service that does not wait long for anybody."""
    monkeypatch.setattr(rules, "_PATIENCE", 0.0)
    return await make_service(jobs=JobsSettings(kill_grace=0.05))


@pytest.mark.parametrize("stage", ["waiting", "running"])
async def test_a_killed_batch_keeps_its_record(service, controller, stage):
    await service.submit()
    if stage == "running":
        service.run(0, b"half done\n")
    with controller(service):
        answer = await service.post("/batches/0/kill")
    assert (answer.status_code, answer.text) == (200, '{"msg":"killed"}')
    found = (await service.get("/batches/0")).json()
    assert found["state"] == "killed"
    assert "\t diagnostics: The batch was killed on request." in found["log"]
    assert "\t final status: KILLED" in found["log"]
    lines = (await service.get("/batches/0/log?from=0&size=2")).json()["log"]
    assert lines == ["stdout: ", "half done" if stage == "running" else "\nstderr: "]
    assert (await service.get("/batches")).json()["total"] == 1


@pytest.mark.parametrize(("exit_code", "state"), [(0, "success"), (1, "dead")])
async def test_an_ended_batch_can_not_be_killed(service, check_error, exit_code, state):
    await service.submit()
    service.end(0, exit_code=exit_code)
    answer = await service.post("/batches/0/kill")
    check_error(answer, 409, f"Batch 0 has ended already: it is '{state}'.")
    assert (await service.get("/batches/0/state")).json()["state"] == state


async def test_a_killed_batch_can_be_deleted(service, controller):
    await service.submit()
    with controller(service):
        assert (await service.post("/batches/0/kill")).status_code == 200
        assert (await service.post("/batches/0/kill")).status_code == 409
        assert (await service.delete("/batches/0")).text == '{"msg":"deleted"}'
        assert (await service.delete("/batches/0")).status_code == 404
    assert service.row(0) is None


async def test_a_running_batch_is_deleted_with_its_files(service, controller):
    await service.submit(name="harvest")
    service.run(0, b"half done\n")
    folder = service.directory(0).path
    with controller(service):
        assert (await service.delete("/batches/0")).text == '{"msg":"deleted"}'
    assert not folder.exists()
    assert service.row(0) is None
    assert (await service.submit(name="harvest"))["id"] == 1


async def test_a_deletion_is_answered_when_it_is_done_and_meanwhile_nobody_sees_the_batch(
    service, check_error, controller
):
    await service.submit(name="harvest")
    with listen(service.home.controller_socket) as calls:
        deletion = asyncio.create_task(service.delete("/batches/0"))
        await asyncio.wait_for(asyncio.get_running_loop().sock_recv(calls, 100), 20)
    assert service.row(0).delete_requested_at == 1_800_000_000_000
    for path in (
        "/batches/0",
        "/batches/harvest",
        "/batches/0/state",
        "/batches/0/log",
        "/batches/0/progress",
    ):
        check_error(await service.get(path), 404, "not found.")
    check_error(await service.delete("/batches/0"), 404, "Session '0' not found.")
    check_error(await service.post("/batches/0/kill"), 404, "Session '0' not found.")
    assert (await service.get("/batches")).json() == {"from": 0, "total": 0, "sessions": []}
    assert (await service.submit(name="harvest"))["id"] == 1
    assert not deletion.done()
    with controller(service):
        assert (await asyncio.wait_for(deletion, 20)).text == '{"msg":"deleted"}'
    assert service.row(0) is None


async def test_of_several_deletions_at_once_one_succeeds(service, controller, monkeypatch):
    await service.submit()
    held, gate = threading.Event(), threading.Event()
    service.database.write_behind(lambda _connection: held.set() or gate.wait(20), print)
    held.wait(20)
    writes, write = [], service.database.write
    monkeypatch.setattr(service.database, "write", lambda change: writes.append(change) or write(change))
    deletions = [asyncio.create_task(service.delete("/batches/0")) for _ in range(5)]
    async with asyncio.timeout(20):
        while len(writes) < 5:  # noqa: ASYNC110 - they ring nobody
            await asyncio.sleep(0)
    gate.set()
    with controller(service):
        answers = await asyncio.gather(*deletions)
    assert sorted((answer.status_code, answer.text) for answer in answers) == [
        (200, '{"msg":"deleted"}'),
        *[(404, '{"msg":"Session 0 already stopped."}')] * 4,
    ]


async def test_a_deletion_that_takes_too_long_is_answered_and_stays_on_record(hurried):
    await hurried.submit()
    answer = await hurried.delete("/batches/0")
    assert (answer.status_code, answer.text) == (200, '{"msg":"deleted"}')
    assert hurried.row(0).delete_requested_at is not None
    assert (await hurried.get("/batches/0")).status_code == 404


async def test_a_kill_that_takes_too_long_says_so_and_stays_on_record(hurried, check_error):
    await hurried.submit()
    check_error(await hurried.post("/batches/0/kill"), 503, "Batch 0 is being stopped; look at its state.")
    assert hurried.row(0).kill_requested_at is not None
    assert (await hurried.get("/batches/0/state")).json()["state"] == "starting"


async def test_what_only_the_run_needed_is_gone_before_its_end_is_on_record(make_service):
    service = await make_service(busy_timeout=0.1)
    await service.submit()
    service.run(0)
    service.directory(0).staged.mkdir()
    other = sqlite3.connect(service.home.database, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(DatabaseUnavailableError):
        service.end(0)
    assert not service.directory(0).staged.exists()
    other.execute("ROLLBACK")
    other.close()
    assert service.row(0).state == "running"
    service.keeper().step(service.row(0))
    assert service.row(0).state == "success"
