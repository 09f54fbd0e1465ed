"""Output in several files: one sequence of lines, with a line in place of what is missing."""

import random
from pathlib import Path

import pytest

from headland.jobs.batches.output import OutputReader, pieces, tail

GAP = "[{} lines, {} bytes, are left out here: the log is longer than jobs.log_limit]"


@pytest.fixture
def output(tmp_path: Path) -> Path:
    (tmp_path / "output.tail").mkdir()
    return tmp_path / "output.log"


def put(output: Path, head: str, **segments: str) -> None:
    output.write_text(head)
    for name, text in segments.items():
        (output.parent / "output.tail" / name.strip("_").replace("_", ".")).write_text(text)


def every_line(output: Path, *, complete: bool) -> list[str]:
    lines = OutputReader().lines(output, complete=complete)
    found = list(lines.slice(0, lines.count))
    assert len(found) == lines.count
    for size in range(len(found) + 2):
        assert tail(output, size, complete=complete) == found[max(0, len(found) - size) :]
    for start in range(len(found) + 1):
        for stop in range(start, len(found) + 1):
            assert list(lines.slice(start, stop)) == found[start:stop]
    return found


def test_a_head_alone(output):
    put(output, "a\nb\nc")
    assert every_line(output, complete=False) == ["a", "b"]
    assert every_line(output, complete=True) == ["a", "b", "c"]


def test_no_output_at_all(output):
    assert every_line(output, complete=True) == []
    (output.parent / "output.tail").rmdir()
    assert every_line(output, complete=True) == []


def test_segments_go_on_where_the_head_ends(output):
    put(output, "a\nb\n", _0_0="c\nd\n", _4_2="e\nf")
    assert every_line(output, complete=False) == ["a", "b", "c", "d", "e"]
    assert every_line(output, complete=True) == ["a", "b", "c", "d", "e", "f"]


def test_segments_are_in_the_order_of_their_numbers(output):
    put(output, "", _0_0="0\n" * 50, _100_50="1\n", _102_51="2\n")
    assert every_line(output, complete=True) == ["0"] * 50 + ["1", "2"]


def test_where_something_is_missing_a_line_says_how_much(output):
    put(output, "a\nb\n", _40_20="y\n", _42_21="z\n")
    assert every_line(output, complete=True) == ["a", "b", GAP.format(20, 40), "y", "z"]


def test_a_file_in_the_middle_ends_a_line(output):
    put(output, "half of a long line", _0_0="the other half\n")
    assert every_line(output, complete=False) == ["half of a long line", "the other half"]


def test_a_segment_that_goes_away_meanwhile_is_left_out(output):
    put(output, "a\n", _0_0="b\n", _2_1="c\n")
    lines = OutputReader().lines(output, complete=True)
    (output.parent / "output.tail" / "0.0").unlink()
    assert list(lines.slice(0, 3)) == ["a", "c"]


def test_where_pieces_begin(output):
    put(output, "head\n", _0_0="b\n", _2_1="c\n")
    assert [piece.begin for piece in pieces(output, complete=True)] == [0, 5, 7]


@pytest.mark.parametrize("seed", range(5))
def test_any_split_reads_as_the_whole(output, seed):
    chance = random.Random(seed)
    lines = [f"line {number}" * chance.randrange(3) for number in range(40)]
    cuts = sorted(chance.sample(range(1, 40), 3))
    head, *rest = (lines[start:stop] for start, stop in zip([0, *cuts], [*cuts, 40], strict=True))
    put(output, "".join(line + "\n" for line in head))
    before = count = 0
    for part in rest:
        text = "".join(line + "\n" for line in part)
        (output.parent / "output.tail" / f"{before}.{count}").write_text(text)
        before, count = before + len(text), count + len(part)
    assert every_line(output, complete=False) == lines
