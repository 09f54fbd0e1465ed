"""A session and the driver that it takes over: whatever dies between any two steps, it starts once or says why not.

Runners and hosts are real; small programs stand in the place of Java and Python.
"""

import os
import signal
import sys
from pathlib import Path

import pytest
from sqlalchemy import update
from tests.serving import eventually
from tests.unit.jobs.warm_pool import Pool

from headland.database import Database, DatabaseUnavailableError
from headland.jobs.batches.output import tail
from headland.jobs.batches.paths import PathRules
from headland.jobs.batches.submission import SHELL, Submission
from headland.jobs.clusters.launch import MARK
from headland.jobs.controller.warm import WarmDrivers
from headland.jobs.runner.processes import marked
from headland.jobs.sessions import commission, store
from headland.jobs.sessions.commission import Commission
from headland.jobs.sessions.controller.keeper import SessionKeeper
from headland.jobs.sessions.controller.loop import SessionLoop
from headland.jobs.sessions.run_folder import SessionFolder
from headland.jobs.sessions.store import NewSession, SessionRow
from headland.jobs.sessions.tables import session
from headland.settings import Settings
from headland.storage import Storage

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="marks are found on Linux only")

OLD_KEY = "0" * 32

#: What runs when the interpreter does, as far as anybody but a JVM can tell.
PYTHON = "#!/bin/sh\nexec sleep 600\n"


class Desk:
    """A controller's loop and keeper over a pool of drivers, and one session."""

    def __init__(self, pool: Pool, database: Database, storage: Storage) -> None:
        self.pool, self.database, self.storage = pool, database, storage
        self.started = 0
        self.begin(pool.sessions)

    def begin(self, drivers: WarmDrivers) -> None:
        """As a controller that holds these drivers."""
        rules = PathRules.of(self.pool.jobs, self.storage)
        settings = Settings(jobs=self.pool.jobs)
        self.keeper = SessionKeeper(
            self.database, rules, self.pool.cluster, settings, self.pool.home, lambda: 2_000, drivers
        )
        self.loop = SessionLoop(
            self.database, self.keeper, "node", self.pool.jobs, on_start=self.session_starts
        )

    def session_starts(self) -> None:
        self.started += 1

    def want(self, **fields: object) -> None:
        """Have a session wait."""
        wanted = Commission(
            Submission(file=SHELL, master=self.pool.jobs.master, deploy_mode="client", **fields), "pyspark"
        )
        new = NewSession(OLD_KEY, None, None, None, "pyspark", commission.encode(wanted), 1_000)
        self.database.write_and_wait(lambda connection: store.create(connection, new))

    @property
    def row(self) -> SessionRow | None:
        return self.database.read(lambda connection: store.get(connection, 0))

    @property
    def folder(self) -> SessionFolder:
        return SessionFolder(self.pool.home.sessions / self.row.run_key)

    def claim(self) -> bool:
        return self.loop._claimed(self.database.read(store.unfinished)) == [0]

    def step(self) -> None:
        if (row := self.row) is not None:
            self.keeper.step(row)

    def until_ended(self) -> list[str]:
        """What the JVM has said by then. Neither it nor anything else of the session is left."""

        def ended() -> bool:
            self.step()
            return self.row.finished_at is not None

        eventually(ended, "the session has ended", 20, pause=0.01)
        assert marked(MARK, self.row.run_key) == []
        assert self.row.state == "dead"
        return [line for line in tail(self.folder.output, 100, complete=True) if line]


@pytest.fixture
def desk(make_pool, database, storage, tmp_path):
    python = tmp_path / "python"
    python.write_text(PYTHON)
    python.chmod(0o755)
    return Desk(make_pool(warm_drivers=0, warm_sessions=1, python=str(python)), database, storage)


def is_warm(said: list[str]) -> bool:
    """Whether the application was given to a JVM that waited; it was started but once."""
    (line,) = said
    assert line == "cold" or line.endswith(SHELL)
    return line != "cold"


def runner_of(folder: SessionFolder) -> int:
    return int(folder.read(folder.runner)["pid"])


def children(pid: int) -> list[int]:
    return list(map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split()))


