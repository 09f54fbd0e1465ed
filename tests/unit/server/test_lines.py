"""Lines of the log that inform wait for others while requests are answered; what warns does not."""

import asyncio
import threading

import pytest

from headland.http.gathering import PAUSE
from headland.server.lines import Lines


@pytest.fixture
def lines() -> Lines:
    made = Lines()
    made.gathers = True
    return made


def test_what_informs_waits_and_what_warns_comes_after_it(
    lines: Lines, capsys: pytest.CaptureFixture[str]
) -> None:
    async def answer() -> str:
        lines.info(b"first")
        lines.info(b"second")
        waiting = capsys.readouterr().err
        lines.warning(b"third")
        return waiting

    assert asyncio.run(answer()) == ""
    assert capsys.readouterr().err == "first\nsecond\nthird\n"


def test_what_waits_is_written_soon(lines: Lines, capsys: pytest.CaptureFixture[str]) -> None:
    async def answer() -> None:
        lines.info(b"first")
        await asyncio.sleep(10 * PAUSE)
        assert capsys.readouterr().err == "first\n"
        lines.info(b"second")

    asyncio.run(answer())
    assert capsys.readouterr().err == ""
    lines.flush()
    assert capsys.readouterr().err == "second\n"


def test_threads_without_an_event_loop_wait_for_nobody(
    lines: Lines, capsys: pytest.CaptureFixture[str]
) -> None:
    async def answer() -> None:
        lines.info(b"of the loop")
        thread = threading.Thread(target=lambda: (lines.info(b"one"), lines.warning(b"two")))
        thread.start()
        thread.join()

    asyncio.run(answer())
    assert capsys.readouterr().err == "one\ntwo\n"
    lines.flush()
    assert capsys.readouterr().err == "of the loop\n"


def test_nothing_waits_unless_it_is_said_so(capsys: pytest.CaptureFixture[str]) -> None:
    async def answer() -> None:
        Lines().info(b"now")

    asyncio.run(answer())
    assert capsys.readouterr().err == "now\n"
