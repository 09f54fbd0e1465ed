"""Rows, rules and a database to try them on, and runners that are real processes."""

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from tests.databases import Template, made_once, system_of
from tests.serving import eventually
from tests.unit.jobs.warm_pool import Pool

import headland
from headland.database import Database, upgrade
from headland.http.validation import decode_json
from headland.jobs.batches.admission import admit
from headland.jobs.batches.paths import PathRules
from headland.jobs.batches.states import State
from headland.jobs.batches.store import BatchRow
from headland.jobs.batches.submission import Submission
from headland.jobs.batches.wire import BatchRequest
from headland.jobs.runner.processes import marked
from headland.jobs.runner.run_directory import RunDirectory
from headland.settings import JobsSettings, StorageSettings
from headland.storage import Storage

#: Seconds after which something that was to happen is not going to.
DEADLINE = 20.0

#: Marks every process of a test, so that none is left whatever goes wrong.
MARK = "HEADLAND_TEST_JOB"


@pytest.fixture
def make_row() -> Callable[..., BatchRow]:
    """A batch's row that has just been created, with changes."""

    def make(**changes: object) -> BatchRow:
        fields: dict[str, object] = {
            "id": 0,
            "run_key": "0123456789abcdef0123456789abcdef",
            "name": None,
            "owner": None,
            "proxy_user": None,
            "state": State.STARTING,
            "request": b'{"file":"wasbs:///app.jar"}',
            "app_id": None,
            "app_info": None,
            "created_at": 1_000,
            "claimed_by": None,
            "claimed_at": None,
            "started_at": None,
            "finished_at": None,
            "exit_code": None,
            "report": None,
            "log_tail": None,
            "kill_requested_at": None,
            "delete_requested_at": None,
            "queue": None,
            "record": b'{"id":0,',
            "detached_at": None,
            "handle": None,
        }
        assert set(changes) <= set(fields)
        return BatchRow(**{**fields, **changes})

    return make


@pytest.fixture
def storage(tmp_path: Path) -> Storage:
    return Storage(StorageSettings(), tmp_path / "storage")


@pytest.fixture
def admit_body(storage: Storage) -> Callable[..., Submission]:
    """What becomes of a request body, as it is decoded and admitted in the service, under some settings."""

    def admit_body(body: dict[str, object], **settings: object) -> Submission:
        jobs = JobsSettings(**{"impersonation": True, **settings})
        request = decode_json(json.dumps(body).encode(), BatchRequest, lax=True)
        return admit(request, jobs, PathRules.of(jobs, storage))

    return admit_body


@pytest.fixture(scope="session")
def template(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Template[None]:
    """A database with every table, to be copied."""
    system, folder = system_of(request), tmp_path_factory.mktemp("jobs")
    return made_once("jobs", system, lambda: Template(system, folder, upgrade))


@pytest.fixture
def database(template: Template[None], tmp_path: Path) -> Iterator[Database]:
    with template.copied(tmp_path / "headland.db") as url:
        database = Database(url)
        yield database
        database.close()


@dataclass
class Job:
    """A run directory, and the runners that are started on it."""

    directory: RunDirectory
    calls: socket.socket
    said: Path
    told: Path
    mark: str
    runners: list["subprocess.Popen[bytes]"] = field(default_factory=list)

    def prepare(
        self, *command: str, kill_grace: float = 10.0, log_limit: int = 1 << 28, **environment: str
    ) -> None:
        """Put into the run directory what a controller puts there. The program says something by writing to
        `$SAID`, and is told something by reading from `$TOLD`.
        """
        for folder in (self.directory.work, self.directory.temporary):
            folder.mkdir(parents=True, exist_ok=True)
        self.directory.write(
            self.directory.launch,
            {
                "command": list(command),
                "environment": {
                    MARK: self.mark,
                    "PATH": "/usr/bin:/bin",
                    "SAID": str(self.said),
                    "TOLD": str(self.told),
                    **environment,
                },
                "kill_grace": kill_grace,
                "log_limit": log_limit,
                "notify": str(self.calls.getsockname()),
            },
        )

    def start(self, stdin: int = subprocess.DEVNULL) -> "subprocess.Popen[bytes]":
        """A runner, started as the controller does."""
        runner = subprocess.Popen(
            [sys.executable, "-S", "-m", "headland.jobs.runner", str(self.directory.path)],
            env={"PYTHONPATH": str(Path(headland.__file__).parent.parent), MARK: self.mark},
            cwd="/",
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        self.runners.append(runner)
        return runner

    def finish(self) -> dict[str, object]:
        """Wait for every runner; the record of the program's end."""
        for runner in self.runners:
            said, _ = runner.communicate(timeout=DEADLINE)
            assert (runner.returncode, said) == (0, b"")
        record = self.directory.read(self.directory.exit)
        assert record is not None
        return record

    def run(self, *command: str, **options: object) -> dict[str, object]:
        """Prepare, start, finish."""
        self.prepare(*command, **options)
        self.start()
        return self.finish()

    def heard(self, lines: int = 1) -> list[str]:
        """Wait for the program to say so many lines."""
        descriptor = os.open(self.said, os.O_RDONLY | os.O_NONBLOCK)
        said = b""
        try:
            while said.count(b"\n") < lines:
                ready, _, _ = select.select([descriptor], [], [], DEADLINE)
                assert ready, f"the program said no more than {said!r}"
                said += os.read(descriptor, 4096)
        finally:
            os.close(descriptor)
        return said.decode().split("\n")[:-1]

    def tell(self) -> None:
        """Have a program that waits for it go on."""
        self.told.write_text("go on\n")

    @property
    def output(self) -> bytes:
        return self.directory.output.read_bytes()


@pytest.fixture
def job(tmp_path: Path) -> Iterator[Job]:
    directory = RunDirectory(tmp_path / "0123456789abcdef")
    directory.path.mkdir()
    said, told = tmp_path / "said", tmp_path / "told"
    keep = []
    for fifo in (said, told):
        os.mkfifo(fifo)
        # An end of our own: a FIFO that nobody has open on the other side holds one up, or ends.
        keep.append(os.open(fifo, os.O_RDWR))
    mark = uuid.uuid4().hex
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as calls:
        calls.bind(str(tmp_path / "calls"))
        calls.settimeout(DEADLINE)
        job = Job(directory, calls, said, told, mark)
        yield job
        left = marked(MARK, mark)
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for runner in job.runners:
            runner.wait(DEADLINE)
            runner.stdout.close()
    for descriptor in keep:
        os.close(descriptor)
    assert left == [], "processes of a job were left running"


@pytest.fixture
def make_pool(tmp_path: Path) -> Iterator[Callable[..., Pool]]:
    """Homes with warm drivers."""
    pools: list[Pool] = []

    def make(**settings: object) -> Pool:
        pools.append(Pool(tmp_path, **settings))
        return pools[-1]

    yield make
    for pool in pools:
        keys = [directory.path.name for directory in pool.directories]
        taken = [*pool.warm._taken.values(), *pool.sessions._taken.values()]
        pool.warm.close()
        pool.sessions.close()
        for driver in taken:
            driver.held.runner.wait(20)
        for key in keys:
            eventually(lambda key=key: not marked("HEADLAND_RUN", key), "nothing is left", 20)


@pytest.fixture
def pool(make_pool: Callable[..., Pool]) -> Pool:
    return make_pool()
