"""Spark's event log, read while it grows: the application's identity, its stages and tasks."""

import json
import os
from pathlib import Path

import pytest

from headland.jobs.batches.events import ApplicationEvents
from headland.jobs.batches.wire import Stage

LOG = "local-1800000000000"


def application_start(app_id: str = LOG, user: str = "alice", at: int = 1_800_000_000_000) -> dict:
    return {
        "Event": "SparkListenerApplicationStart",
        "App Name": "Harvest",
        "App ID": app_id,
        "Timestamp": at,
        "User": user,
    }


def stage_info(stage: int, tasks: int, *, name: str | None = None, attempt: int = 0, **more: object) -> dict:
    return {
        "Stage ID": stage,
        "Stage Attempt ID": attempt,
        "Stage Name": name or f"collect at App.scala:{stage}",
        "Number of Tasks": tasks,
        "RDD Info": [{"RDD ID": 1, "Name": "x", "Parent IDs": []}],
        "Parent IDs": [],
        "Details": "org.apache.spark.rdd.RDD.collect(RDD.scala:1)\n",
        "Accumulables": [],
        "Resource Profile Id": 0,
        **more,
    }


def job_start(job: int, *stages: dict) -> dict:
    return {
        "Event": "SparkListenerJobStart",
        "Job ID": job,
        "Submission Time": 1_800_000_000_100,
        "Stage Infos": list(stages),
        "Stage IDs": [stage["Stage ID"] for stage in stages],
        "Properties": {"spark.app.name": "Harvest"},
    }


def job_end(job: int) -> dict:
    return {
        "Event": "SparkListenerJobEnd",
        "Job ID": job,
        "Completion Time": 1_800_000_000_200,
        "Job Result": {"Result": "JobSucceeded"},
    }


def submitted(stage: dict) -> dict:
    return {"Event": "SparkListenerStageSubmitted", "Stage Info": stage, "Properties": {}}


def completed(stage: dict, failure: str | None = None) -> dict:
    reason = {"Failure Reason": failure} if failure else {}
    return {
        "Event": "SparkListenerStageCompleted",
        "Stage Info": {**stage, "Submission Time": 1, "Completion Time": 2, **reason},
    }


def task_start(stage: int, task: int, attempt: int = 0) -> dict:
    return {
        "Event": "SparkListenerTaskStart",
        "Stage ID": stage,
        "Stage Attempt ID": attempt,
        "Task Info": {"Task ID": task, "Index": task, "Attempt": 0, "Launch Time": 1, "Failed": False},
    }


def task_end(stage: int, task: int, reason: str = "Success", attempt: int = 0) -> dict:
    return {
        "Event": "SparkListenerTaskEnd",
        "Stage ID": stage,
        "Stage Attempt ID": attempt,
        "Task Type": "ResultTask",
        "Task End Reason": {"Reason": reason},
        "Task Info": {
            "Task ID": task,
            "Index": task,
            "Attempt": 0,
            "Launch Time": 1,
            "Failed": reason != "Success",
        },
        "Task Metrics": {"Executor Run Time": 5},
    }


OTHERS = [
    {"Event": "SparkListenerLogStart", "Spark Version": "4.3.0"},
    {"Event": "SparkListenerResourceProfileAdded", "Resource Profile Id": 0},
    {"Event": "SparkListenerBlockManagerAdded", "Block Manager ID": {}, "Maximum Memory": 1, "Timestamp": 1},
    {"Event": "SparkListenerEnvironmentUpdate", "JVM Information": {}, "Spark Properties": {}},
    {"Event": "org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart", "executionId": 0},
    {"Event": "SparkListenerApplicationEnd", "Timestamp": 1_800_000_001_000},
]


class Log:
    """An event log as Spark writes it: a JSON object a line, `Event` first, no spaces."""

    def __init__(self, folder: Path, name: str = f"{LOG}.inprogress") -> None:
        folder.mkdir(exist_ok=True)
        self.file = folder / name
        self.file.touch()

    def write(self, *events: dict) -> None:
        self.write_bytes(
            b"".join(json.dumps(event, separators=(",", ":")).encode() + b"\n" for event in events)
        )

    def write_bytes(self, data: bytes) -> None:
        with self.file.open("ab") as opened:
            opened.write(data)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "events"


