"""Retention: who goes and when, in portions, and run directories that belong to nobody."""

import os
import shutil
import subprocess
import sys
import threading
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import insert, select
from structlog.testing import capture_logs
from tests.databases import ON_BOTH

from headland.database import Database, DatabaseUnavailableError
from headland.jobs.batches import store
from headland.jobs.batches.states import State
from headland.jobs.batches.store import NewBatch
from headland.jobs.batches.tables import batch_submission_key
from headland.jobs.clusters.launch import MARK
from headland.jobs.controller.retention import PAUSE, PORTION, STRAY_AGE, Retention
from headland.jobs.runner.run_directory import RunDirectory
from headland.settings import Home, JobsSettings

pytestmark = ON_BOTH

NOW = 2_000_000_000_000
DAY = 86_400_000


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


@pytest.fixture
def make(database: Database, home: Home) -> Callable[..., Retention]:
    def make(**settings: object) -> Retention:
        return Retention(database, JobsSettings(**settings), home, lambda: NOW)

    return make


@pytest.fixture
def batches(database: Database) -> Callable[..., list[int]]:
    """Create batches that ended at these times; None for one that has not."""

    def batches(*times: int | None) -> list[int]:
        def create(connection):
            made = []
            for at in times:
                row = store.create(connection, NewBatch(uuid.uuid4().hex, None, None, None, b"{}", 1))
                if at is not None:
                    store.change(connection, row.id, state=State.SUCCESS, finished_at=at)
                made.append(row.id)
            return made

        return database.write_and_wait(create)

    return batches


def going(database: Database) -> list[int]:
    return sorted(database.read(store.unwanted_ids))


class TestWhoGoes:
    def test_who_ended_too_long_ago(self, make, batches, database):
        batches(NOW - DAY - 1, NOW - DAY, NOW - DAY + 1, NOW)
        assert not make(keep_ended_for=86_400.0).sweep()
        assert going(database) == [0]
        assert database.read(lambda connection: store.get(connection, 0)).delete_requested_at == NOW

    def test_who_is_too_much_by_the_time_of_the_end(self, make, batches, database):
        batches(NOW - 1, NOW - 5, NOW - 2, NOW - 4, NOW - 3)
        make(keep_ended=3).sweep()
        assert going(database) == [1, 3]

    def test_who_has_not_ended_never_goes_and_does_not_count(self, make, batches, database):
        batches(None, None, 5, None, 6)
        make(keep_ended=1, keep_ended_for=1.0).sweep()
        assert going(database) == [2, 4]
        make(keep_ended=1, keep_ended_for=1.0).sweep()
        assert going(database) == [2, 4]

    def test_who_is_being_deleted_does_not_count(self, make, batches, database):
        batches(NOW - 3, NOW - 2, NOW - 1)
        database.write_and_wait(lambda connection: store.request_delete(connection, 2, 5))
        make(keep_ended=2).sweep()
        assert going(database) == [2]

    def test_0_is_no_limit(self, make, batches, database):
        batches(1, 2, 3)
        assert not make(keep_ended=0, keep_ended_for=0.0).sweep()
        assert going(database) == []

    def test_by_default_what_airflow_may_still_ask_for_is_kept(self, make, batches, database):
        batches(NOW - 29 * DAY, NOW - 31 * DAY)
        make().sweep()
        assert going(database) == [1]


