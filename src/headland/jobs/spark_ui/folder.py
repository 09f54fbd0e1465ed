"""The History Server's folder: all that service and keeper say to each other.

| file | written by | what it says |
| --- | --- | --- |
| `plan.json` | service | the program, its environment and configuration, and for how long |
| `lock` | keeper | held (flock) as long as a keeper lives |
| `jvm.json` | keeper | who the History Server's process is |
| `history.properties` | keeper | its configuration |
| `server.json` | keeper | where it answers, and the key that opens it |
| `failed.json` | keeper | why there is none |
| `used` | service | its time of modification is when somebody looked last |
| `logs/` | service | a link to each event log that somebody looks at |
"""

import contextlib
import os
from pathlib import Path

from headland.jobs.runner.run_directory import RunDirectory


class HistoryFolder(RunDirectory):
    """Paths of the folder, and the atomic records of any run directory."""

    @property
    def plan(self) -> Path:
        return self.path / "plan.json"

    @property
    def jvm(self) -> Path:
        return self.path / "jvm.json"

    @property
    def configuration(self) -> Path:
        return self.path / "history.properties"

    @property
    def server(self) -> Path:
        return self.path / "server.json"

    @property
    def failed(self) -> Path:
        return self.path / "failed.json"

    @property
    def used(self) -> Path:
        return self.path / "used"

    @property
    def logs(self) -> Path:
        return self.path / "logs"

    def use(self) -> None:
        """Somebody looks."""
        with contextlib.suppress(OSError):
            os.utime(self.used)

    def last_used(self) -> float:
        """When somebody looked last, in seconds since the epoch."""
        try:
            return self.used.stat().st_mtime
        except OSError:
            return 0.0
