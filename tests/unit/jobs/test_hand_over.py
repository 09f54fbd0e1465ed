"""A batch and the driver that it takes over: whatever dies between any two steps, it runs once, or says why not."""

import os
import signal
import sys
import zipfile
from pathlib import Path

import pytest
from sqlalchemy import update
from tests.serving import eventually
from tests.unit.jobs.warm_pool import Pool

from headland.database import Database, DatabaseUnavailableError
from headland.jobs.batches import store, submission
from headland.jobs.batches.output import tail
from headland.jobs.batches.paths import PathRules
from headland.jobs.batches.store import BatchRow, NewBatch
from headland.jobs.batches.submission import Submission
from headland.jobs.batches.tables import batch
from headland.jobs.clusters.launch import MARK
from headland.jobs.controller.keeper import BatchKeeper
from headland.jobs.controller.queue import Queue
from headland.jobs.controller.upkeep import Upkeep
from headland.jobs.runner.processes import marked
from headland.jobs.runner.run_directory import RunDirectory
from headland.settings import Settings
from headland.storage import Storage

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="marks are found on Linux only")

OLD_KEY = "0" * 32


class Desk:
    """A controller's keeper over a pool of drivers, and one batch."""

    def __init__(self, pool: Pool, database: Database, storage: Storage, folder: Path) -> None:
        self.pool, self.database, self.storage = pool, database, storage
        self.archive = folder / "app.jar"
        with zipfile.ZipFile(self.archive, "w") as archive:
            archive.writestr("a", "b")
        self.keeper = self.new_keeper()
        self.queue = Queue(database, "node", pool.jobs, pool.warm)
        request = Submission(file=str(self.archive), class_name="demo.App", args=("last",))
        new = NewBatch(OLD_KEY, None, None, None, submission.encode(request), 1_000)
        database.write_and_wait(lambda connection: store.create(connection, new))

    def new_keeper(self, *, warm: bool = True) -> BatchKeeper:
        """With `warm=False` that of a controller which came after: it holds no driver."""
        return BatchKeeper(
            database=self.database,
            paths=PathRules.of(self.pool.jobs, self.storage),
            cluster=self.pool.cluster,
            settings=Settings(jobs=self.pool.jobs),
            home=self.pool.home,
            clock=lambda: 2_000,
            warm=self.pool.warm if warm else None,
        )

    @property
    def row(self) -> BatchRow | None:
        return self.database.read(lambda connection: store.get(connection, 0))

    @property
    def directory(self) -> RunDirectory:
        return RunDirectory(self.pool.home.batches / self.row.run_key)

    def claim(self) -> bool:
        return self.queue.take(2_000) == [0]

    def step(self) -> None:
        if (row := self.row) is not None:
            self.keeper.step(row)

    def until_ended(self) -> BatchRow:
        def ended() -> bool:
            self.step()
            return self.row.finished_at is not None

        eventually(ended, "the batch has ended", 20)
        assert marked(MARK, self.row.run_key) == []
        return self.row

    @property
    def output(self) -> list[str]:
        return tail(self.directory.output, 100, complete=True)


@pytest.fixture
def desk(make_pool, database, storage, tmp_path):
    return Desk(make_pool(local_folders=(str(tmp_path),)), database, storage, tmp_path)


def test_a_batch_takes_over_key_directory_and_program(desk):
    directory = desk.pool.until_ready()
    assert desk.claim()
    assert desk.row.run_key == directory.path.name != OLD_KEY
    desk.step()
    row = desk.until_ended()
    assert (row.state, row.exit_code) == ("success", 0)
    assert desk.output == [f"warm {desk.archive} last"]
    assert b"noise" not in row.log_tail


def test_without_a_driver_a_batch_keeps_its_key(desk):
    assert desk.claim()
    assert desk.row.run_key == OLD_KEY
    assert desk.until_ended().state == "success"
    assert desk.output == ["cold"]


@pytest.mark.parametrize("step", ["claimed", "described", "told"])
def test_the_controller_dies(desk, step):
    """After the claim, after `launch.json`, after the word: the pipe's end is all that the runner sees of it."""
    directory = desk.pool.until_ready()
    assert desk.claim()
    held = desk.pool.warm.taken(directory.path.name).held
    if step == "described":
        assert desk.keeper._launcher.prepare(desk.row, directory) is None
    if step == "told":
        desk.step()
    held.let_go()
    desk.keeper = desk.new_keeper(warm=False)
    assert desk.until_ended().state == "success"
    held.runner.wait(20)
    assert desk.output == (["cold"] if step == "claimed" else [f"warm {desk.archive} last"])


