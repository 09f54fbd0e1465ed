"""A growing file, read by line number: against a reader that reads all of it each time."""

import os
import random
import tracemalloc
from pathlib import Path

import pytest

from headland.jobs.batches import line_index, output
from headland.jobs.batches.line_index import LONGEST_LINE, STEP, LineIndex
from headland.jobs.batches.output import LONGEST_TAIL, tail


def naive(data: bytes, *, complete: bool) -> list[str]:
    """What a reader is to show, in the plainest way."""
    lines = data.split(b"\n")
    last = lines.pop()
    if complete and last:
        lines.append(last)
    most = line_index.LONGEST_LINE
    return [
        line[:most].decode("utf-8", "replace")
        + (f" [{len(line) - most} bytes more]" if len(line) > most else "")
        for line in lines
    ]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "output.log"


@pytest.fixture
def small(monkeypatch) -> None:
    """Steps so small that every boundary is met."""
    monkeypatch.setattr(line_index, "STEP", 16)
    monkeypatch.setattr(output, "_TAIL_STEP", 8)
    monkeypatch.setattr(line_index, "LONGEST_LINE", 24)


CONTENTS = {
    "nothing": b"",
    "one line": b"one\n",
    "a last line that goes on": b"one\ntwo",
    "a last line alone": b"one",
    "empty lines": b"\n\n\none\n\n",
    "one empty line": b"\n",
    "carriage returns stay": b"10%\r20%\r30%\r\nnext\r\n\r",
    "bytes that are no text": b"\xff\xfe\n\xc3\ncaf\xc3\xa9\n\xed\xa0\x80\n",
    "NUL": b"a\0b\n",
    "a line as long as is shown": b"x" * LONGEST_LINE + b"\n",
    "a line longer than is shown": b"x" * (LONGEST_LINE + 5) + b"\nnext\n",
    "a cut within a character": b"x" * (LONGEST_LINE - 1) + "é".encode() + b"\n",
    "other separators": "a\u2028b\x0bc\x0cd\x85e\n".encode(),
}


@pytest.mark.parametrize("data", CONTENTS.values(), ids=CONTENTS)
@pytest.mark.parametrize("complete", [False, True])
def test_lines_of_every_kind(file, data, complete):
    file.write_bytes(data)
    expected = naive(data, complete=complete)
    reader = LineIndex()
    assert reader.count(file, complete=complete) == len(expected)
    assert [*reader.lines(file, 0, len(expected))] == expected
    assert tail(file, 100, complete=complete) == expected


def test_a_long_line_is_cut_where_it_is_shown_and_says_so(file):
    file.write_bytes(b"x" * (LONGEST_LINE + 5) + b"\n")
    assert [*LineIndex().lines(file, 0, 1)] == ["x" * LONGEST_LINE + " [5 bytes more]"]


