"""The controller's loop: what each call costs, and that none is needed for anything to happen in the end."""

import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import event
from structlog.testing import capture_logs

from headland.database import Database
from headland.jobs.batches import store
from headland.jobs.batches.paths import PathRules
from headland.jobs.batches.states import State
from headland.jobs.batches.store import BatchRow, NewBatch
from headland.jobs.clusters.cluster import Clusters
from headland.jobs.clusters.java import Toolchain
from headland.jobs.controller.controller import Controller
from headland.jobs.controller.keeper import BatchKeeper
from headland.jobs.wakeup import Calls
from headland.settings import Home, JobsSettings, Settings
from headland.storage import Storage

NODE = "node"
DEADLINE = 20.0


class Steps:
    """A keeper that ends what it is told to end, and says which batches it was given."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._changed = threading.Condition()
        self.taken: list[int] = []
        self.ending: set[int] = set()
        self.failing: Exception | None = None
        self.warm = None

    def clock(self) -> int:
        return 5_000

    def step(self, row: BatchRow) -> None:
        if row.id in self.ending:
            self._database.write_and_wait(
                lambda connection: store.change(connection, row.id, state=State.SUCCESS, finished_at=9)
            )
        with self._changed:
            self.taken.append(row.id)
            self._changed.notify_all()
        if self.failing is not None:
            raise self.failing

    def wait_for(self, *batch_ids: int) -> None:
        """Until these steps were taken, in any order, and no others."""
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.taken) >= len(batch_ids), DEADLINE), self.taken
            assert sorted(self.taken) == sorted(batch_ids)
            self.taken.clear()


@pytest.fixture
def steps(database: Database) -> Steps:
    return Steps(database)


@pytest.fixture
def make(database: Database, tmp_path: Path) -> Iterator[Callable[..., Controller]]:
    """Make a controller; its steps are over before its database is closed."""
    made: list[Controller] = []

    def make(keeper: BatchKeeper) -> Controller:
        made.append(Controller(database, keeper, Home(tmp_path), NODE, JobsSettings(max_running=2)))
        return made[-1]

    yield make
    for each in made:
        each._workers.close(wait=True)
        each._bell.close()
        each._bell_pull.close()


@pytest.fixture
def controller(make: Callable[..., Controller], steps: Steps) -> Controller:
    return make(steps)


@pytest.fixture
def submit(database: Database) -> Callable[..., BatchRow]:
    def submit() -> BatchRow:
        new = NewBatch(uuid.uuid4().hex, None, None, None, b'{"file":"wasbs:///app.jar"}', 1)
        return database.write_and_wait(lambda connection: store.create(connection, new))

    return submit


@contextmanager
def statements(database: Database) -> Iterator[list[str]]:
    seen: list[str] = []

    def note(_connection, _cursor, statement, *_others):
        seen.append(statement)

    for engine in database.engines:
        event.listen(engine, "before_cursor_execute", note)
    yield seen
    for engine in database.engines:
        event.remove(engine, "before_cursor_execute", note)


def bell_rings(controller: Controller) -> None:
    controller._bell.settimeout(DEADLINE)
    assert controller._bell.recv(100)


class TestCalls:
    def test_a_submission_is_taken_on_at_once(self, controller, submit, steps):
        submit()
        controller._answer(Calls())
        steps.wait_for(0)

    def test_a_full_node_asks_nothing_for_a_submission(self, controller, submit, steps, database):
        for _ in range(3):
            submit()
        controller._answer(Calls())
        steps.wait_for(0, 1)
        controller._workers.close(wait=True)
        with statements(database) as seen:
            for _ in range(5):
                controller._answer(Calls())
        assert seen == []

    def test_a_runners_call_is_about_its_batch_alone(self, controller, submit, steps):
        rows = [submit(), submit(), submit()]
        controller._answer(Calls())
        steps.wait_for(0, 1)
        controller._answer(Calls(run_keys={rows[1].run_key}))
        steps.wait_for(1)

    def test_the_end_of_one_makes_place_for_the_next(self, controller, submit, steps):
        rows = [submit(), submit(), submit(), submit()]
        controller._answer(Calls())
        steps.wait_for(0, 1)
        steps.ending = {1}
        controller._answer(Calls(run_keys={rows[1].run_key}))
        bell_rings(controller)
        controller._answer(Calls())
        steps.wait_for(1, 2)

    def test_a_deletion_of_one_that_waits_is_done_though_the_node_is_full(
        self, controller, submit, steps, database
    ):
        for _ in range(4):
            submit()
        controller._answer(Calls())
        steps.wait_for(0, 1)
        database.write_and_wait(lambda connection: store.request_delete(connection, 3, 5))
        controller._answer(Calls(batches={3}))
        steps.wait_for(3)

    def test_nothing_is_done_for_one_that_waits_has_ended_is_unknown_or_anothers(
        self, controller, submit, steps, database
    ):
        for _ in range(6):
            submit()
        database.write_and_wait(lambda connection: store.claim(connection, 0, "other", 5))
        database.write_and_wait(lambda connection: store.change(connection, 1, finished_at=5))
        controller._answer(Calls())
        steps.wait_for(2, 3)
        controller._answer(Calls(batches={0, 1, 4, 99}, run_keys={"0" * 32}))
        controller._answer(Calls(batches={3}))
        steps.wait_for(3)


class TestLook:
    def test_whoever_needs_a_step_gets_one_though_nobody_called(self, controller, submit, steps, database):
        for _ in range(7):
            submit()
        database.write_and_wait(lambda connection: store.claim(connection, 0, NODE, 5))
        database.write_and_wait(lambda connection: store.claim(connection, 1, "other", 5))
        database.write_and_wait(lambda connection: store.request_kill(connection, 2, 5))
        database.write_and_wait(lambda connection: store.request_delete(connection, 3, 5))
        database.write_and_wait(lambda connection: store.change(connection, 4, finished_at=5))
        controller._look()
        steps.wait_for(0, 2, 3, 5)

    def test_what_fails_is_left_alone_for_a_while_and_told_once(self, controller, submit, steps, database):
        submit()
        database.write_and_wait(lambda connection: store.request_delete(connection, 0, 5))
        now = [100.0]
        controller._pauses.clock = lambda: now[0]
        steps.failing = PermissionError(1, "not permitted")
        with capture_logs() as logs:
            controller._step(0)
            assert steps.taken == [0]
            for pause in (1, 2, 4):
                controller._look()
                assert not controller._pauses.over(0)
                now[0] += pause
                assert controller._pauses.over(0)
                controller._step(0)
            steps.wait_for(0, 0, 0, 0)
            steps.failing = None
            controller._step(0)
        assert [entry["event"] for entry in logs] == ["batch.step_failed", "batch.step_recovered"]

    def test_who_is_called_for_by_name_does_not_wait_for_the_pause(self, controller, submit, steps):
        row = submit()
        steps.failing = OSError(28, "no space")
        controller._answer(Calls())
        steps.wait_for(0)
        controller._answer(Calls(run_keys={row.run_key}))
        steps.wait_for(0)


def test_files_that_can_not_be_removed_keep_the_row(make, database, submit, storage: Storage, tmp_path):
    """The real keeper: a run directory that is a link is none that it may remove."""
    home = Home(tmp_path)
    settings = Settings()
    keeper = BatchKeeper(
        database=database,
        paths=PathRules.of(settings.jobs, storage),
        cluster=Clusters(settings.jobs, Toolchain(tmp_path, tmp_path)),
        settings=settings,
        home=home,
        clock=lambda: 5_000,
    )
    controller = make(keeper)
    row = submit()
    home.batches.mkdir()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    directory = home.batches / row.run_key
    directory.symlink_to(elsewhere)
    database.write_and_wait(lambda connection: store.request_delete(connection, row.id, 5))
    with capture_logs() as logs:
        for _ in range(3):
            controller._step(row.id)
        assert database.read(lambda connection: store.get(connection, row.id)) is not None
        directory.unlink()
        controller._step(row.id)
    assert database.read(lambda connection: store.get(connection, row.id)) is None
    assert [entry["event"] for entry in logs] == [
        "batch.step_failed",
        "batch.deleted",
        "batch.step_recovered",
    ]