@pytest.fixture
def log(folder: Path) -> Log:
    return Log(folder)


@pytest.fixture
def events(folder: Path) -> ApplicationEvents:
    return ApplicationEvents(folder)


def told(events: ApplicationEvents) -> list[Stage]:
    events.refresh()
    return events.stages()


def test_a_missing_or_empty_folder_tells_nothing(folder, events):
    assert told(events) == []
    folder.mkdir()
    assert told(events) == []
    assert (events.app_id, events.user, events.start_time) == (None, None, 0)


def test_the_application_says_who_it_is(log, events):
    log.write(*OTHERS, application_start("local-7", "bob", 1_700_000_000_000))
    events.refresh()
    assert (events.app_id, events.user, events.start_time) == ("local-7", "bob", 1_700_000_000_000)


def test_a_stage_goes_from_waiting_to_complete(log, events):
    first, second = stage_info(0, 2, name="map at A.scala:1"), stage_info(1, 1)
    log.write(application_start(), job_start(0, first, second))
    assert told(events) == [
        Stage(0, 0, "map at A.scala:1", "waiting", tasks=2, completed=0, failed=0, active=0),
        Stage(1, 0, "collect at App.scala:1", "waiting", tasks=1, completed=0, failed=0, active=0),
    ]
    log.write(submitted(first), task_start(0, 0), task_start(0, 1))
    assert told(events)[0] == Stage(
        0, 0, "map at A.scala:1", "running", tasks=2, completed=0, failed=0, active=2
    )
    log.write(task_end(0, 0))
    assert told(events)[0] == Stage(
        0, 0, "map at A.scala:1", "running", tasks=2, completed=1, failed=0, active=1
    )
    log.write(task_end(0, 1), completed(first))
    assert told(events)[0] == Stage(
        0, 0, "map at A.scala:1", "complete", tasks=2, completed=2, failed=0, active=0
    )
    assert told(events)[1].state == "waiting"


def test_a_failed_task_is_counted_apart(log, events):
    stage = stage_info(0, 1)
    log.write(job_start(0, stage), submitted(stage), task_start(0, 0), task_end(0, 0, "ExceptionFailure"))
    log.write(task_start(0, 1), task_end(0, 1, "TaskKilled"), task_start(0, 2), task_end(0, 2))
    assert told(events) == [
        Stage(0, 0, stage["Stage Name"], "running", tasks=1, completed=1, failed=2, active=0)
    ]


def test_a_failed_stage_and_its_retry_are_two(log, events):
    first, again = stage_info(0, 2), stage_info(0, 2, attempt=1)
    log.write(job_start(0, first), submitted(first), task_start(0, 0), task_end(0, 0, "FetchFailed"))
    log.write(completed(first, "org.apache.spark.shuffle.FetchFailedException: gone"))
    log.write(submitted(again), task_start(0, 1, attempt=1), task_end(0, 1, attempt=1))
    assert [(stage.attempt, stage.state, stage.completed, stage.failed) for stage in told(events)] == [
        (0, "failed", 0, 1),
        (1, "running", 1, 0),
    ]


def test_skipped_stages_are_dropped_with_their_job(log, events):
    skipped, run = stage_info(0, 8), stage_info(1, 1)
    log.write(job_start(0, skipped, run), submitted(run), task_start(1, 0), task_end(1, 0), completed(run))
    assert [stage.id for stage in told(events)] == [0, 1]
    log.write(job_end(0))
    assert [stage.id for stage in told(events)] == [1]


def test_the_end_of_one_job_does_not_touch_anothers_stages(log, events):
    log.write(job_start(0, stage_info(0, 1)), job_start(1, stage_info(1, 1)), job_end(0))
    assert [stage.id for stage in told(events)] == [1]


def test_stages_come_in_order_of_number_and_attempt(log, events):
    log.write(job_start(0, stage_info(10, 1), stage_info(2, 1)), submitted(stage_info(2, 1, attempt=1)))
    assert [(stage.id, stage.attempt) for stage in told(events)] == [(2, 0), (2, 1), (10, 0)]


def test_tasks_of_a_stage_that_was_never_named_are_counted(log, events):
    log.write(task_start(4, 0), task_end(4, 0), task_end(4, 1))
    assert told(events) == [Stage(4, 0, "", "waiting", tasks=0, completed=2, failed=0, active=0)]


