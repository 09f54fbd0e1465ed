"""Runners that can't work, as real processes: the batch is given up, once and for all."""

import asyncio

import pytest

from headland.jobs.controller.runners import MOST_RUNNERS

pytestmark = pytest.mark.anyio


async def test_a_batch_whose_runners_fail_is_dead_and_nothing_is_started_after_that(service):
    await service.submit()
    service.change(0, claimed_by="node", claimed_at=1)
    directory = service.directory(0)
    # No runner can say who it is.
    directory.runner.mkdir(parents=True)
    keeper = service.keeper()
    for _ in range(MOST_RUNNERS):
        await asyncio.to_thread(keeper.step, service.row(0))
        keeper._launcher.runners._started[directory.path.name].wait(20)
    assert service.row(0).state == "starting"
    await asyncio.to_thread(keeper.step, service.row(0))
    assert service.row(0).state == "dead"
    assert keeper._launcher.runners._started == {}
    assert not directory.launched.exists()
    log = (await service.get("/batches/0/log")).json()["log"]
    assert any("The batch's runner could not work: " in line for line in log)
