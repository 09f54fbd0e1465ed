"""What the metrics say of the queue."""

import pytest
from prometheus_client import CollectorRegistry, generate_latest

from headland.database import Database
from headland.jobs.batches import store
from headland.jobs.batches.store import NewBatch
from headland.server.metrics import _Batches


@pytest.fixture
def waiting_seconds(database: Database):
    def waiting_seconds() -> float:
        registry = CollectorRegistry()
        registry.register(_Batches(database, lambda: 61_500))
        lines = generate_latest(registry).decode().splitlines()
        (value,) = [line.split()[1] for line in lines if line.startswith("headland_batches_waiting_seconds")]
        return float(value)

    return waiting_seconds


def test_how_long_the_first_in_the_queue_has_waited(database, waiting_seconds):
    assert waiting_seconds() == 0
    for number, created_at in enumerate((1_500, 31_500)):
        new = NewBatch(f"{number:032x}", None, None, None, b"{}", created_at)
        database.write_and_wait(lambda connection, new=new: store.create(connection, new))
    assert waiting_seconds() == 60
    database.write_and_wait(lambda connection: store.claim(connection, 0, "node", 5))
    assert waiting_seconds() == 30
    database.write_and_wait(lambda connection: store.request_kill(connection, 1, 5))
    assert waiting_seconds() == 0
