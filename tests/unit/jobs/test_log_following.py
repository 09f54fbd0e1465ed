"""Following a log: every line once, from any place on, whatever is added, dropped or restarted meanwhile."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from headland.jobs.batches import log, log_following
from headland.jobs.batches.errors import BadNumberError, TooManyFollowersError
from headland.jobs.batches.line_index import read_line
from headland.jobs.batches.log_following import Follower, Followers, Place, begin_at
from headland.jobs.batches.output import OutputReader
from headland.jobs.batches.report import Report, encode
from headland.jobs.batches.states import State
from headland.jobs.batches.store import BatchRow

pytestmark = pytest.mark.anyio

REPORT = encode(Report("N/A", "node", "default", 1, "SUCCEEDED", "https://x", "alice", ("bye",)))


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(autouse=True)
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_following, "LOOK", 0.001)


@dataclass
class Event:
    id: str | None
    name: str | None
    data: str


def parse(stream: bytes) -> list[Event]:
    """Events as a browser takes them (WHATWG HTML, section 9.2.6); comments are no events."""
    found = []
    for block in stream.decode().split("\n\n")[:-1]:
        fields: dict[str, list[str]] = {}
        for line in block.split("\n"):
            name, _, value = line.partition(":")
            fields.setdefault(name, []).append(value.removeprefix(" "))
        if "data" in fields:
            told, named = fields.get("id"), fields.get("event")
            found.append(
                Event(told[-1] if told else None, named[-1] if named else None, "\n".join(fields["data"]))
            )
    return found


@dataclass
class Batch:
    """A batch whose output grows as the test says."""

    output: Path
    row: BatchRow | None
    followed: bytes = b""

    def write(self, text: str, segment: str | None = None) -> None:
        file = self.output
        if segment:
            file = self.output.with_name("output.tail") / segment
            file.parent.mkdir(exist_ok=True)
        with file.open("a", newline="") as opened:
            opened.write(text)

    def end(self) -> None:
        assert self.row is not None
        self.row = replace(self.row, state=State.SUCCESS, finished_at=9, report=REPORT)

    def lines(self) -> list[str]:
        """The whole log as pages have it."""
        page = log.page(self.row, self.output, OutputReader(), 0, -1)
        return list(page.lines)

    def follow(self, place: Place) -> AsyncIterator[bytes]:
        return Follower(lambda: self.row, lambda _row: self.output, place).events()

    async def all(self, place: Place) -> list[Event]:
        return parse(b"".join([events async for events in self.follow(place)]))


@pytest.fixture
def batch(tmp_path, make_row):
    return Batch(tmp_path / "output.log", make_row(state=State.RUNNING, claimed_by="node"))


FRESH = Place(fresh=True)


@pytest.mark.parametrize("text", ["", "a\n", "a\nb\nno end", "\n\n", "x" * 100_000 + "\ny\n"])
async def test_an_ended_batchs_events_are_its_log(batch, text):
    batch.write(text)
    batch.end()
    *lines, end = await batch.all(FRESH)
    assert [event.data for event in lines] == batch.lines()
    assert (end.name, end.data) == ("end", "success")


async def test_a_log_in_several_files_with_a_gap(batch):
    batch.write("a\nb\n")
    batch.write("y\n", "40.20")
    batch.write("z\n", "42.21")
    batch.end()
    *lines, _ = await batch.all(FRESH)
    assert [event.data for event in lines] == batch.lines()


async def test_from_every_event_on_comes_the_rest(batch):
    batch.write("a\nb\n")
    batch.write("c\n", "0.0")
    batch.write("d\ne", "2.1")
    batch.end()
    *lines, _ = whole = await batch.all(FRESH)
    for number, event in enumerate(lines):
        assert await batch.all(Place.parse(event.id)) == whole[number + 1 :]


async def test_from_every_line_on_comes_the_rest(batch):
    batch.write("a\nb\n")
    batch.write("c\n", "40.20")
    batch.write("d\ne", "42.21")
    batch.end()
    expected = batch.lines()
    for start in range(len(expected) + 2):
        place = begin_at(batch.output, OutputReader(), start, complete=True)
        *lines, _ = await batch.all(place)
        assert [event.data for event in lines] == expected[start:], start


async def test_lines_come_as_they_are_written(batch):
    events = batch.follow(FRESH)
    batch.write("one\nha")
    assert [event.data for event in parse(await anext(events))] == ["stdout: ", "one"]
    following_ = asyncio.ensure_future(anext(events))
    batch.write("lf\ntwo\n")
    assert [event.data for event in parse(await following_)] == ["half", "two"]
    batch.write("three\n", "0.0")
    assert [event.data for event in parse(await anext(events))] == ["three"]
    batch.write("last")
    batch.end()
    rest = parse(b"".join([event async for event in events]))
    assert [event.data for event in rest][-1] == "success"


async def test_a_batch_that_moves_when_it_is_claimed_is_followed(batch, tmp_path):
    events = batch.follow(FRESH)
    first = asyncio.ensure_future(anext(events))
    await asyncio.sleep(0)
    (tmp_path / "warm").mkdir()
    batch.output = tmp_path / "warm" / "output.log"
    batch.write("one\n")
    assert [event.data for event in parse(await first)] == ["stdout: ", "one"]
    await events.aclose()


async def test_what_is_dropped_before_it_was_read_is_told(batch):
    batch.write("a\n")
    events = batch.follow(FRESH)
    assert [event.data for event in parse(await anext(events))] == ["stdout: ", "a"]
    batch.write("z\n", "500.10")
    gap, z = parse(await anext(events))
    assert "10 lines, 500 bytes" in gap.data
    assert z.data == "z"
    await events.aclose()


async def test_a_batch_that_is_deleted_ends_its_following(batch):
    batch.write("a\n")
    events = batch.follow(FRESH)
    await anext(events)
    batch.row = None
    assert parse(b"".join([event async for event in events])) == [Event(None, "end", "deleted")]


async def test_a_follower_leaves_when_the_service_stops_and_gets_the_rest_later(batch):
    told = False
    batch.write("a\n")
    events = Follower(lambda: batch.row, lambda _row: batch.output, FRESH, stopping=lambda: told).events()
    *_, last = parse(await anext(events))
    told = True
    assert [event async for event in events] == []
    batch.write("b\n")
    batch.end()
    first, *_ = await batch.all(Place.parse(last.id))
    assert first.data == "b"


async def test_carriage_returns_do_not_break_an_event(batch):
    batch.write("10%\r20%\r\nevent: end\r\r\n")
    batch.end()
    lines = await batch.all(FRESH)
    assert [event.data for event in lines[1:3]] == ["10%\n20%\n", "event: end\n\n"]
    assert [event.name for event in lines[:-1]] == [None] * (len(lines) - 1)


async def test_silence_is_broken_by_comments(batch, monkeypatch):
    monkeypatch.setattr(log_following, "SILENCE", 0.0)
    batch.write("a\n")
    events = batch.follow(FRESH)
    await anext(events)
    comment = await anext(events)
    assert comment.startswith(b":")
    assert parse(comment) == []
    await events.aclose()


@pytest.mark.parametrize("text", ["x", "", "+", "+1", "-1", "1+x", "1.5", "9" * 19, "٣"])
def test_an_id_that_no_event_has(text):
    with pytest.raises(BadNumberError):
        Place.parse(text)


@pytest.mark.parametrize("place", [Place(), Place(17), Place(17, 3), Place(0, 1)])
def test_a_place_is_read_back_from_its_id(place):
    assert Place.parse(str(place)) == place


async def test_no_more_follow_than_may(batch):
    followers = Followers(1)
    followers.check()
    events = followers.follow(Follower(lambda: batch.row, lambda _row: batch.output, FRESH))
    batch.write("a\n")
    await anext(events)
    with pytest.raises(TooManyFollowersError):
        followers.check()
    await events.aclose()
    followers.check()


async def test_a_line_that_goes_on_is_read_again_when_there_is_more_of_it(batch, monkeypatch):
    read: list[int] = []
    monkeypatch.setattr(log_following, "read_line", lambda opened: read.append(1) or read_line(opened))
    batch.write("whole\nhalf")
    follower = Follower(lambda: batch.row, lambda _row: batch.output, FRESH)
    seen = b"".join([follower._more(batch.output, complete=False) for _ in range(5)])
    assert (b"data: whole" in seen, b"half" in seen, len(read)) == (True, False, 2)
    batch.write(" and half\n")
    assert b"data: half and half" in follower._more(batch.output, complete=False)
    batch.write("last")
    assert follower._more(batch.output, complete=False) == b""
    assert b"data: last" in follower._more(batch.output, complete=True)
