"""The run directory: records that are there whole or not at all, and a lock that one holds."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from headland.jobs.runner import run_directory
from headland.jobs.runner.run_directory import RECORD_SIZE, RunDirectory


@pytest.fixture
def directory(tmp_path) -> RunDirectory:
    return RunDirectory(tmp_path)


def names(directory: RunDirectory) -> list[str]:
    return sorted(entry.name for entry in directory.path.iterdir())


def test_its_files(directory):
    files = {
        "launch": "launch.json",
        "lock": "lock",
        "runner": "runner.json",
        "kill": "kill",
        "launched": "launched",
        "application": "application.json",
        "output": "output.log",
        "exit": "exit.json",
        "runner_errors": "runner.err",
        "work": "work",
        "temporary": "tmp",
        "staged": "staged",
        "events": "events",
    }
    assert {name: getattr(directory, name).name for name in files} == files
    assert {getattr(directory, name).parent for name in files} == {directory.path}


def test_a_record_is_read_as_it_was_written(directory):
    record = {"command": ["a", "ü\n"], "none": None, "number": 7, "deep": {"x": [1.5, True]}}
    directory.write(directory.launch, record)
    assert directory.read(directory.launch) == record
    assert names(directory) == ["launch.json"]


def test_a_record_is_its_owners_alone(directory):
    directory.write(directory.launch, {})
    assert directory.launch.stat().st_mode & 0o777 == 0o600


def test_what_is_not_written_is_none(directory, tmp_path):
    assert directory.read(directory.launch) is None
    (tmp_path / "file").touch()
    assert RunDirectory(tmp_path / "file").read(tmp_path / "file" / "launch.json") is None


def test_a_record_replaces_another_at_one_stroke(directory):
    directory.write(directory.launch, {"long": "x" * 1000})
    before = directory.launch.stat().st_ino
    with directory.launch.open() as opened:
        directory.write(directory.launch, {"short": 1})
        assert json.load(opened) == {"long": "x" * 1000}
    assert directory.launch.stat().st_ino != before
    assert directory.read(directory.launch) == {"short": 1}


@pytest.mark.parametrize("failing", ["write", "fsync"])
def test_a_record_that_can_not_be_written_leaves_the_former(directory, monkeypatch, failing):
    directory.write(directory.launch, {"former": 1})

    def full(*_args: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(run_directory.os, failing, full)
    with pytest.raises(OSError, match="No space left"):
        directory.write(directory.launch, {"latter": 2})
    monkeypatch.undo()
    assert directory.read(directory.launch) == {"former": 1}


def test_a_record_that_is_written_in_part_is_written_on(directory, monkeypatch):
    write = os.write
    monkeypatch.setattr(run_directory.os, "write", lambda descriptor, data: write(descriptor, data[:7]))
    directory.write(directory.launch, {"command": ["a"] * 10})
    reserved = directory.reserve(directory.exit, 100)
    assert reserved.stat().st_size == 100
    monkeypatch.undo()
    assert directory.read(directory.launch) == {"command": ["a"] * 10}


def test_a_record_is_on_disk_before_it_has_its_name(directory, monkeypatch):
    flushed: list[tuple[Path, bytes | None, bool]] = []
    flush = os.fsync

    def note(descriptor: int) -> None:
        flush(descriptor)
        file = Path(f"/proc/self/fd/{descriptor}").readlink()
        flushed.append((file, file.read_bytes() if file.is_file() else None, directory.launch.exists()))

    monkeypatch.setattr(run_directory.os, "fsync", note)
    directory.write(directory.launch, {"a": 1})
    *_, (file, content, named), (folder, _, named_by_then) = flushed
    assert file.parent == directory.path
    assert (content, named) == (b'{"a": 1}', False)
    assert (folder, named_by_then) == (directory.path, True)


def test_reserved_space_is_taken_by_the_record(directory):
    reserved = directory.reserve(directory.exit, RECORD_SIZE)
    assert reserved.stat().st_size == RECORD_SIZE
    assert reserved.stat().st_blocks * 512 >= RECORD_SIZE
    assert directory.read(directory.exit) is None
    directory.commit(reserved, directory.exit, {"exit_code": 0})
    assert directory.read(directory.exit) == {"exit_code": 0}
    assert directory.exit.stat().st_size == RECORD_SIZE
    assert names(directory) == ["exit.json"]


def test_a_record_may_be_larger_than_what_was_reserved(directory):
    directory.commit(directory.reserve(directory.exit, 16), directory.exit, {"problem": "x" * 100})
    assert directory.read(directory.exit) == {"problem": "x" * 100}


def test_one_holds_the_lock(directory):
    held = directory.take_lock()
    assert held is not None
    assert directory.take_lock() is None
    assert directory.take_lock() is None
    os.close(held)
    again = directory.take_lock()
    assert again is not None
    os.close(again)


def test_the_lock_ends_with_its_holder_and_is_not_handed_down(directory):
    program = (
        "import subprocess, sys\n"
        "from pathlib import Path\n"
        "from headland.jobs.runner.run_directory import RunDirectory\n"
        "assert RunDirectory(Path(sys.argv[1])).take_lock() is not None\n"
        "child = subprocess.Popen(['/bin/cat'], stdin=0, stdout=2, close_fds=False)\n"
        "print('held', flush=True)\n"
        "sys.stdin.readline()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, str(directory.path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout.readline() == b"held\n"
        assert directory.take_lock() is None
        holder.kill()
        holder.wait()
        # Its child still runs: our end of its input is open.
        held = directory.take_lock()
        assert held is not None
        os.close(held)
