"""What becomes of a batch by what its cluster's manager says, and by its silence."""

from dataclasses import replace

import msgspec
import pytest

from headland.jobs.batches import store, submission
from headland.jobs.batches.states import State
from headland.jobs.batches.submission import Submission
from headland.jobs.clusters.manager import Application, ManagerUnreachableError, Phase, UndecidedError
from headland.jobs.controller.following import FINAL_WORD, LONGEST_PAUSE, UNWANTED_PATIENCE, Following
from headland.jobs.runner.run_directory import RunDirectory
from headland.settings import JobsSettings

MASTER = "spark://head:7077"
RUNNING = Application(
    "driver-1", Phase.RUNNING, "app-1", "http://w/log", "http://d:4040", host="w", started_at=7
)
SETTINGS = JobsSettings(master=MASTER, deploy_mode="cluster", poll_interval=5.0, lookup_patience=120.0)


class Manager:
    """A manager that says what the test wants it to say."""

    def __init__(self) -> None:
        self.says: Application | Exception | None = RUNNING
        self.log: list[bytes] | Exception = [b"harvested\n"]
        self.asked: list[tuple[str, str | None]] = []
        self.killed: list[str] = []

    def find(self, tag, handle):
        self.asked.append((tag, handle))
        if isinstance(self.says, Exception):
            raise self.says
        return self.says

    def kill(self, application):
        self.killed.append(application.handle)

    def driver_log(self, application):
        if isinstance(self.log, Exception):
            raise self.log
        yield from self.log


class Clusters:
    """One cluster with that manager."""

    def __init__(self, manager: Manager) -> None:
        self._manager = manager

    def placed(self, request):
        return request

    def manager(self, request):
        return self._manager


class Batch:
    """One detached batch, and who follows it. Time stands still until the test lets it go on."""

    def __init__(self, database, tmp_path, manager: Manager, row) -> None:
        self.database, self.manager, self.id = database, manager, row.id
        self.directory = RunDirectory(tmp_path / row.run_key)
        self.directory.path.mkdir()
        self.directory.write(self.directory.launched, {})
        self.now = 1_000.0
        self.endings, self.forgotten = [], []
        self.following = Following(
            database,
            Clusters(manager),
            SETTINGS,
            lambda: 99_000,
            lambda row: self.directory,
            finish=lambda row, directory, ending: self.endings.append(ending),
            forget=lambda row, directory: self.forgotten.append(row.id),
            monotonic=lambda: self.now,
            background=False,
        )

    def row(self):
        return self.database.read(lambda connection: store.get(connection, self.id))

    def change(self, **values) -> None:
        self.database.write_and_wait(lambda connection: store.change(connection, self.id, **values))

    def submitter(self, exit_code=0, killed=False, signal=None) -> None:
        record = {"exit_code": exit_code, "signal": signal, "killed": killed, "problem": None, "at": 5_000}
        self.directory.write(self.directory.exit, record)

    def look(self, says: Application | Exception | None, after: float = 0.0) -> float | None:
        """One look, `after` seconds after the last, at a manager that says this; how long until the next."""
        self.now += after
        self.manager.says = says
        self.following.mind(self.row())
        return self.following.look()

    @property
    def ending(self):
        (ending,) = self.endings
        return ending


@pytest.fixture
def batch(database, tmp_path) -> Batch:
    request = Submission("/a.jar", "demo.App", master=MASTER, deploy_mode="cluster")
    new = store.NewBatch("0123456789abcdef", None, None, None, submission.encode(request), 1_000)
    row = database.write_and_wait(lambda connection: store.create(connection, new))
    batch = Batch(database, tmp_path, Manager(), row)
    batch.change(claimed_by="node", detached_at=2_000, handle="driver-1")
    batch.submitter()
    return batch


