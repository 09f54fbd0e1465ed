"""Spark's event log, read as it grows: who the application is, and how far it has come.

The events' names and fields are Spark's (`org.apache.spark.util.JsonProtocol`). But the folder is the job's to write,
and anything may be in it: links lead nowhere, and what is too long or too much is left out.
"""

import os
import stat
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from headland.jobs.batches.wire import Stage


class _StageInfo(msgspec.Struct):
    id: int = msgspec.field(name="Stage ID")
    attempt: int = msgspec.field(name="Stage Attempt ID", default=0)
    name: str = msgspec.field(name="Stage Name", default="")
    tasks: int = msgspec.field(name="Number of Tasks", default=0)
    failure: str | None = msgspec.field(name="Failure Reason", default=None)


class _Reason(msgspec.Struct):
    reason: str = msgspec.field(name="Reason", default="")


class _Event(msgspec.Struct):
    """The fields of those events that are listened to; every event has some of them."""

    event: str = msgspec.field(name="Event")
    app_id: str | None = msgspec.field(name="App ID", default=None)
    user: str | None = msgspec.field(name="User", default=None)
    timestamp: int = msgspec.field(name="Timestamp", default=0)
    stages: list[_StageInfo] = msgspec.field(name="Stage Infos", default_factory=list)
    stage: _StageInfo | None = msgspec.field(name="Stage Info", default=None)
    job_id: int = msgspec.field(name="Job ID", default=-1)
    stage_id: int = msgspec.field(name="Stage ID", default=-1)
    attempt: int = msgspec.field(name="Stage Attempt ID", default=0)
    end_reason: _Reason | None = msgspec.field(name="Task End Reason", default=None)


_LISTENED = (
    b'{"Event":"SparkListenerApplicationStart"',
    b'{"Event":"SparkListenerJobStart"',
    b'{"Event":"SparkListenerJobEnd"',
    b'{"Event":"SparkListenerStageSubmitted"',
    b'{"Event":"SparkListenerStageCompleted"',
    b'{"Event":"SparkListenerTaskStart"',
    b'{"Event":"SparkListenerTaskEnd"',
)

#: Bytes of an event's line. Spark's own have some kilobytes, a plan's description among them.
_LONGEST = 16 << 20

#: Stages of one application that are counted.
_MOST_STAGES = 100_000

_decoder = msgspec.json.Decoder(_Event)


@dataclass(slots=True)
class _StageCount:
    name: str
    tasks: int
    state: str = "waiting"
    active: int = 0
    completed: int = 0
    failed: int = 0


@dataclass(slots=True)
class ApplicationEvents:
    """What the event log has told so far."""

    folder: Path
    app_id: str | None = None
    user: str | None = None
    #: Milliseconds since the epoch; 0 until the application has started.
    start_time: int = 0
    _stages: dict[tuple[int, int], _StageCount] = field(default_factory=dict)
    _stages_of_job: dict[int, list[tuple[int, int]]] = field(default_factory=dict)
    _log: str | None = None
    _offset: int = 0

    def refresh(self) -> None:
        """Read what has been written since the last time. A missing or damaged log tells nothing."""
        try:
            file = _event_log(self.folder)
            if file is None:
                return
            # Spark takes the ending away when the application stops; it stays the same log.
            log = file.name.removesuffix(".inprogress")
            if log != self._log:
                self._begin(log)
            # A pipe would never end, and a link lead out of the folder.
            flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
            with os.fdopen(os.open(file, flags), "rb") as opened:
                opened.seek(self._offset)
                for line in iter(lambda: opened.readline(_LONGEST), b""):
                    if not line.endswith(b"\n") and len(line) < _LONGEST:
                        break
                    self._offset += len(line)
                    if line.startswith(_LISTENED):
                        self._take(line)
        except OSError:
            return

    def stages(self) -> list[Stage]:
        """Every stage that Spark has named, in its order."""
        return [
            Stage(
                id=stage_id,
                attempt=attempt,
                name=stage.name,
                state=stage.state,
                tasks=stage.tasks,
                completed=stage.completed,
                failed=stage.failed,
                active=stage.active,
            )
            for (stage_id, attempt), stage in sorted(self._stages.items())
        ]

    def _begin(self, log: str) -> None:
        """Follow another application's log: its stages are counted anew."""
        self.app_id = self.user = None
        self.start_time = self._offset = 0
        self._stages.clear()
        self._stages_of_job.clear()
        self._log = log

    def _take(self, line: bytes) -> None:
        try:
            event = _decoder.decode(line)
        except msgspec.DecodeError:
            return
        match event.event.removeprefix("SparkListener"):
            case "ApplicationStart":
                self.app_id, self.user, self.start_time = event.app_id, event.user, event.timestamp
            case "JobStart":
                for info in event.stages:
                    self._stage(info)
                self._stages_of_job[event.job_id] = [(info.id, info.attempt) for info in event.stages]
            case "JobEnd":
                self._drop_skipped(event.job_id)
            case "StageSubmitted" if event.stage:
                self._stage(event.stage).state = "running"
            case "StageCompleted" if event.stage:
                self._stage(event.stage).state = "failed" if event.stage.failure else "complete"
            case "TaskStart":
                self._of_task(event).active += 1
            case "TaskEnd":
                stage = self._of_task(event)
                stage.active = max(0, stage.active - 1)
                if event.end_reason and event.end_reason.reason == "Success":
                    stage.completed += 1
                else:
                    stage.failed += 1

    def _drop_skipped(self, job_id: int) -> None:
        """A stage that its job did without, since its result was there already, has no tasks to wait for."""
        for stage in self._stages_of_job.pop(job_id, ()):
            if stage in self._stages and self._stages[stage].state == "waiting":
                del self._stages[stage]

    def _stage(self, info: _StageInfo) -> _StageCount:
        return self._counted((info.id, info.attempt), _StageCount(info.name, info.tasks))

    def _of_task(self, event: _Event) -> _StageCount:
        return self._counted((event.stage_id, event.attempt), _StageCount("", 0))

    def _counted(self, key: tuple[int, int], new: _StageCount) -> _StageCount:
        full = len(self._stages) >= _MOST_STAGES and key not in self._stages
        return new if full else self._stages.setdefault(key, new)


def _event_log(folder: Path) -> Path | None:
    """The newest application's log: a program may start more than one, one after another."""
    logs = []
    for entry in folder.glob("*"):
        found = entry.lstat()
        if stat.S_ISREG(found.st_mode) and not entry.name.startswith("."):
            logs.append((found.st_mtime_ns, entry.name, entry))
    return max(logs)[2] if logs else None
