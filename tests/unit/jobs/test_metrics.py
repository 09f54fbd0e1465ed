"""What the metrics say of batches and sessions."""

import asyncio
from pathlib import Path

import pytest

from headland.database import Database
from headland.jobs.batches import store
from headland.jobs.batches.store import NewBatch
from headland.jobs.sessions import store as sessions
from headland.jobs.sessions.store import NewSession
from headland.server.metrics import metrics_operation
from headland.settings import Home


@pytest.fixture
def metric(database: Database, tmp_path: Path):
    home = Home(tmp_path / "home")
    home.metrics.mkdir(parents=True)
    operation = metrics_operation(database, home, lambda: 61_500)

    def metric(name: str) -> float:
        answer = asyncio.run(operation.handler(None))
        lines = answer.body.decode().splitlines()
        (value,) = [line.split()[1] for line in lines if line.split()[0] == name]
        return float(value)

    return metric


def test_how_long_the_first_batch_in_the_queue_has_waited(database, metric):
    name = "headland_batches_waiting_seconds"
    assert metric(name) == 0
    for number, created_at in enumerate((1_500, 31_500)):
        new = NewBatch(f"{number:032x}", None, None, None, b"{}", created_at)
        database.write_and_wait(lambda connection, new=new: store.create(connection, new))
    assert metric(name) == 60
    assert metric('headland_batches{state="starting"}') == 2
    database.write_and_wait(lambda connection: store.claim(connection, 0, "node", 5))
    assert metric(name) == 30
    database.write_and_wait(lambda connection: store.request_kill(connection, 1, 5))
    assert metric(name) == 0


def test_sessions_by_the_state_that_their_owners_see(database, metric):
    """No host answers here: one that was up and does not is taken to be at work."""
    name = "headland_sessions_waiting_seconds"
    assert metric(name) == 0
    for number, created_at in enumerate((1_500, 31_500, 41_500, 51_500)):
        new = NewSession(f"{number:032x}", None, None, None, "pyspark", b"{}", created_at)
        database.write_and_wait(lambda connection, new=new: sessions.create(connection, new))
    assert metric(name) == 60
    changes = ({"claimed_by": "node", "state": "idle"}, {"finished_at": 1, "state": "dead"})
    for number, values in enumerate(changes):
        database.write_and_wait(
            lambda connection, number=number, values=values: sessions.change(connection, number, **values)
        )
    database.write_and_wait(lambda connection: sessions.request_stop(connection, 2, 5, "asked"))
    assert metric(name) == 10
    found = {
        state: metric(f'headland_sessions{{state="{state}"}}')
        for state in ("starting", "idle", "busy", "shutting_down", "dead")
    }
    assert found == {"starting": 1, "idle": 0, "busy": 1, "shutting_down": 1, "dead": 1}