class TestLife:
    def test_waiting_is_starting(self, batch):
        assert batch.look(replace(RUNNING, phase=Phase.WAITING, app_id=None)) == 5.0
        assert (batch.row().state, batch.row().app_id) == (State.STARTING, None)
        assert batch.manager.asked == [("headland-0123456789abcdef", "driver-1")]

    def test_running_is_running_and_all_is_told(self, batch):
        batch.look(RUNNING)
        row = batch.row()
        assert (row.state, row.started_at, row.app_id) == (State.RUNNING, 7, "app-1")
        assert msgspec.json.decode(row.app_info) == {
            "driverLogUrl": "http://w/log",
            "sparkUiUrl": "http://d:4040",
            "executorLogUrls": None,
        }

    def test_a_handle_that_was_not_known_is_kept(self, batch):
        batch.change(handle=None)
        batch.look(RUNNING)
        assert batch.row().handle == "driver-1"

    def test_it_is_asked_after_at_the_interval_and_not_before(self, batch):
        batch.look(RUNNING)
        batch.look(RUNNING, after=4.9)
        assert len(batch.manager.asked) == 1
        assert batch.look(RUNNING, after=0.1) == 5.0
        assert len(batch.manager.asked) == 2

    @pytest.mark.parametrize(
        ("phase", "status", "code"),
        [(Phase.SUCCEEDED, "SUCCEEDED", 0), (Phase.FAILED, "FAILED", None), (Phase.KILLED, "KILLED", None)],
    )
    def test_an_end_is_the_managers_word_with_the_drivers_log(self, batch, phase, status, code):
        batch.directory.output.write_bytes(b"submitted\n")
        assert batch.look(replace(RUNNING, phase=phase)) is None
        assert (batch.ending.final_status, batch.ending.exit_code) == (status, code)
        assert batch.ending.application.host == "w"
        assert batch.directory.output.read_bytes() == b"submitted\nharvested\n"
        assert batch.manager.killed == []

    def test_the_cause_of_a_failure_is_looked_for_in_the_drivers_log(self, batch):
        batch.manager.log = [b'Exception in thread "main" demo.SeedError: none left\n']
        batch.look(replace(RUNNING, phase=Phase.FAILED))
        assert batch.ending.diagnostics == "The application threw demo.SeedError: none left"

    def test_a_managers_own_words_are_the_cause_where_it_has_some(self, batch):
        batch.look(replace(RUNNING, phase=Phase.FAILED, diagnostics="container lost"))
        assert batch.ending.diagnostics == "container lost"

    def test_the_log_is_waited_for_and_then_done_without(self, batch):
        batch.manager.log = ManagerUnreachableError("w:8081: refused")
        ended = replace(RUNNING, phase=Phase.SUCCEEDED)
        batch.look(ended)
        batch.look(ended, after=119)
        assert batch.endings == []
        batch.look(ended, after=5)
        assert batch.ending.final_status == "SUCCEEDED"
        assert b"the driver's log can't be had: w:8081: refused" in batch.directory.output.read_bytes()


class TestSilence:
    def test_a_lost_manager_says_nothing_of_its_applications(self, batch):
        batch.look(RUNNING)
        silence = ManagerUnreachableError("head:8080: refused")
        pauses = [batch.look(silence, after=pause) for pause in [5, 5, 10, 20, 40, 60, 60]]
        assert pauses == [5, 10, 20, 40, LONGEST_PAUSE, LONGEST_PAUSE, LONGEST_PAUSE]
        batch.now += 1_000_000
        assert (batch.row().state, batch.endings) == (State.RUNNING, [])
        batch.look(replace(RUNNING, phase=Phase.SUCCEEDED))
        assert batch.ending.final_status == "SUCCEEDED"

    def test_while_it_pauses_nobody_asks(self, batch):
        batch.look(ManagerUnreachableError("refused"))
        batch.change(kill_requested_at=1)
        batch.look(RUNNING, after=4.9)
        assert len(batch.manager.asked) == 1
        batch.look(RUNNING, after=0.1)
        assert batch.manager.killed == ["driver-1"]


