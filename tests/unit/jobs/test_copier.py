"""What a program writes is kept: all of it up to a limit, beyond that its head and its end; and whatever the
disk does, the program does not notice.
"""

import errno
import os
import random
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from headland.jobs.batches.output import OutputReader
from headland.jobs.runner.output import Copier

#: Seconds that a copier gets to take what was written.
PATIENCE = 20.0


class Pipe:
    """A program's end of a pipe, and the copier at the other."""

    def __init__(self, output: Path, limit: int) -> None:
        self.output = output
        source, self.sink = os.pipe()
        self.limit = limit
        self.copier = Copier(source, str(output), str(output.with_name("early.log")))
        self.copier.start()

    def begin(self) -> None:
        self.copier.begin(self.limit)

    def write(self, data: bytes) -> None:
        while data:
            data = data[os.write(self.sink, data) :]

    def taken(self, size: int) -> None:
        """Wait until the copier is done with so many bytes."""
        while (self.output.stat().st_size if self.output.exists() else 0) + self.copier._missing < size:
            threading.Event().wait(0.001)

    def end(self) -> None:
        os.close(self.sink)
        self.copier.finish(PATIENCE)

    def lines(self) -> list[str]:
        found = OutputReader().lines(self.output, complete=True)
        return list(found.slice(0, found.count))

    def size(self) -> int:
        return sum(file.stat().st_size for file in self.output.parent.rglob("*") if file.is_file())


@pytest.fixture
def make_pipe(tmp_path: Path) -> Callable[..., Pipe]:
    def make(limit: int = 1 << 20, folder: Path = tmp_path) -> Pipe:
        return Pipe(folder / "output.log", limit)

    return make


def test_output_below_the_limit_is_kept_whole(make_pipe):
    pipe = make_pipe(limit=8000)
    pipe.begin()
    expected = [f"line {number:05d}" for number in range(300)]
    for line in expected:
        pipe.write(line.encode() + b"\n")
    pipe.end()
    assert pipe.lines() == expected


def test_of_longer_output_head_and_end_are_kept_and_what_is_missing_is_told(make_pipe):
    limit = 80_000
    pipe = make_pipe(limit=limit)
    pipe.begin()
    lines = [f"line {number:05d}" for number in range(100_000)]
    pipe.write("".join(line + "\n" for line in lines).encode())
    pipe.end()
    found = pipe.lines()
    gap = next(number for number, line in enumerate(found) if line.startswith("["))
    end = len(found) - gap - 1
    assert found[:gap] == lines[:gap]
    assert found[gap + 1 :] == lines[-end:]
    missing = len(lines) - gap - end
    assert found[gap] == (
        f"[{missing} lines, {missing * 11} bytes, are left out here: the log is longer than jobs.log_limit]"
    )
    # Half of the limit at the front; at the end no less than three eighths.
    assert gap * 11 >= limit // 2
    assert end * 11 >= limit * 3 // 8
    assert pipe.size() <= limit + 6 * 11


@pytest.mark.parametrize("seed", range(6))
def test_whatever_the_pieces_the_lines_are_the_programs(make_pipe, seed):
    chance = random.Random(seed)
    pipe = make_pipe(limit=2000)
    pipe.begin()
    lines = [str(number) * chance.randrange(1, 12) for number in range(3000)]
    data = "".join(line + "\n" for line in lines).encode()
    while data:
        size = chance.choice([1, 7, 100, 4096, 70_000])
        pipe.write(data[:size])
        data = data[size:]
    pipe.end()
    found = pipe.lines()
    gap = next(number for number, line in enumerate(found) if line.startswith("["))
    assert found[:gap] == lines[:gap]
    assert found[gap + 1 :] == lines[len(lines) - (len(found) - gap - 1) :]
    assert int(found[gap][1:].split()[0]) == len(lines) - len(found) + 1