@pytest.mark.parametrize("who", ["runner", "program"])
def test_runner_or_program_dies_before_the_job_is_there(desk, who):
    directory = desk.pool.until_ready()
    assert desk.claim()
    runner = directory.read(directory.runner)["pid"]
    (program,) = map(int, Path(f"/proc/{runner}/task/{runner}/children").read_text().split())
    os.kill(runner if who == "runner" else program, signal.SIGKILL)
    desk.pool.until_ended(directory)
    assert desk.until_ended().state == "success"
    assert desk.output == ["cold"]
    assert desk.row.run_key == directory.path.name


def test_the_runner_dies_after_its_mark(desk):
    """As with any batch: nobody can tell how far the program got, so it is not started again."""
    directory = desk.pool.until_ready()
    assert desk.claim()
    assert desk.keeper._launcher.prepare(desk.row, directory) is None
    directory.write(directory.launched, {})
    held = desk.pool.warm.taken(directory.path.name).held
    held.runner.kill()
    row = desk.until_ended()
    assert (row.state, row.exit_code) == ("dead", None)
    assert "cold" not in desk.output


@pytest.mark.parametrize("how", [store.request_kill, store.request_delete])
def test_a_batch_that_is_not_wanted_any_more_ends_its_driver(desk, how):
    directory = desk.pool.until_ready()
    assert desk.claim()
    desk.database.write_and_wait(lambda connection: how(connection, 0, 3_000))
    desk.step()
    desk.pool.until_ended(directory)
    assert not directory.launched.exists()
    if how is store.request_delete:
        assert desk.row is None
        assert desk.pool.directories == []
    else:
        assert desk.row.state == "killed"
        assert b"noise" not in desk.row.log_tail


def test_a_batch_that_is_described_and_then_not_wanted_any_more_is_not_run(desk):
    """The controller was held up between `launch.json` and the word, and then finds the batch unwanted."""
    directory = desk.pool.until_ready()
    assert desk.claim()
    assert desk.keeper._launcher.prepare(desk.row, directory) is None
    desk.database.write_and_wait(lambda connection: store.request_kill(connection, 0, 3_000))
    desk.step()
    assert desk.row.state == "killed"
    assert not directory.launched.exists()


def test_what_can_not_be_staged_ends_the_driver(desk):
    directory = desk.pool.until_ready()
    desk.archive.unlink()
    assert desk.claim()
    desk.step()
    assert desk.row.state == "dead"
    assert b"noise" not in desk.row.log_tail
    desk.pool.until_ended(directory)


def test_a_claim_that_comes_too_late_gives_the_driver_back(desk, monkeypatch):
    directory = desk.pool.until_ready()
    row = desk.row
    choose = desk.queue._choose

    def late(connection):
        """Somebody kills it when it has been chosen."""
        monkeypatch.undo()
        return choose(connection)[0], [0]

    monkeypatch.setattr(desk.queue, "_choose", late)
    desk.database.write_and_wait(lambda connection: store.request_kill(connection, 0, 3_000))
    assert not desk.claim()
    assert desk.row.run_key == OLD_KEY
    assert desk.pool.warm.take(submission.decode(row.request)) == directory.path.name


def test_a_claim_of_which_nothing_is_known_ends_the_driver(desk, monkeypatch):
    directory = desk.pool.until_ready()

    def unavailable(*_):
        raise DatabaseUnavailableError("gone")

    with monkeypatch.context() as patched:
        patched.setattr(Database, "write_and_wait", unavailable)
        with pytest.raises(DatabaseUnavailableError):
            desk.claim()
    desk.pool.until_ended(directory)
    # It was committed after all.
    change = update(batch).values(claimed_by="node", claimed_at=1, run_key=directory.path.name)
    desk.database.write_and_wait(lambda connection: connection.execute(change))
    assert desk.until_ended().state == "success"
    assert desk.output == ["cold"]


def test_upkeep_removes_what_no_job_has_and_nothing_else(desk):
    """Drivers of a controller that is gone; directories of batches and what was ever launched stay."""
    home, pool = desk.pool.home, desk.pool
    directory = pool.until_ready()
    assert desk.claim()
    pool.warm.give_up(directory.path.name)
    places = ((home.batches, "a"), (home.sessions, "b"), (home.sessions, "c"))
    *orphans, launched = (RunDirectory(folder / (digit * 32)) for folder, digit in places)
    for made in (*orphans, launched):
        made.work.mkdir(parents=True)
    launched.write(launched.launch, {})
    upkeep = Upkeep(desk.database, pool.jobs, home, making=pool.warm._making, pools=[pool.warm])
    upkeep.look(1, 0)
    assert sorted(found.path for found in pool.directories) == sorted([directory.path, launched.path])
    upkeep.close()