@pytest.mark.parametrize("lines", [1, 9_361, 9_362, 9_363, 9_364, 30_000])
def test_lines_round_the_places_that_are_remembered(file, lines):
    # Lines of 7 bytes: one that ends, one that begins, and one that lies across each of those places.
    expected = [f"{number:06d}" for number in range(lines)]
    file.write_text("".join(line + "\n" for line in expected))
    reader = LineIndex()
    assert reader.count(file, complete=False) == lines
    near = [STEP * step // 7 + by for step in range(4) for by in (-2, -1, 0, 1, 2)]
    for start in {0, 1, lines - 1, *(start for start in near if 0 <= start < lines)}:
        for size in (1, 2, 9_362, lines):
            assert [*reader.lines(file, start, size)] == expected[start : start + size]
        assert reader.offset(file, start) == 7 * start
    assert reader.offset(file, lines) == reader.offset(file, lines + 5) == 7 * lines


def test_of_a_huge_line_no_more_is_kept_than_is_shown(file):
    with file.open("wb") as opened:
        opened.truncate(50_000_000)
        opened.seek(0, os.SEEK_END)
        opened.write(b"\nlast\n")
    reader = LineIndex()
    assert reader.count(file, complete=False) == 2
    tracemalloc.start()
    try:
        first, last = reader.lines(file, 0, 2)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (first[LONGEST_LINE:], last) == (f" [{50_000_000 - LONGEST_LINE} bytes more]", "last")
    assert [*reader.lines(file, 1, 1)] == ["last"]
    assert most < 10_000_000


def test_lines_past_the_end_are_none(file):
    file.write_bytes(b"one\ntwo\n")
    reader = LineIndex()
    assert [*reader.lines(file, 2, 10)] == []
    assert [*reader.lines(file, 2_000_000, 10)] == []
    assert [*reader.lines(file, 0, 0)] == []
    assert [*reader.lines(file, 0, -1)] == []
    assert [*reader.lines(file, 1, 10)] == ["two"]


def test_a_missing_file_has_no_lines(file):
    reader = LineIndex()
    assert reader.count(file, complete=True) == 0
    assert [*reader.lines(file, 0, 10)] == []
    assert tail(file, 10) == tail(file, 10, complete=True) == []


def test_a_last_line_counts_once_it_has_its_newline(file):
    reader = LineIndex()
    told = []
    for data in (b"on", b"e", b"\nt", b"wo\n", b"\n", b"three"):
        with file.open("ab") as opened:
            opened.write(data)
        told.append(reader.count(file, complete=False))
    assert told == [0, 0, 1, 2, 3, 3]
    assert reader.count(file, complete=True) == 4
    assert [*reader.lines(file, 0, 4)] == ["one", "two", "", "three"]


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("seed", range(12))
def test_a_growing_file_reads_as_if_read_whole(file, seed):
    chance = random.Random(seed)
    reader, data = LineIndex(), b""
    file.touch()
    for _ in range(60):
        pieces = [b"\n", b"\n\n", b"a", b"line ", "é".encode(), b"\xff", b"\r\n", b"y" * 20]
        more = b"".join(chance.choice(pieces) for _ in range(chance.randrange(12)))
        data += more
        with file.open("ab") as opened:
            opened.write(more)
        expected = naive(data, complete=False)
        assert reader.count(file, complete=False) == len(expected)
        start, size = chance.randrange(len(expected) + 1), chance.randrange(20)
        assert [*reader.lines(file, start, min(size, len(expected) - start))] == expected[
            start : start + size
        ]
        size = chance.randrange(1, 12)
        assert tail(file, size) == expected[-size:]
    whole = naive(data, complete=True)
    assert reader.count(file, complete=True) == len(whole)
    assert [*reader.lines(file, 0, len(whole))] == whole
    for size in range(1, 12):
        assert tail(file, size, complete=True) == whole[-size:]


def test_more_files_than_are_remembered(tmp_path, monkeypatch):
    monkeypatch.setattr(line_index, "MOST_FILES", 3)
    reader = LineIndex()
    files = [tmp_path / str(number) for number in range(7)]
    for turn in range(1, 4):
        for number, file in enumerate(files):
            with file.open("a") as opened:
                opened.write(f"{number}.{turn}\n")
            assert reader.count(file, complete=False) == turn
            assert [*reader.lines(file, turn - 1, 1)] == [f"{number}.{turn}"]
    assert len(reader._files) == 3


def test_a_file_that_is_forgotten_is_read_anew(file):
    reader = LineIndex()
    file.write_bytes(b"old\nlines\n")
    assert reader.count(file, complete=False) == 2
    file.write_bytes(b"new\n")
    reader.forget(file.parent)
    reader.forget(file.parent)
    assert reader.count(file, complete=False) == 1


@pytest.mark.parametrize("size", [0, 1, 2, 10, 11, 200_000])
@pytest.mark.parametrize("complete", [False, True])
def test_the_tail_of_a_long_file(file, size, complete):
    data = b"".join(b"line %d\n" % number for number in range(100_000)) + b"and this"
    file.write_bytes(data)
    whole = naive(data, complete=complete)
    found = tail(file, size, complete=complete)
    assert found == whole[len(whole) - len(found) :]
    assert len(found) == size or (size > 10_000 and len("\n".join(found)) > LONGEST_TAIL - 100)


@pytest.mark.parametrize("length", [60_000, 70_000, 200_000])
@pytest.mark.parametrize("end", [b"\n", b"", b"\nlast\n", b"\nlast"])
@pytest.mark.parametrize("complete", [False, True])
def test_the_tail_has_long_lines_from_their_beginning(file, length, end, complete):
    data = b"first\n" + b"x" * length + end
    file.write_bytes(data)
    assert tail(file, 2, complete=complete) == naive(data, complete=complete)[-2:]


@pytest.mark.parametrize("end", [b"", b"\n", b"\nlast\n"])
@pytest.mark.parametrize("complete", [False, True])
def test_the_tail_leaves_out_a_line_that_begins_too_far_back(file, end, complete):
    file.write_bytes(b"first\n" + b"x" * (LONGEST_TAIL + 1) + end)
    assert tail(file, 10, complete=complete) == (["last"] if b"last" in end else [])
