"""Requests are told of some at a time, and none is forgotten."""

import asyncio
import json
import re
import subprocess
import sys

import pytest
from prometheus_client import REGISTRY

from headland.http.answered import Answered, timestamp
from headland.http.gathering import MOST_WAITING, PAUSE
from headland.http.traffic import Traffic


def answered(listener: str, number: int, status: int = 200) -> Answered:
    at = timestamp(1_700_000_000.5)
    return Answered(
        at, listener, "GET", f"/fields/{number}", "/fields/{id}", status, 2.0, "app", f"r{number}"
    )


def counted(listener: str, name: str = "headland_http_requests_total", **labels: str) -> float:
    known = {"listener": listener, "route": "/fields/{id}"} | labels
    return REGISTRY.get_sample_value(name, known) or 0


def test_what_waits_is_told_of_soon_and_in_order() -> None:
    told: list[Answered] = []

    async def serve() -> None:
        traffic = Traffic("soon", told.extend)
        for number in range(3):
            traffic.add(answered("soon", number))
        assert not told
        await asyncio.sleep(10 * PAUSE)
        assert [line.request_id for line in told] == ["r0", "r1", "r2"]
        traffic.add(answered("soon", 3))
        await asyncio.sleep(10 * PAUSE)

    asyncio.run(serve())
    assert [line.path for line in told] == [f"/fields/{number}" for number in range(4)]
    assert told[0].timestamp == "2023-11-14T22:13:20.500Z"
    assert counted("soon", method="GET", status="200") == 4
    assert counted("soon", "headland_http_request_seconds_count") == 4


def test_not_too_many_wait() -> None:
    told: list[Answered] = []

    async def serve() -> None:
        traffic = Traffic("many", told.extend)
        for number in range(MOST_WAITING + 1):
            traffic.add(answered("many", number, 200 + number % 2))

    asyncio.run(serve())
    assert len(told) == MOST_WAITING
    assert counted("many", method="GET", status="201") == MOST_WAITING / 2


SAYS = """
import asyncio
from headland.http.answered import Answered, timestamp
from headland.http.traffic import Traffic
from headland.server.logging import configure_logging, request_lines
from headland.settings import LogSettings

async def serve():
    traffic = Traffic("x", request_lines(settings))
    traffic.add(Answered(timestamp(0.0), "x", "GET", "/fields/1", "/fields/{{id}}", 200, 2.0, None, "r1"))
    traffic.tell()

settings = LogSettings(format="{format}", level="{level}")
configure_logging(settings)
asyncio.run(serve())
"""


@pytest.mark.parametrize("format_", ["json", "console"])
@pytest.mark.parametrize("level", ["info", "warning"])
def test_lines_are_as_the_settings_say(format_: str, level: str) -> None:
    # In a process of its own: loggers keep what they were set up with when they were first used.
    program = SAYS.format(format=format_, level=level)
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stderr
    if level == "warning":
        assert out == ""
    elif format_ == "json":
        line = json.loads(out)
        assert (line["event"], line["level"]) == ("request", "info")
        assert line["timestamp"] == "1970-01-01T00:00:00.000Z"
    else:
        plain = re.sub("\x1b[^m]*m", "", out)
        assert re.match(r"1970-01-01T00:00:00.000Z \[info +\] request .* request_id=r1", plain)