@pytest.mark.parametrize(
    ("fields", "fits"),
    [
        ({}, True),
        ({"name": "x", "conf": {"spark.sql.shuffle.partitions": "7"}, "proxy_user": "alice"}, True),
        ({"driver_memory": "2g"}, False),
    ],
)
def test_a_session_takes_over_key_directory_and_processes_if_they_fit(desk, fields, fits):
    directory = desk.pool.until_ready()
    desk.want(**fields)
    assert desk.claim()
    assert desk.row.run_key == (directory.path.name if fits else OLD_KEY)
    assert is_warm(desk.until_ended()) == fits
    assert (desk.started, desk.folder.journal.exists()) == (1, True)


@pytest.mark.parametrize("step", ["claimed", "described", "told"])
def test_the_controller_dies(desk, step):
    """After the claim, after `launch.json`, after the word: the pipe's end is all that the runner sees of it."""
    directory = desk.pool.until_ready()
    desk.want()
    assert desk.claim()
    held = desk.pool.sessions.taken(directory.path.name).held
    if step == "described":
        desk.keeper._launcher.prepare(desk.row, desk.folder)
    if step == "told":
        desk.step()
    held.let_go()
    desk.begin(desk.pool.drivers_for(desk.pool.for_sessions))
    assert is_warm(desk.until_ended()) == (step != "claimed")
    held.runner.wait(20)


@pytest.mark.parametrize("who", ["runner", "host", "jvm", "interpreter"])
def test_a_process_dies_before_the_session_is_there(desk, who):
    directory = desk.pool.until_ready()
    desk.want()
    assert desk.claim()
    runner = runner_of(desk.folder)
    (host,) = children(runner)
    jvm, interpreter = sorted(children(host))
    os.kill({"runner": runner, "host": host, "jvm": jvm, "interpreter": interpreter}[who], signal.SIGKILL)
    desk.pool.until_ended(directory)
    assert not is_warm(desk.until_ended())
    assert desk.row.run_key == directory.path.name


def test_the_runner_dies_after_its_mark(desk):
    """Nobody can tell how far the session got, so it is not started again."""
    directory = desk.pool.until_ready()
    desk.want()
    assert desk.claim()
    desk.keeper._launcher.prepare(desk.row, desk.folder)
    directory.write(directory.launched, {})
    desk.pool.sessions.taken(directory.path.name).held.runner.kill()
    assert desk.until_ended() == []
    assert b"runner was killed" in desk.row.report


@pytest.mark.parametrize("described", [False, True])
def test_a_session_that_is_not_wanted_any_more_ends_its_driver(desk, described):
    directory = desk.pool.until_ready()
    desk.want()
    assert desk.claim()
    if described:
        desk.keeper._launcher.prepare(desk.row, desk.folder)
    desk.database.write_and_wait(lambda connection: store.request_stop(connection, 0, 3_000, "enough"))
    assert desk.until_ended() == []
    assert not directory.launched.exists()
    desk.database.write_and_wait(lambda connection: store.request_delete(connection, 0, 3_000))
    desk.step()
    assert (desk.row, desk.pool.directories) == (None, [])


def test_what_can_not_be_staged_ends_the_driver(desk):
    directory = desk.pool.until_ready()
    desk.want(jars=("wasbs:///nothing.jar",))
    assert desk.claim()
    assert desk.until_ended() == []
    desk.pool.until_ended(directory)


def test_a_claim_that_comes_too_late_gives_the_driver_back(desk):
    directory = desk.pool.until_ready()
    desk.want()
    rows = desk.database.read(store.unfinished)
    desk.database.write_and_wait(lambda connection: store.request_stop(connection, 0, 3_000, "enough"))
    assert desk.loop._claimed(rows) == []
    assert desk.row.run_key == OLD_KEY
    assert desk.pool.sessions.take(Submission(file=SHELL, master="local[*]")) == directory.path.name


def test_a_claim_of_which_nothing_is_known_ends_the_driver(desk, monkeypatch):
    directory = desk.pool.until_ready()
    desk.want()

    def unavailable(*_):
        raise DatabaseUnavailableError("gone")

    with monkeypatch.context() as patched:
        patched.setattr(Database, "write_and_wait", unavailable)
        with pytest.raises(DatabaseUnavailableError):
            desk.claim()
    desk.pool.until_ended(directory)
    # It was committed after all.
    change = update(session).values(claimed_by="node", claimed_at=1, run_key=directory.path.name)
    desk.database.write_and_wait(lambda connection: connection.execute(change))
    assert not is_warm(desk.until_ended())


def test_nothing_is_left_of_a_driver_when_the_controller_ends(desk):
    directory = desk.pool.until_ready()
    desk.pool.sessions.close()
    assert (marked(MARK, directory.path.name), desk.pool.directories) == ([], [])
