"""Who is next: in order, within the limits of node, owners and queues, and at the same cost however many wait."""

import random
import shutil
import sqlite3
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import Connection, event

from headland.database import Database, upgrade
from headland.jobs.batches import store, waiting
from headland.jobs.batches.states import State
from headland.jobs.batches.store import NewBatch
from headland.jobs.batches.waiting import Group
from headland.jobs.controller.queue import Queue, choose
from headland.settings import JobsSettings, QueueSettings

NIGHTLY = {"nightly": QueueSettings(max_running=1)}


@pytest.fixture
def submit(database: Database) -> Callable[..., list[int]]:
    """Create batches, each an `owner` or an `owner/queue`."""
    return partial(submit_to, database)


def submit_to(database: Database, *which: str) -> list[int]:
    def create(connection: Connection) -> list[int]:
        made = []
        for one in which:
            owner, _, queue = one.partition("/")
            new = NewBatch(uuid.uuid4().hex, None, owner or None, None, b"{}", 1_000, queue or None)
            made.append(store.create(connection, new).id)
        return made

    return database.write_and_wait(create)


@pytest.fixture
def end(database: Database) -> Callable[[int], None]:
    def end(batch_id: int) -> None:
        database.write_and_wait(
            lambda connection: store.change(connection, batch_id, state=State.SUCCESS, finished_at=2_000)
        )

    return end


@contextmanager
def statements(database: Database) -> Iterator[list[str]]:
    """What is asked of the database meanwhile."""
    seen: list[str] = []

    def note(_connection, _cursor, statement, *_others):
        seen.append(statement)

    for engine in database.engines:
        event.listen(engine, "before_cursor_execute", note)
    try:
        yield seen
    finally:
        for engine in database.engines:
            event.remove(engine, "before_cursor_execute", note)


def queue(database: Database, node: str = "node", **settings: object) -> Queue:
    return Queue(database, node, JobsSettings(**settings))


class TestOrder:
    def test_as_many_as_there_is_place_for_and_the_oldest_first(self, database, submit, end):
        submit(*["app"] * 5)
        line = queue(database, max_running=2)
        assert line.take(7) == [0, 1]
        assert line.full
        assert line.take(8) == []
        end(1)
        assert line.take(9) == [2]
        end(0)
        end(2)
        assert line.take(9) == [3, 4]
        row = database.read(lambda connection: store.get(connection, 3))
        assert (row.claimed_by, row.claimed_at) == ("node", 9)

    def test_a_node_with_places_left_is_not_full(self, database, submit):
        line = queue(database, max_running=3)
        assert line.take(7) == []
        assert not line.full
        submit("app")
        assert line.take(7) == [0]
        assert not line.full

    def test_other_nodes_have_places_of_their_own(self, database, submit):
        submit(*["app"] * 3)
        assert queue(database, "a", max_running=1).take(7) == [0]
        assert queue(database, "b", max_running=5).take(7) == [1, 2]

    def test_who_is_not_wanted_is_not_taken_on(self, database, submit):
        submit("app", "app", "app")
        database.write_and_wait(lambda connection: store.request_kill(connection, 0, 5))
        database.write_and_wait(lambda connection: store.request_delete(connection, 1, 5))
        for settings in ({}, {"max_running_per_owner": 5}):
            assert queue(database, "a", max_running=5, **settings).take(7) in ([2], [])
        assert database.read(lambda connection: waiting.running(connection, "a")) == (
            [Group("default", "app")],
            [],
        )

    def test_who_runs_on_a_cluster_takes_no_place_here(self, database, submit):
        submit("app", "app", "app", "app")
        assert queue(database, "a", max_running=2).take(7) == [0, 1]
        database.write_and_wait(lambda connection: store.change(connection, 0, detached_at=8))
        assert queue(database, "a", max_running=2).take(9) == [2]
        database.write_and_wait(lambda connection: store.change(connection, 1, detached_at=8))
        assert queue(database, "a", max_running=2, max_detached=3).take(9) == []
        assert queue(database, "a", max_running=2, max_running_per_owner=3).take(9) == []
        assert queue(database, "a", max_running=2, max_detached=4).take(9) == [3]

    def test_the_place_of_one_that_was_deleted_meanwhile_goes_to_the_next(
        self, database, submit, monkeypatch
    ):
        submit("app", "app", "app")
        claim = store.claim

        def late(connection, batch_id, node, now, run_key):
            if batch_id == 0:
                store.request_delete(connection, 0, now)
            return claim(connection, batch_id, node, now, run_key)

        monkeypatch.setattr(store, "claim", late)
        assert queue(database, max_running=2).take(7) == [1, 2]