class TestUnknown:
    def test_it_may_turn_up(self, batch):
        batch.change(handle=None)
        batch.look(None)
        batch.look(None, after=119)
        batch.look(RUNNING, after=5)
        assert (batch.row().state, batch.endings) == (State.RUNNING, [])
        batch.look(None, after=5)
        batch.look(None, after=119)
        assert batch.endings == [], "the patience begins anew"

    def test_after_some_patience_it_is_dead(self, batch):
        batch.look(None)
        batch.look(None, after=120)
        assert batch.ending.final_status == "FAILED"
        assert batch.ending.diagnostics == (
            "The cluster's manager has not known the application driver-1 for 120 seconds; "
            "how it ended is not known."
        )

    def test_where_the_manager_can_not_tell_it_is_waited_for(self, batch):
        batch.change(handle=None)
        for _ in range(100):
            batch.look(UndecidedError("a driver has no worker"), after=5)
        assert batch.endings == []
        assert len(batch.manager.asked) == 100, "it answers, and is asked at the usual interval"

    def test_a_submitter_that_was_refused_says_why(self, batch):
        batch.change(handle=None)
        batch.submitter(exit_code=1)
        batch.directory.output.write_bytes(b"Error: no such master\n")
        batch.look(None)
        assert batch.ending.diagnostics == "Spark refused it: no such master"
        assert batch.ending.exit_code == 1

    def test_a_submitter_that_failed_does_not_count_where_the_application_is_there(self, batch):
        batch.submitter(exit_code=1)
        batch.look(RUNNING)
        assert (batch.row().state, batch.endings) == (State.RUNNING, [])

    @pytest.mark.parametrize("lost", ["killed", "without a record"])
    def test_a_submitter_that_was_lost_may_have_submitted(self, batch, lost):
        batch.change(handle=None)
        batch.directory.exit.unlink()
        if lost == "killed":
            batch.submitter(exit_code=None, signal=9)
        batch.look(None)
        assert batch.endings == []
        batch.look(None, after=120)
        assert "an application of this batch for 120 seconds" in batch.ending.diagnostics

    def test_nobody_waits_long_for_what_is_not_wanted(self, batch):
        batch.change(handle=None, kill_requested_at=1)
        batch.submitter(exit_code=143, killed=True)
        batch.look(None)
        batch.look(None, after=UNWANTED_PATIENCE)
        assert batch.ending.final_status == "KILLED"


class TestUnwanted:
    def test_it_is_killed_and_ends_when_the_manager_says_so(self, batch):
        batch.look(RUNNING)
        batch.change(kill_requested_at=1)
        assert batch.look(RUNNING, after=0.1) < 1, "somebody waits for it"
        assert (batch.manager.killed, batch.endings) == (["driver-1"], [])
        batch.look(replace(RUNNING, phase=Phase.KILLED), after=0.2)
        assert batch.ending.final_status == "KILLED"
        assert batch.ending.diagnostics == "The batch was killed on request."

    @pytest.mark.parametrize(("phase", "status"), [(Phase.FAILED, "KILLED"), (Phase.SUCCEEDED, "SUCCEEDED")])
    def test_how_it_went_counts(self, batch, phase, status):
        batch.change(kill_requested_at=1)
        batch.look(RUNNING)
        batch.look(replace(RUNNING, phase=phase), after=1)
        assert batch.ending.final_status == status

    def test_the_wish_is_repeated_now_and_then(self, batch):
        batch.change(kill_requested_at=1)
        for _ in range(11):
            batch.look(RUNNING, after=1)
        assert batch.manager.killed == ["driver-1"]
        batch.look(RUNNING, after=1)
        assert batch.manager.killed == ["driver-1"] * 2

    def test_a_final_word_is_not_waited_for_for_ever(self, batch):
        batch.change(kill_requested_at=1)
        batch.look(RUNNING)
        batch.look(RUNNING, after=FINAL_WORD)
        assert batch.endings == []
        batch.look(RUNNING, after=1)
        assert batch.ending.final_status == "KILLED"
        assert "has not said that driver-1 is gone" in batch.ending.diagnostics

    def test_what_is_deleted_is_killed_and_forgotten(self, batch):
        batch.database.write_and_wait(lambda connection: store.request_delete(connection, batch.id, 1))
        batch.look(RUNNING)
        assert (batch.manager.killed, batch.forgotten) == (["driver-1"], [])
        batch.look(replace(RUNNING, phase=Phase.KILLED), after=1)
        assert (batch.forgotten, batch.endings) == ([batch.id], [])
        assert not batch.directory.output.exists(), "nobody is going to read the log"


def test_a_batch_that_is_gone_is_not_asked_after(batch):
    batch.following.mind(batch.row())
    batch.database.write_and_wait(lambda connection: store.remove(connection, batch.id))
    assert batch.following.look() is None
    assert batch.manager.asked == []
