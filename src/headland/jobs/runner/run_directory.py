"""The run directory: all that service and runner say to each other.

| file | written by | what it says |
| --- | --- | --- |
| `launch.json` | controller | the program, its environment and folder; complete before a runner is started |
| `instances.json` | controller | for the job: instances of the farm service that it may read |
| `walls` | controller | what the program may see (`headland.jobs.isolation`), where it stands behind walls |
| `warm.json` | controller | a program to be started before there is a job for it (see `waiting.py`) |
| `warmed` | runner | that program stands ready |
| `lock` | runner | held (flock) as long as a runner lives |
| `runner.json` | runner | who the runner is |
| `kill` | controller | the job is not wanted any more |
| `launched` | runner | the program is about to be started: no runner may start it again |
| `application.json` | runner | who the program's process is, since when |
| `early.log` | runner | what the program said before there was a job for it |
| `output.log`, `output.tail/` | runner | the program's output and errors, in the order in which they came |
| `exit.json` | runner | how it ended |
| `driver.log` | controller | in cluster mode, what the driver wrote elsewhere; whole |
| `driver.json` | controller | where in `output.log` that begins |

Each is written to a name of its own, flushed to disk, and renamed: it is there whole or not at all.
"""

import fcntl
import json
import os
from pathlib import Path

#: Size of a record set aside beforehand: a full disk must not keep a job's end from being known.
RECORD_SIZE = 4096


class RunDirectory:
    """Paths and atomic records of one job's folder."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def launch(self) -> Path:
        return self.path / "launch.json"

    @property
    def warm(self) -> Path:
        return self.path / "warm.json"

    @property
    def warmed(self) -> Path:
        return self.path / "warmed"

    @property
    def lock(self) -> Path:
        return self.path / "lock"

    @property
    def runner(self) -> Path:
        return self.path / "runner.json"

    @property
    def kill(self) -> Path:
        return self.path / "kill"

    @property
    def launched(self) -> Path:
        return self.path / "launched"

    @property
    def application(self) -> Path:
        return self.path / "application.json"

    @property
    def output(self) -> Path:
        return self.path / "output.log"

    @property
    def early_output(self) -> Path:
        """What a program said before there was a job for it."""
        return self.path / "early.log"

    @property
    def exit(self) -> Path:
        return self.path / "exit.json"

    @property
    def driver_log(self) -> Path:
        """The log of a driver that ran elsewhere, until it is part of `output`."""
        return self.path / "driver.log"

    @property
    def driver_place(self) -> Path:
        """Where in `output` that begins."""
        return self.path / "driver.json"

    @property
    def runner_errors(self) -> Path:
        """What a runner that failed itself had to say."""
        return self.path / "runner.err"

    @property
    def work(self) -> Path:
        """The program's working directory."""
        return self.path / "work"

    @property
    def temporary(self) -> Path:
        """The program's temporary files; gone when it has ended."""
        return self.path / "tmp"

    @property
    def instances(self) -> Path:
        """Instances of the farm service that the job may read."""
        return self.path / "instances.json"

    @property
    def staged(self) -> Path:
        """Archives and files brought from cluster storage."""
        return self.path / "staged"

    @property
    def events(self) -> Path:
        """Spark's event log."""
        return self.path / "events"

    @property
    def walls(self) -> Path:
        """What the program may see, for who puts up its walls."""
        return self.path / "walls"

    @property
    def root(self) -> Path:
        """An empty folder, on which the program's own root is mounted."""
        return self.path / "root"

    @property
    def readable(self) -> list[Path]:
        """What the program behind walls may read."""
        names = ("java.args", "warm.args", "none.properties", "uploads")
        return [*(self.path / name for name in names), self.instances, self.staged]

    @property
    def writable(self) -> list[Path]:
        """What it may write; who reads there expects anything."""
        return [self.work, self.temporary, self.events]

    def read(self, file: Path) -> dict[str, object] | None:
        """A record, or None where it is not written."""
        try:
            record: dict[str, object] = json.loads(file.read_text("utf-8"))
        except (FileNotFoundError, NotADirectoryError):
            return None
        return record

    def write(self, file: Path, record: dict[str, object]) -> None:
        """Write a record whole, readable by its owner alone, and see it on disk."""
        reserved = self.reserve(file, 0)
        self.commit(reserved, file, record)

    def reserve(self, file: Path, size: int) -> Path:
        """Set disk aside for a record that must be writable later."""
        reserved = file.with_name(f".{file.name}.{os.getpid()}")
        descriptor = os.open(reserved, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        try:
            _write(descriptor, b" " * size)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        return reserved

    def commit(self, reserved: Path, file: Path, record: dict[str, object]) -> None:
        """Put a record into what `reserve` set aside, and give it its name."""
        descriptor = os.open(reserved, os.O_WRONLY | os.O_CLOEXEC)
        try:
            _write(descriptor, json.dumps(record).encode())
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        reserved.rename(file)
        folder = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def take_lock(self) -> int | None:
        """The descriptor of the lock, held until it is closed; None if a runner (or somebody who makes sure
        that there is none) holds it.
        """
        descriptor = os.open(self.lock, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return None
        return descriptor


def _write(descriptor: int, data: bytes) -> None:
    """All of it: where the disk gets full on the way, the kernel writes a part and calls that success."""
    while data:
        data = data[os.write(descriptor, data) :]
