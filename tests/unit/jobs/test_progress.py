"""Progress of batches: sums over stages, and any number of callers at once."""

import sys
import threading
from pathlib import Path

import msgspec
import pytest

from headland.jobs.batches import progress
from headland.jobs.batches.progress import ProgressReader
from headland.jobs.batches.states import State

TASKS = 3000


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The event log of two stages: one complete, the other with three tasks running and one failed."""
    folder = tmp_path / "events"
    folder.mkdir()
    stages = [
        {"Stage ID": 0, "Stage Name": "read", "Number of Tasks": TASKS},
        {"Stage ID": 1, "Number of Tasks": 5},
    ]
    lines = [{"Event": "SparkListenerJobStart", "Job ID": 0, "Stage Infos": stages}]
    for task in range(TASKS):
        lines += [
            {"Event": "SparkListenerTaskStart", "Stage ID": 0, "Task Info": {"Task ID": task}},
            {"Event": "SparkListenerTaskEnd", "Stage ID": 0, "Task End Reason": {"Reason": "Success"}},
        ]
    lines += [{"Event": "SparkListenerTaskStart", "Stage ID": 1}] * 4
    lines += [
        {"Event": "SparkListenerTaskEnd", "Stage ID": 1, "Task End Reason": {"Reason": "ExceptionFailure"}}
    ]
    (folder / "local-1").write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in lines))
    return folder


def sums(found) -> tuple[int, int, int, int]:
    return found.tasks, found.completed, found.failed, found.active


def test_sums_over_all_stages(make_row, folder):
    found = ProgressReader().progress(make_row(id=7, state=State.RUNNING), folder)
    assert (found.id, found.state) == (7, "running")
    assert sums(found) == (TASKS + 5, TASKS, 1, 3)
    assert [stage.id for stage in found.stages] == [0, 1]


def test_a_batch_without_an_event_log_has_no_stages(make_row, tmp_path):
    found = ProgressReader().progress(make_row(), tmp_path / "none")
    assert (sums(found), found.stages, found.state) == ((0, 0, 0, 0), [], "starting")


def test_callers_at_once_count_each_event_once(make_row, folder):
    reader, row, found = ProgressReader(), make_row(), []
    gate = threading.Barrier(8)

    def look() -> None:
        gate.wait()
        found.append(sums(reader.progress(row, folder)))

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        threads = [threading.Thread(target=look) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert found == [(TASKS + 5, TASKS, 1, 3)] * 8


def test_more_batches_than_are_followed(make_row, folder, tmp_path, monkeypatch):
    monkeypatch.setattr(progress, "MOST_FOLLOWED", 2)
    reader = ProgressReader()
    for _ in range(2):
        for number in range(4):
            reader.progress(make_row(), tmp_path / str(number))
        assert sums(reader.progress(make_row(), folder)) == (TASKS + 5, TASKS, 1, 3)
    assert len(reader._followed) == 2