def test_a_line_that_is_still_being_written_waits(log, events):
    line = json.dumps(application_start(), separators=(",", ":")).encode() + b"\n"
    for position in range(len(line)):
        log.write_bytes(line[position : position + 1])
        events.refresh()
        assert events.app_id == (LOG if position == len(line) - 1 else None)


def test_each_event_is_counted_once_however_often_one_looks(log, events):
    log.write(job_start(0, stage_info(0, 50)))
    for task in range(50):
        log.write(task_start(0, task), task_end(0, task))
        assert told(events) == told(events)
        assert told(events)[0].completed == task + 1


DAMAGED = [
    b'{"Event":"SparkListenerTaskStart","Stage ID":0,"Stage Att',
    b'{"Event":"SparkListenerTaskStart","Stage ID":"zero"}',
    b'{"Event":"SparkListenerApplicationStart","App ID":17}',
    b'{"Event":"SparkListenerJobStart","Job ID":0,"Stage Infos":[{}]}',
    b'{"Event":"SparkListenerStageSubmitted"}',
    b'{"Event":"SparkListenerTaskEnd","Stage ID":0}\xff',
    b"\0\0\0\0",
    b"not JSON",
    b"",
]


@pytest.mark.parametrize("line", DAMAGED)
def test_a_damaged_line_is_passed_over(log, events, line):
    log.write(application_start())
    log.write_bytes(line + b"\n")
    log.write(job_start(0, stage_info(0, 3)))
    assert told(events) == [
        Stage(0, 0, "collect at App.scala:0", "waiting", tasks=3, completed=0, failed=0, active=0)
    ]
    assert events.app_id == LOG


def test_the_log_is_followed_when_spark_takes_its_ending_away(log, events):
    stage = stage_info(0, 1)
    log.write(application_start(), job_start(0, stage), submitted(stage), task_start(0, 0))
    assert told(events)[0].state == "running"
    log.write(task_end(0, 0), completed(stage))
    log.file.rename(log.file.with_suffix(""))
    assert told(events) == [
        Stage(0, 0, stage["Stage Name"], "complete", tasks=1, completed=1, failed=0, active=0)
    ]


def test_a_second_application_takes_the_firsts_place(folder, log, events):
    log.write(application_start("local-1"), job_start(0, stage_info(0, 3)))
    assert told(events)[0].tasks == 3
    second = Log(folder, "local-2.inprogress")
    second.write(application_start("local-2", "bob"), job_start(0, stage_info(0, 5)))
    os.utime(second.file, ns=(2**62, 2**62))
    assert [stage.tasks for stage in told(events)] == [5]
    assert (events.app_id, events.user) == ("local-2", "bob")


def test_hidden_files_and_folders_are_no_logs(folder, log, events):
    log.write(application_start())
    (folder / f".{LOG}.inprogress.crc").write_bytes(b"crc")
    (folder / "eventlog_v2").mkdir()
    events.refresh()
    assert events.app_id == LOG


def test_a_log_that_goes_away_keeps_what_it_told(log, events):
    log.write(application_start(), job_start(0, stage_info(0, 3)))
    assert len(told(events)) == 1
    log.file.unlink()
    assert len(told(events)) == 1
    assert events.app_id == LOG


def test_links_and_pipes_are_no_logs(folder, log, events, tmp_path):
    """The folder is the job's to write: what it puts there must not lead anywhere, nor hold anybody up."""
    log.write(application_start())
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text(json.dumps(application_start(app_id="stolen")) + "\n")
    later = folder / "local-1900000000000"
    later.symlink_to(elsewhere)
    os.mkfifo(folder / "local-1900000000001")
    events.refresh()
    assert events.app_id == LOG


def test_a_line_longer_than_any_event_is_passed_over(folder, log, events, monkeypatch):
    monkeypatch.setattr("headland.jobs.batches.events._LONGEST", 1000)
    log.write_bytes(b"x" * 10_500 + b"\n")
    log.write(application_start())
    events.refresh()
    assert events.app_id == LOG


def test_stages_without_number_are_counted_up_to_a_limit(log, events, monkeypatch):
    monkeypatch.setattr("headland.jobs.batches.events._MOST_STAGES", 10)
    log.write(job_start(0, *(stage_info(number, 1) for number in range(50))))
    assert len(told(events)) == 10
