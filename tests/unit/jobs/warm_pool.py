"""A home with warm drivers: real runners, and a small program in the place of Java."""

import sys
from pathlib import Path

from tests.serving import eventually

from headland.jobs.batches.submission import Submission
from headland.jobs.clusters.cluster import Clusters
from headland.jobs.clusters.companion import Companion
from headland.jobs.clusters.java import Toolchain
from headland.jobs.clusters.launch import MARK
from headland.jobs.clusters.startup import MadeFile
from headland.jobs.controller.making import Making
from headland.jobs.controller.warm import Purpose, WarmDrivers, for_batches
from headland.jobs.runner.processes import marked
from headland.jobs.runner.run_directory import RunDirectory
from headland.jobs.sessions.controller.warming import for_sessions
from headland.settings import Home, JobsSettings

#: As a driver it says that it is ready as soon as the file beside it lets it, and waits for a job; it prints what it
#: does and the end of the job's arguments.
JAVA = """#!{python} -S
import os, socket, sys, time
here = os.path.dirname(os.path.abspath(__file__))
if "WarmDriver" not in open(sys.argv[1][1:]).read():
    print("cold", flush=True)
    raise SystemExit(0)
print("noise", flush=True)
if os.path.exists(here + "/broken"):
    print("this Java is broken")
    raise SystemExit(1)
while os.path.exists(here + "/slow"): time.sleep(0.01)
line = socket.socket(fileno=0)
line.sendall(b"\\n")
def exactly(size):
    data = b""
    while len(data) < size:
        more = line.recv(size - len(data))
        if not more: raise SystemExit(0)
        data += more
    return data
parts = [exactly(int.from_bytes(exactly(4), "big")).decode() for _ in range(int.from_bytes(exactly(4), "big"))]
print("warm", *parts[-2:], flush=True)
"""

PLAIN = Submission(file="/app.jar", class_name="demo.App")


class Pool:
    """The drivers of a home, with a clock that a test sets."""

    def __init__(self, path: Path, **settings: object) -> None:
        self.home, self.now = Home(path / "home"), 100.0
        for folder in (
            self.home.batches,
            self.home.sessions,
            self.home.cache,
            self.home.runtime,
            path / "java" / "bin",
            path / "spark" / "jars",
        ):
            folder.mkdir(parents=True)
        self.java = path / "java" / "bin"
        (self.java / "java").write_text(JAVA.format(python=sys.executable))
        (self.java / "java").chmod(0o755)
        self.jobs = JobsSettings(**settings)
        self.tools = Toolchain(self.java / "java", path / "spark")
        companion = MadeFile(self.home.cache, "companion", "key", ".jar")
        (self.home.cache / "made").write_bytes(b"an archive")
        companion.adopt(self.home.cache / "made")
        self.cluster = Clusters(self.jobs, self.tools)
        self._making = Making(self.cluster, Companion(self.tools, companion), self.home)
        self.for_sessions = for_sessions(self.jobs.warm_sessions, self.jobs, self.home, self.tools)
        self.warm = self.drivers_for(for_batches(self.jobs.warm_drivers, self.home))
        self.sessions = self.drivers_for(self.for_sessions)

    def drivers_for(self, purpose: Purpose) -> WarmDrivers:
        """As a controller begins: it holds none."""
        return WarmDrivers(
            self.cluster,
            self.jobs,
            self.home,
            making=self._making,
            purpose=purpose,
            clock=lambda: self.now,
        )

    @property
    def directories(self) -> list[RunDirectory]:
        folders = (self.home.batches, self.home.sessions)
        return [RunDirectory(path) for folder in folders for path in folder.iterdir()]

    def one(self) -> RunDirectory:
        (found,) = self.directories
        return found

    def until_ready(self) -> RunDirectory:
        for pool in (self.warm, self.sessions):
            pool.tend(quiet=True)
        directory = self.one()
        eventually(directory.warmed.exists, "the driver is ready", 20)
        return directory

    def until_ended(self, directory: RunDirectory) -> None:
        eventually(lambda: not marked(MARK, directory.path.name), "nothing of the driver runs", 20)