class TestLimits:
    def test_an_owner_with_all_it_may_have_holds_up_nobody(self, database, submit, end):
        submit("a", "a", "a", "b", "a", "b")
        line = queue(database, max_running=4, max_running_per_owner=2)
        assert line.take(7) == [0, 1, 3, 5]
        end(3)
        assert line.take(7) == []
        end(0)
        assert line.take(7) == [2]
        assert not line.full

    def test_who_shows_nothing_is_one_owner(self, database, submit):
        submit("", "", "a", "")
        assert queue(database, max_running=4, max_running_per_owner=1).take(7) == [0, 2]

    def test_a_queue_with_all_it_may_have_holds_up_nobody(self, database, submit, end):
        submit("a/nightly", "b/nightly", "a", "b/adhoc", "a/nightly")
        line = queue(database, max_running=4, queues=NIGHTLY)
        assert line.take(7) == [0, 2, 3]
        assert line.take(7) == []
        end(0)
        assert line.take(7) == [1]

    def test_the_default_queue_has_limits_like_any_other(self, database, submit):
        submit("a", "a/default", "a/adhoc", "a")
        line = queue(database, max_running=4, queues={"default": QueueSettings(1), "adhoc": QueueSettings()})
        assert line.take(7) == [0, 2]

    def test_both_limits_hold_at_once(self, database, submit):
        submit("a/nightly", "a", "a", "b/nightly", "b", "c/nightly")
        line = queue(database, max_running=6, max_running_per_owner=2, queues=NIGHTLY)
        assert line.take(7) == [0, 1, 4]

    def test_limits_are_the_nodes_own(self, database, submit):
        submit("a", "a", "a")
        assert queue(database, "one", max_running=2, max_running_per_owner=1).take(7) == [0]
        assert queue(database, "two", max_running=2, max_running_per_owner=1).take(7) == [1]

    def test_rows_of_a_queue_that_is_declared_no_more_run(self, database, submit):
        submit("a/gone", "a/gone")
        assert queue(database, max_running=4, queues=NIGHTLY).take(7) == [0, 1]


def simply(settings: JobsSettings, running: list[Group], line: Iterable[tuple[int, Group]]) -> list[int]:
    """The rule, said by going through all that wait."""
    running, chosen = list(running), []
    for batch_id, group in sorted(line):
        owner = sum(other.owner == group.owner for other in running)
        queue = sum(other.queue == group.queue for other in running)
        limit = settings.queues[group.queue].max_running if group.queue in settings.queues else 0
        if len(running) >= settings.max_running:
            break
        if (settings.max_running_per_owner and owner >= settings.max_running_per_owner) or (
            limit and queue >= limit
        ):
            continue
        running.append(group)
        chosen.append(batch_id)
    return chosen


@pytest.mark.parametrize("seed", range(40))
def test_the_choice_is_the_same_as_by_going_through_all(seed):
    rng = random.Random(seed)
    groups = [
        Group(queue, owner) for queue in ("default", "nightly", "adhoc") for owner in ("", "a", "b", "c")
    ]
    settings = JobsSettings(
        max_running=rng.randint(1, 12),
        max_running_per_owner=rng.randint(0, 4),
        queues={name: QueueSettings(rng.randint(0, 3)) for name in ("default", "nightly")},
    )
    running = rng.choices(groups, k=rng.randint(0, settings.max_running))
    line = [(number, rng.choice(groups)) for number in range(rng.randint(0, 60))]
    heads: dict[Group, int] = {}
    for number, group in line:
        heads.setdefault(group, number)

    def following(group: Group, after: int) -> int | None:
        return next((number for number, other in line if other == group and number > after), None)

    free = settings.max_running - len(running)
    assert choose(settings, free, running, heads, following) == simply(settings, running, line)


def effort(database: Database, statement: str) -> int:
    """What SQLite has to do for a statement, in tens of its machine's instructions."""
    tens = 0

    def count() -> int:
        nonlocal tens
        tens += 1
        return 0

    with closing(sqlite3.connect(database.url.removeprefix("sqlite:///"))) as connection:
        connection.set_progress_handler(count, 10)
        values = ["node" if "claimed_by = ?" in statement else 1] * statement.count("?")
        connection.execute(statement, values).fetchall()
        connection.rollback()
    return tens


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("filled") / "headland.db"
    upgrade(f"sqlite:///{file}")
    database = Database.at(file)
    submit_to(database, *[f"app-{n % 7}/{('nightly', 'adhoc')[n % 2]}" for n in range(10_000)])
    database.close()
    return file


class TestManyWaiting:
    """10,000 of them."""

    @pytest.fixture
    def database(self, filled: Path, tmp_path: Path) -> Iterator[Database]:
        shutil.copy(filled, tmp_path / "headland.db")
        database = Database.at(tmp_path / "headland.db")
        yield database
        database.close()

    def test_no_statement_goes_through_them_all(self, database):
        line = queue(database, max_running=8, max_running_per_owner=3, queues=NIGHTLY)
        assert line.take(7) == [0, 1, 3, 5, 7, 9, 11, 13]
        database.write_and_wait(lambda connection: store.change(connection, 3, finished_at=1))
        with statements(database) as seen:
            assert line.take(7) == [15]
            database.read(lambda connection: store.claimed_ids(connection, "node"))
            database.read(store.unwanted_ids)
            database.read(waiting.oldest)
            assert queue(database, "other", max_running=1).take(7) == [2]
        for statement in {text for text in seen if "FROM batch" in text or text.startswith("UPDATE")}:
            assert effort(database, statement) < 1_000, statement

    def test_the_measure_tells(self, database):
        """So that the test above can fail."""
        assert effort(database, "SELECT * FROM batch WHERE created_at = 5") > 1_000

    def test_a_full_node_asks_for_the_running_alone(self, database):
        line = queue(database, max_running=2)
        line.take(7)
        with statements(database) as seen:
            assert line.take(7) == []
        assert len(seen) == 1

    def test_each_group_has_its_first(self, database):
        heads = database.read(waiting.heads)
        assert len(heads) == 14
        assert sorted(heads.values()) == list(range(14))
        assert heads[Group("adhoc", "app-1")] == 1
        following = database.read(lambda c: waiting.following(c, Group("adhoc", "app-1"), 1))
        assert following == 15
        assert database.read(lambda c: waiting.following(c, Group("adhoc", "app-1"), 9_999)) is None
