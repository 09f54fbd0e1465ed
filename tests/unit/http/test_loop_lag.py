"""The measure itself: it sees what holds up a loop, and nothing where nothing does."""

import asyncio
import sys
import time

import pytest
from tests.loop_lag import MOST_LAG, PeakMemory, longest_lag


@pytest.mark.anyio
async def test_lag_is_seen_where_the_loop_is_held_up_and_only_there() -> None:
    async def hold() -> None:
        time.sleep(0.1)  # noqa: ASYNC251 - just this is to be seen

    async def wait() -> None:
        await asyncio.sleep(0.1)

    assert 0.09 < await longest_lag(hold) < 5
    assert await longest_lag(wait, attempts=10) < MOST_LAG


@pytest.mark.skipif(sys.platform != "linux", reason="peaks of memory are read from /proc")
def test_peak_is_seen_after_the_memory_is_given_back() -> None:
    peak = PeakMemory()
    taken = bytearray(64 << 20)
    del taken
    assert peak.more() > 48 << 20
