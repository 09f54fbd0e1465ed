"""A batch's log: its layout, its paging by Livy's rules, and numbers that lines keep for ever."""

from pathlib import Path

import msgspec
import pytest

from headland.jobs.batches import log
from headland.jobs.batches.log import ended_tail, live_tail, page
from headland.jobs.batches.output import OutputReader
from headland.jobs.batches.report import Report, encode
from headland.jobs.batches.states import State

REPORT = Report(
    diagnostics="N/A",
    host="node",
    queue="default",
    start_time=1,
    final_status="SUCCEEDED",
    tracking_url="https://headland.test/livy/batches/0/log",
    user="alice",
    shutdown=("bye", "gone"),
)
FOOT = ["\nstderr: ", *REPORT.lines()]
ALL = 2**31 - 1


@pytest.fixture
def output(tmp_path: Path) -> Path:
    return tmp_path / "output.log"


@pytest.fixture
def running(make_row):
    return make_row(state=State.RUNNING, claimed_by="node")


@pytest.fixture
def ended(make_row):
    return make_row(state=State.SUCCESS, claimed_by="node", finished_at=2, report=encode(REPORT))


def write(file: Path, lines: int) -> list[str]:
    written = [f"line {number}" for number in range(lines)]
    file.write_text("".join(line + "\n" for line in written))
    return written


def read(*asked: object) -> tuple[int, int, list[str]]:
    """A page: its start, the total, and its lines, of which there are as many as it says."""
    found = page(*asked)
    lines = list(found.lines)
    assert len(lines) == found.size
    return found.start, found.total, lines


def livy_slice(lines: list[str], start: int | None, size: int) -> tuple[int, list[str]]:
    """The rules of `livy.md` section 2.4, word for word."""
    if size < 0:
        size = len(lines)
    if start is None or start < 0:
        start = max(0, len(lines) - size)
    return start, lines[start : start + size]


def test_nothing_written_is_no_line_at_all(running, output):
    assert read(running, output, OutputReader(), None, 100) == (0, 0, [])
    output.touch()
    assert read(running, output, OutputReader(), None, 100) == (0, 0, [])


def test_output_comes_below_its_heading(running, output):
    written = write(output, 3)
    assert read(running, output, OutputReader(), None, 100) == (0, 4, ["stdout: ", *written])


def test_the_report_comes_behind_the_output_when_the_batch_has_ended(ended, output):
    written = write(output, 3)
    assert read(ended, output, OutputReader(), 0, 100) == (
        0,
        1 + 3 + len(FOOT),
        ["stdout: ", *written, *FOOT],
    )


@pytest.mark.parametrize("there", [True, False])
def test_a_batch_that_wrote_nothing_has_both_headings_and_the_report(ended, output, there):
    if there:
        output.touch()
    assert [*page(ended, output, OutputReader(), 0, 100).lines] == ["stdout: ", *FOOT]


def test_a_last_line_without_newline_shows_when_the_batch_has_ended(running, ended, output):
    output.write_bytes(b"whole\nhalf")
    assert [*page(running, output, OutputReader(), 0, 100).lines] == ["stdout: ", "whole"]
    assert [*page(ended, output, OutputReader(), 0, 100).lines] == ["stdout: ", "whole", "half", *FOOT]


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ((None, 100), (101, 100)),
        ((None, -1), (0, 201)),
        ((None, 0), (201, 0)),
        ((0, 100), (0, 100)),
        ((100, 100), (100, 100)),
        ((200, 100), (200, 1)),
        ((201, 100), (201, 0)),
        ((500, 100), (500, 0)),
        ((-5, 3), (198, 3)),
        ((-1, 500), (0, 201)),
        ((5, -1), (5, 196)),
        ((7, 0), (7, 0)),
        ((0, ALL), (0, 201)),
        ((ALL, ALL), (ALL, 0)),
    ],
)
def test_pages_of_a_running_batch(running, output, asked, told):
    lines = ["stdout: ", *write(output, 200)]
    first, count = told
    start, total, found = read(running, output, OutputReader(), *asked)
    assert (start, total, found) == (first, 201, lines[first : first + count])
    assert len(found) == count


@pytest.mark.parametrize("written", [0, 1, 5])
@pytest.mark.parametrize("has_ended", [False, True])
def test_every_page_there_can_be(running, ended, output, written, has_ended):
    row, reader = (ended if has_ended else running), OutputReader()
    lines = (
        (["stdout: "] if written or has_ended else []) + write(output, written) + (FOOT if has_ended else [])
    )
    for start in [None, *range(-2, len(lines) + 3)]:
        for size in range(-1, len(lines) + 3):
            first, total, found = read(row, output, reader, start, size)
            assert (first, found) == livy_slice(lines, start, size), (start, size)
            assert total == len(lines)


def test_a_line_keeps_its_number_while_output_grows_and_after_the_end(running, ended, output):
    reader, told = OutputReader(), {}
    for grown in range(12):
        with output.open("a") as opened:
            opened.write(f"line {grown}\nhalf of ")
        row = ended if grown == 11 else running
        for number, line in enumerate(page(row, output, reader, 0, ALL).lines):
            assert told.setdefault(number, line) == line
    assert len(told) == 1 + 13 + len(FOOT)


def test_a_reader_that_follows_by_number_misses_and_repeats_nothing(running, ended, output):
    reader, seen = OutputReader(), []
    for turn in range(8):
        with output.open("a") as opened:
            opened.write("".join(f"{turn}.{number}\n" for number in range(turn)))
        while following := [*page(running, output, reader, len(seen), 3).lines]:
            seen += following
    while following := [*page(ended, output, reader, len(seen), 3).lines]:
        seen += following
    assert seen == ["stdout: ", *(f"{turn}.{number}" for turn in range(8) for number in range(turn)), *FOOT]


@pytest.mark.parametrize("lines", [0, 1, 199, 200, 201, 1234])
def test_a_page_that_is_streamed_is_the_same_json(ended, output, lines):
    write(output, lines)
    found = page(ended, output, OutputReader(), 0, -1)
    streamed = b"".join(log.streamed(7, found))
    _, total, expected = read(ended, output, OutputReader(), 0, -1)
    assert msgspec.json.decode(streamed) == {"id": 7, "from": 0, "total": total, "log": expected}


@pytest.mark.parametrize("lines", [0, 1, 9, 10, 11, 200])
def test_a_record_has_the_last_ten_lines_of_a_running_batch(running, output, lines):
    written = write(output, lines)
    last = msgspec.json.decode(live_tail(output))
    assert last == (["stdout: ", *written][-10:] if lines else [])
    assert last == [*page(running, output, OutputReader(), None, 10).lines]


@pytest.mark.parametrize("lines", [0, 1, 2, 10, 200])
@pytest.mark.parametrize("end", ["", "and half a line"])
def test_a_record_has_the_last_ten_lines_of_an_ended_batch(ended, output, lines, end):
    write(output, lines)
    with output.open("a") as opened:
        opened.write(end)
    kept = ended_tail(encode(REPORT), output)
    assert kept == [*page(ended, output, OutputReader(), None, 10).lines]
    assert len(kept) == 10
    assert kept[-len(FOOT) + 1 :] == REPORT.lines()
