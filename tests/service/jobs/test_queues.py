"""Queues that a request may name."""

import pytest

from headland.settings import JobsSettings, QueueSettings

#: The smallest body that is accepted.
BODY = {"file": "wasbs:///app.jar", "className": "demo.App"}

pytestmark = pytest.mark.anyio


async def test_a_queue_that_is_not_declared(make_service, check_error):
    service = await make_service(jobs=JobsSettings(queues={"nightly": QueueSettings(max_running=1)}))
    answer = await service.post(json={**BODY, "queue": "weekly"})
    check_error(answer, 400, "queue 'weekly' is not there. The queues are: default, nightly.")
    assert service.is_untouched()
    await service.submit(queue="nightly")
    await service.submit()
    assert [service.row(batch_id).queue for batch_id in range(2)] == ["nightly", None]


async def test_where_none_is_declared_any_name_will_do(service):
    await service.submit(queue="root.weekly")
    assert service.row(0).queue == "root.weekly"
