"""The log of a driver that ran elsewhere gets into the output whole, and once."""

import pytest

from headland.jobs.controller.driver_log import collect, head_and_tail
from headland.jobs.runner.run_directory import RunDirectory

LIMIT = 1_000


@pytest.fixture
def directory(tmp_path):
    directory = RunDirectory(tmp_path)
    directory.output.write_bytes(b"submitted\n")
    return directory


def broken(*pieces):
    """A log that can't be read to its end."""
    yield from pieces
    raise ConnectionError


def test_it_comes_after_what_is_there(directory):
    collect(directory, iter([b"one\n", b"tw", b"o\n"]), LIMIT)
    assert directory.output.read_bytes() == b"submitted\none\ntwo\n"


def test_it_begins_on_a_line_of_its_own(directory):
    directory.output.write_bytes(b"submi")
    collect(directory, iter([b"one\n"]), LIMIT)
    assert directory.output.read_bytes() == b"submi\none\n"


def test_there_may_be_no_output_yet(directory):
    directory.output.unlink()
    collect(directory, iter([b"one\n"]), LIMIT)
    assert directory.output.read_bytes() == b"one\n"
    assert directory.output.stat().st_mode & 0o777 == 0o600


def test_collected_again_it_is_there_once(directory):
    collect(directory, iter([b"one\n", b"two\n"]), LIMIT)
    collect(directory, broken(), LIMIT)
    assert directory.output.read_bytes() == b"submitted\none\ntwo\n"


def test_of_a_log_that_broke_off_nothing_is_there(directory):
    with pytest.raises(ConnectionError):
        collect(directory, broken(b"one\n"), LIMIT)
    assert directory.output.read_bytes() == b"submitted\n"
    collect(directory, iter([b"one\n", b"two\n"]), LIMIT)
    assert directory.output.read_bytes() == b"submitted\none\ntwo\n"


@pytest.mark.parametrize("done", range(len(b"one\ntwo\n") + 1))
def test_cut_short_at_any_byte_it_goes_on_there(directory, done):
    directory.driver_log.write_bytes(b"one\ntwo\n")
    directory.write(directory.driver_place, {"at": len(b"submitted\n")})
    directory.output.write_bytes((b"submitted\none\ntwo\n")[: len(b"submitted\n") + done])
    collect(directory, broken(), LIMIT)
    assert directory.output.read_bytes() == b"submitted\none\ntwo\n"


def test_cut_short_after_the_line_was_ended_there_is_no_empty_one(directory):
    directory.output.write_bytes(b"submi\n")
    directory.driver_log.write_bytes(b"one\n")
    collect(directory, broken(), LIMIT)
    assert directory.output.read_bytes() == b"submi\none\n"


LINES = [f"line {number}\n".encode() for number in range(1000)]


@pytest.mark.parametrize("size", [1, 7, 100, 4_000, 100_000])
def test_of_a_long_log_beginning_and_end_are_kept(size):
    log = b"".join(LINES)
    pieces = [log[start : start + size] for start in range(0, len(log), size)]
    kept = b"".join(head_and_tail(iter(pieces), LIMIT))
    assert kept.startswith(log[: LIMIT // 2])
    assert kept.endswith(b"line 999\n")
    note = kept[LIMIT // 2 :].split(b"\n")[1]
    tail = kept.partition(note + b"\n")[2]
    assert log.endswith(tail)
    assert tail.startswith(b"line ")
    assert len(tail) <= LIMIT // 2
    left_out = len(log) - LIMIT // 2 - len(tail)
    assert note == f"[{left_out} bytes of the driver's log are left out]".encode()


@pytest.mark.parametrize("size", [1, 7, 100, 4_000])
def test_a_log_within_the_limit_is_left_alone(size):
    log = b"".join(LINES)[:LIMIT]
    pieces = [log[start : start + size] for start in range(0, len(log), size)]
    assert b"".join(head_and_tail(iter(pieces), LIMIT)) == log


def test_one_endless_line_is_cut():
    kept = b"".join(head_and_tail(iter([b"x" * 5_000]), LIMIT))
    assert kept.count(b"x") == LIMIT
    assert b"[4000 bytes" in kept
