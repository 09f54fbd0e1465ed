"""Jobs and who does them: states, failures, and what becomes of what a killed worker has begun."""

from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec import Struct
from sqlalchemy import Connection

from headland.database import DatabaseUnavailableError
from headland.farm.stores import Shelf, Stores
from headland.farm.work import jobs, rows, worker
from headland.farm.work.kinds import Kind, LastStep, WorkError
from headland.farm.work.pending import Pending
from headland.farm.work.rows import Job
from headland.farm.work.states import TRANSITIONS, Event, State
from headland.farm.work.turns import Turns
from headland.farm.work.worker import MOST_ATTEMPTS, Worker


class Wanted(Struct, frozen=True):
    """What a test's job is given."""

    text: str = "x"


class Clock:
    now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


Run = Callable[[Turns, Wanted], LastStep]


class Place:
    """A store with jobs, and workers that do them."""

    def __init__(self, root: Path, shelf: Shelf, stores: Stores, monkeypatch: pytest.MonkeyPatch) -> None:
        self.clock = Clock()
        self.shelf = shelf
        self.pending = Pending(root.parent / "pending", self.clock)
        self.monkeypatch = monkeypatch
        stores.lay_out("one")
        self.store = stores.open("one")

    def ask(self, job_id: str) -> None:
        self.pending.note("one")
        now = int(self.clock() * 1000)
        self.store.write_and_wait(
            lambda c: jobs.start(c, job_id, "test", Wanted(job_id), message="asked", by="me", now=now)
        )

    def worker(self, run: Run) -> Worker:
        self.monkeypatch.setattr(worker, "KINDS", {"test": Kind("test", Wanted, run)})
        return Worker(self.pending, Stores(self.shelf), clock=self.clock)

    def job(self, job_id: str) -> Job:
        found = self.store.read(lambda connection: rows.find(connection, job_id))
        assert found is not None
        return found


@pytest.fixture
def place(root: Path, shelf: Shelf, stores: Stores, monkeypatch: pytest.MonkeyPatch) -> Place:
    return Place(root, shelf, stores, monkeypatch)


def test_what_has_ended_stays_so() -> None:
    for state in State:
        leaving = [event for event in Event if (state, event) in TRANSITIONS]
        assert bool(leaving) != state.ended
    assert TRANSITIONS[State.RUNNING, Event.GIVEN_UP] is State.FAILED


def test_the_oldest_comes_first(place: Place) -> None:
    for job_id in ("job-b", "job-c", "job-a"):
        place.clock.now += 1
        place.ask(job_id)
    done: list[str] = []

    def run(_turns: Turns, wanted: Wanted) -> LastStep:
        def last(_connection: Connection) -> str:
            done.append(wanted.text)
            place.clock.now += 2
            return f"did {wanted.text}"

        return last

    place.worker(run).work()
    assert done == ["job-b", "job-c", "job-a"]
    job = place.job("job-b")
    assert (job.state, job.message, job.error_code) == (State.SUCCEEDED, "did job-b", None)
    assert job.ended is not None
    assert job.started is not None
    assert job.ended - job.started == 2000


def test_work_that_can_not_be_done(place: Place) -> None:
    place.ask("job-1")

    def run(_turns: Turns, _wanted: Wanted) -> LastStep:
        raise WorkError("NoSuchColumn", "There is no column 'x'.")

    place.worker(run).work()
    job = place.job("job-1")
    assert (job.state, job.message, job.error_code) == (
        State.FAILED,
        "There is no column 'x'.",
        "NoSuchColumn",
    )
    assert job.ended


@pytest.mark.parametrize("at_last", [False, True])
def test_an_error_of_our_own_is_the_jobs_end(place: Place, at_last: bool) -> None:
    place.ask("job-1")
    place.ask("job-2")

    def run(_turns: Turns, wanted: Wanted) -> LastStep:
        def last(connection: Connection) -> str:
            if wanted.text == "job-1":
                rows.find(connection, "x")
                raise ZeroDivisionError("secret")
            return "fine"

        if not at_last and wanted.text == "job-1":
            raise ZeroDivisionError("secret")
        return last

    place.worker(run).work()
    job = place.job("job-1")
    assert (job.state, job.error_code) == (State.FAILED, "InternalServerError")
    assert "secret" not in job.message
    assert place.job("job-2").state is State.SUCCEEDED