class TestPortions:
    def test_many_go_in_portions(self, make, batches, database):
        batches(*range(1, 2 * PORTION + 11))
        retention = make(keep_ended=7, keep_ended_for=0.0)
        assert retention.sweep()
        assert going(database) == list(range(PORTION))
        assert retention.sweep()
        assert not retention.sweep()
        assert going(database) == list(range(2 * PORTION + 3))

    def test_another_goes_on_where_one_was_cut_short(self, make, batches, database):
        batches(*range(1, PORTION + 11))
        make(keep_ended=5, keep_ended_for=0.0).sweep()
        for batch_id in going(database):
            database.write_and_wait(lambda connection, batch_id=batch_id: store.remove(connection, batch_id))
        make(keep_ended=5, keep_ended_for=0.0).sweep()
        assert going(database) == list(range(PORTION, PORTION + 5))

    def test_it_writes_nothing_where_nobody_goes(self, make, batches, database, monkeypatch):
        batches(NOW, None)
        monkeypatch.setattr(database, "write_and_wait", lambda _change: pytest.fail("it wrote"))
        make(keep_ended=1).sweep()

    def test_submission_keys_go_when_their_time_is_over(self, make, database):
        for key, at in (("old", NOW - DAY - 1), ("new", NOW - DAY)):
            values = {"owner": "", "key": key, "fingerprint": b"", "batch_id": 0, "created_at": at}
            database.write_and_wait(
                lambda connection, values=values: connection.execute(insert(batch_submission_key), values)
            )
        make(submission_key_lifetime=86_400.0).sweep()
        left = database.read(
            lambda connection: connection.execute(select(batch_submission_key.c.key)).scalars().all()
        )
        assert left == ["new"]

    def test_a_database_that_is_gone_is_waited_for(self, make, database, batches, monkeypatch):
        batches(1, 2)
        monkeypatch.setattr(database, "read_snapshot", unavailable)
        pauses: list[float] = []

        class Stopping(threading.Event):
            """Set in the second pause."""

            def wait(self, timeout: float | None = None) -> bool:
                pauses.append(timeout)
                monkeypatch.undo()
                return len(pauses) == 2

        with capture_logs() as logs:
            make(keep_ended=1, keep_ended_for=0.0).run(Stopping())
        assert [entry["event"] for entry in logs] == ["retention.delayed", "retention.marked"]
        assert going(database) == [0]
        assert pauses == [PAUSE, PAUSE]


def unavailable(_query: object) -> None:
    raise DatabaseUnavailableError("gone")


class TestStrays:
    @pytest.fixture
    def directory(self, home: Home) -> Callable[..., RunDirectory]:
        """Make a run directory that was last changed so many milliseconds ago."""

        def directory(key: str = "f" * 32, age: int = STRAY_AGE + 1_000) -> RunDirectory:
            made = RunDirectory(home.batches / key)
            made.work.mkdir(parents=True)
            made.output.write_text("said\n")
            os.utime(made.path, ((NOW - age) / 1000,) * 2)
            return made

        return directory

    def test_where_there_is_no_folder_there_is_nothing_to_clear(self, make):
        make().clear_strays()

    def test_a_directory_of_nobody_goes(self, make, directory):
        stray = directory()
        make().clear_strays()
        assert not stray.path.exists()

    def test_a_batchs_directory_stays(self, make, directory, batches, database):
        (batch_id,) = batches(5)
        kept = directory(database.read(lambda connection: store.get(connection, batch_id)).run_key)
        make().clear_strays()
        assert kept.output.read_text() == "said\n"

    def test_a_young_one_stays(self, make, directory):
        young = directory(age=STRAY_AGE - 1_000)
        make().clear_strays()
        assert young.path.exists()

    def test_what_is_no_run_directory_stays(self, make, directory, home):
        others = [directory("notes"), directory("F" * 32)]
        link = home.batches / ("e" * 32)
        link.symlink_to(others[0].path)
        make().clear_strays()
        assert all(other.path.exists() for other in others)
        assert link.is_symlink()

    def test_one_with_a_runner_at_work_stays(self, make, directory):
        busy = directory()
        lock = busy.take_lock()
        os.utime(busy.path, (0, 0))
        make().clear_strays()
        assert busy.path.exists()
        os.close(lock)
        os.utime(busy.path, (0, 0))
        make().clear_strays()
        assert not busy.path.exists()

    @pytest.mark.skipif(sys.platform != "linux", reason="marks are read from /proc")
    def test_what_its_runner_left_running_ends(self, make, directory):
        key = uuid.uuid4().hex
        stray = directory(key)
        stray.launched.write_text("{}")
        os.utime(stray.path, (0, 0))
        with subprocess.Popen(["/bin/sleep", "600"], env={MARK: key}) as left:
            make().clear_strays()
            assert left.wait(20) == -9
        assert not stray.path.exists()

    def test_one_that_can_not_be_removed_does_not_keep_the_others(self, make, directory, monkeypatch):
        stuck, other = directory("a" * 32), directory("b" * 32)
        remove = shutil.rmtree

        def rmtree(path, *arguments, **options):
            if path == stuck.path:
                raise PermissionError(1, "not permitted", str(path))
            remove(path, *arguments, **options)

        monkeypatch.setattr(shutil, "rmtree", rmtree)
        with capture_logs() as logs:
            make().clear_strays()
        assert stuck.path.exists()
        assert not other.path.exists()
        assert [entry["event"] for entry in logs] == [
            "retention.stray_not_removed",
            "retention.stray_removed",
        ]
