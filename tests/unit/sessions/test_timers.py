"""When a session has lived long enough."""

import dataclasses

import pytest

from headland.jobs.sessions.controller.timers import Clocks, Limits, why_to_stop

CLOCKS = Clocks(now=1000.0, since=0.0, started_at=100.0, idle_since=900.0, last_beat=950.0)
NONE = Limits(ttl=0, idle=0, heartbeat=0)


@pytest.mark.parametrize(
    ("clocks", "limits", "reason"),
    [
        ({}, {}, None),
        ({}, {"ttl": 900}, "time to live"),
        ({}, {"ttl": 901}, None),
        ({}, {"idle": 100}, "idle for 100 seconds"),
        ({}, {"idle": 101}, None),
        # At work.
        ({"idle_since": None}, {"idle": 1}, None),
        # The service was away.
        ({"since": 950.0}, {"idle": 100}, None),
        ({"since": 980.0}, {"heartbeat": 30}, None),
        ({}, {"heartbeat": 50}, "heartbeat"),
        ({}, {"heartbeat": 51}, None),
        # It has just come up.
        ({"started_at": 990.0, "last_beat": 0.0}, {"heartbeat": 50}, None),
        ({"idle_since": None}, {"ttl": 900}, "time to live"),
    ],
)
def test_reasons(clocks: dict[str, float], limits: dict[str, float], reason: str | None) -> None:
    found = why_to_stop(dataclasses.replace(CLOCKS, **clocks), dataclasses.replace(NONE, **limits))
    assert found is None if reason is None else reason in (found or "")