def test_a_line_without_end_does_not_get_around_the_limit(make_pipe):
    pipe = make_pipe(limit=1 << 20)
    pipe.begin()
    for _ in range(400):
        pipe.write(b"x" * 100_000)
    pipe.end()
    assert pipe.size() < 8 << 20


def test_what_comes_before_the_beginning_is_put_aside(make_pipe):
    pipe = make_pipe()
    pipe.write(b"warming\n" * 50_000)
    assert not pipe.output.exists()
    pipe.begin()
    pipe.write(b"job\n")
    pipe.end()
    assert pipe.lines() == ["job"]
    early = pipe.output.with_name("early.log").read_bytes()
    assert early == (b"warming\n" * 50_000)[:65_536]


def test_what_was_written_shows_at_once(make_pipe):
    pipe = make_pipe()
    pipe.begin()
    for number in range(50):
        pipe.write(b"%d\n" % number)
        deadline = threading.Event()
        while number + 1 > pipe.output.read_bytes().count(b"\n"):
            deadline.wait(0.001)
    pipe.end()


def test_nothing_is_written_after_the_end_even_if_somebody_holds_the_pipe(make_pipe):
    pipe = make_pipe()
    pipe.begin()
    pipe.write(b"one\n")
    held = os.dup(pipe.sink)
    os.close(pipe.sink)
    pipe.copier.finish(0.2)
    os.write(held, b"two\n")
    os.close(held)
    assert pipe.lines() == ["one"]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 256 KiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = sys.platform.startswith("linux") and os.geteuid() == 0
    command = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(folder)]
    if not mounted or subprocess.run(command, check=False, capture_output=True).returncode:
        pytest.skip("a small file system can't be mounted here")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_full_disk_costs_lines_and_says_so_when_there_is_room_again(make_pipe, small_disk):
    filler = small_disk / "filler"
    filler.write_bytes(b"x" * 200_000)
    pipe = make_pipe(folder=small_disk)
    pipe.begin()
    lines = [f"line {number:05d}" for number in range(40_000)]
    whole = "".join(line + "\n" for line in lines).encode()
    pipe.write(whole)
    pipe.taken(len(whole))
    filler.unlink()
    pipe.write(b"last\n")
    pipe.end()
    *found, notice, last = pipe.lines()
    assert last == "last"
    missing = int(notice.removeprefix("[").split()[0])
    assert notice == f"[{missing} bytes of output are missing: the disk took no more]"
    kept = whole[: len(whole) - missing]
    assert 10_000 < len(kept) < 100_000
    assert "\n".join(found) == kept.decode().removesuffix("\n")


def test_a_disk_that_is_full_from_the_start_holds_nothing_up(make_pipe, small_disk):
    (small_disk / "filler").write_bytes(b"x" * 262_144)
    pipe = make_pipe(folder=small_disk)
    pipe.begin()
    pipe.write(b"x" * 5_000_000)
    pipe.end()
    assert pipe.output.stat().st_size == 0


def test_all_that_is_kept_is_on_disk_when_it_finishes(
    make_pipe: Callable[..., Pipe], monkeypatch: pytest.MonkeyPatch
) -> None:
    flushed: set[int] = set()
    monkeypatch.setattr(os, "fsync", lambda file: flushed.add(os.fstat(file).st_ino))
    pipe = make_pipe(limit=1000)
    pipe.begin()
    for number in range(200):
        pipe.write(f"line {number}\n".encode())
    pipe.end()
    tail = pipe.output.with_name("output.tail")
    kept = [pipe.output, tail, *tail.iterdir()]
    assert len(kept) > 3
    assert flushed == {path.stat().st_ino for path in kept}


def test_a_disk_that_fails_to_flush_keeps_nobody_from_finishing(
    make_pipe: Callable[..., Pipe], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_file: int) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(os, "fsync", fail)
    pipe = make_pipe()
    pipe.begin()
    pipe.write(b"all there is\n")
    pipe.end()
    assert pipe.lines()[-1] == "all there is"
