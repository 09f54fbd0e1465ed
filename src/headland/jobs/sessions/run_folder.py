"""The run directory of a session: that of any job, and what host and service leave there besides."""

import contextlib
import os
import secrets
from pathlib import Path

from headland.jobs.runner.run_directory import RunDirectory


class SessionFolder(RunDirectory):
    """Paths of one session's folder (see `headland.jobs.runner.run_directory` and `headland.jobs.sessions.host`)."""

    @property
    def plan(self) -> Path:
        """What the host is to start, and its limits."""
        return self.path / "session.json"

    @property
    def journal(self) -> Path:
        return self.path / "journal"

    @property
    def ready(self) -> Path:
        """What is known of the application once the first interpreter is there."""
        return self.path / "ready.json"

    @property
    def gateway(self) -> Path:
        """Where the JVM says how its gateway is reached."""
        return self.temporary / "gateway"

    @property
    def classes(self) -> Path:
        """Classes of Scala cells, which executors fetch from the driver."""
        return self.temporary / "classes"

    @property
    def uploads(self) -> Path:
        """Files that clients sent for the session."""
        return self.path / "uploads"

    def new_upload(self) -> Path:
        """A folder in there that is not there yet."""
        return self.uploads / secrets.token_hex(8)

    @property
    def heartbeat(self) -> Path:
        """Its time of modification is when somebody asked for the session last."""
        return self.path / "heartbeat"

    def beat(self) -> None:
        """Somebody asks for the session."""
        with contextlib.suppress(OSError):
            os.utime(self.heartbeat)

    def last_beat(self) -> float:
        """When somebody asked for it last, in seconds since the epoch; 0 where it has no heartbeat yet."""
        try:
            return self.heartbeat.stat().st_mtime
        except OSError:
            return 0.0