class KilledError(BaseException):
    """Stands for the end of a process."""


def test_what_a_dead_worker_has_begun_is_begun_again(place: Place) -> None:
    place.ask("job-1")

    def die(_turns: Turns, _wanted: Wanted) -> LastStep:
        raise KilledError

    with pytest.raises(KilledError):
        place.worker(die).work()
    begun = place.job("job-1")
    assert begun.state is State.RUNNING
    place.clock.now += 60
    place.worker(lambda _turns, _wanted: lambda _connection: "done").work()
    job = place.job("job-1")
    assert (job.state, job.message, job.attempts) == (State.SUCCEEDED, "done", 2)
    assert job.started == begun.started


def test_a_job_that_kills_whoever_does_it_is_given_up(place: Place) -> None:
    place.ask("job-1")
    attempts = 0

    def die(_turns: Turns, _wanted: Wanted) -> LastStep:
        nonlocal attempts
        attempts += 1
        raise KilledError

    for _ in range(MOST_ATTEMPTS):
        with pytest.raises(KilledError):
            place.worker(die).work()
    place.worker(die).work()
    assert attempts == MOST_ATTEMPTS
    job = place.job("job-1")
    assert (job.state, job.error_code) == (State.FAILED, "Interrupted")


def test_a_database_that_is_away_is_waited_for(place: Place) -> None:
    place.ask("job-1")
    away = True

    def run(_turns: Turns, _wanted: Wanted) -> LastStep:
        if away:
            raise DatabaseUnavailableError("locked")
        return lambda _connection: "done"

    patient = place.worker(run)
    for _ in range(2 * MOST_ATTEMPTS):
        patient.work()
    assert place.job("job-1").state is State.RUNNING
    away = False
    patient.work()
    assert place.job("job-1").state is State.SUCCEEDED


def test_a_worker_that_is_stopped_leaves_the_job_to_the_next(place: Place) -> None:
    place.ask("job-1")
    stopped = False

    def run(turns: Turns, _wanted: Wanted) -> LastStep:
        nonlocal stopped
        turns.take(lambda _connection: None)
        if not stopped:
            stopped = True
            worker.stop()
        turns.take(lambda _connection: None)
        return lambda _connection: "done"

    worker = place.worker(run)
    worker.work()
    job = place.job("job-1")
    # It is not taken for one that died of it.
    assert (job.state, job.attempts, job.ended) == (State.WAITING, 0, None)
    place.worker(run).work()
    job = place.job("job-1")
    assert (job.state, job.attempts) == (State.SUCCEEDED, 1)


def test_two_workers_do_not_meet(place: Place) -> None:
    place.ask("job-1")
    done = []

    def run(_turns: Turns, wanted: Wanted) -> LastStep:
        Worker(place.pending, Stores(place.shelf), clock=place.clock).work()
        done.append(wanted.text)
        return lambda _connection: "done"

    place.worker(run).work()
    assert done == ["job-1"]


def test_an_instance_that_is_gone_has_nothing_to_do(place: Place, stores: Stores) -> None:
    place.ask("job-1")
    stores.remove("one")
    place.worker(lambda _turns, _wanted: lambda _connection: "done").work()
    assert place.pending.noted() == []


def test_the_thread_is_woken(place: Place) -> None:
    place.worker(lambda _turns, _wanted: lambda _connection: "done")
    thread = Worker(place.pending, Stores(place.shelf), clock=place.clock)
    thread.start()
    place.ask("job-1")
    place.pending.wake()
    while not place.job("job-1").state.ended:
        place.pending.wait(0.0)
    thread.stop()
