"""Blows at random moments of batches' lives: each batch runs exactly once, or its state says why not.

The seed is printed; `FAULT_SEED` repeats the plan of a run, `FAULT_ROUNDS` makes it longer. A third of the
rounds runs real Spark, the rest a tiny program in the place of Java, whose whole life is a few tenths of a second.
"""

import contextlib
import os
import random
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest
from tests.faults import machine, tiny
from tests.faults.blows import recovered
from tests.faults.conftest import tiny_served
from tests.faults.tiny import Gates
from tests.serving import FINAL, Served, eventually

ROUNDS = int(os.environ.get("FAULT_ROUNDS", "12"))
SEED = int(os.environ.get("FAULT_SEED", time.time_ns() % 1_000_000))

#: Rounds after which the service is started anew whatever happens: its supervisor gives up when a process ends
#: too often in too short a time, as it should.
_FRESH = 3

#: Batches that may wait before the next round: the blows are to fall on batches at work.
_MOST_UNFINISHED = 4


@dataclass(frozen=True)
class Round:
    """What one round does. All of it is drawn before the first begins."""

    blow: str
    #: Seconds from the first submission to the blow.
    delay: float
    #: Seconds from there to a submission that may not be acknowledged any more.
    racing: float
    #: Which of several processes or batches is hit, from 0 to 1.
    victim: float


@dataclass
class Submitted:
    """A batch that was acknowledged."""

    id: int
    mark: Path
    key: str
    #: What was killed of it by itself.
    hit: list[str] = field(default_factory=list)

    @property
    def runs(self) -> int:
        return runs(self.mark)


def runs(mark: Path) -> int:
    return mark.read_text().count("run") if mark.exists() else 0


@dataclass
class Trial:
    """Rounds on one home, and what was acknowledged in them."""

    served: Served
    #: Submits a batch that leaves its mark in a file.
    submit: Callable[[Path], httpx.Response]
    marks_in: Path
    batches: list[Submitted] = field(default_factory=list)
    #: Marks of all submissions, acknowledged or not.
    marks: list[Path] = field(default_factory=list)
    blows: int = 0

    def run(self, plan: list[Round]) -> None:
        for number, each in enumerate(plan):
            if number % _FRESH == 0 and number:
                self.served.stop()
                self.served.start()
            eventually(lambda: len(self._unfinished()) <= _MOST_UNFINISHED, "earlier batches have ended")
            self._submit()
            racing = threading.Timer(max(0.0, each.delay + each.racing), self._submit)
            racing.start()
            time.sleep(each.delay)
            hit = getattr(self, f"_{each.blow}")(each)
            racing.join()
            recovered(self.served)
            print(f"round {number}: {each.blow} after {each.delay:.2f} s{hit or ''}", flush=True)
            self.blows += 1

    def _submit(self) -> None:
        """One that finds nobody there, or whose answer is lost, was not acknowledged."""
        mark = self.marks_in / f"mark-{time.monotonic_ns()}"
        self.marks.append(mark)
        with contextlib.suppress(httpx.TransportError, RuntimeError):
            answer = self.submit(mark)
            if answer.status_code == 201:
                batch = int(answer.json()["id"])
                key = self.served.run_directory(batch).name
                self.batches.append(Submitted(batch, mark, key))

    def _unfinished(self) -> list[Submitted]:
        connection = sqlite3.connect(f"file:{self.served.home / 'headland.db'}?mode=ro", uri=True)
        with contextlib.closing(connection):
            rows = connection.execute("SELECT id FROM batch WHERE finished_at IS NULL").fetchall()
        left = {batch for (batch,) in rows}
        return [batch for batch in self.batches if batch.id in left]

    def _web(self, each: Round) -> None:
        listeners = machine.web(self.served)
        victim = listeners[int(each.victim * len(listeners))]
        workers = machine.children(victim)
        machine.kill(victim)
        # They end by themselves, and till then they answer: the service would be taken for recovered.
        eventually(lambda: all(map(machine.ended, workers)), "its workers have ended")

    def _controller(self, _each: Round) -> None:
        machine.kill(machine.controller(self.served))

    def _both(self, _each: Round) -> None:
        machine.kill(machine.controller(self.served), *machine.web(self.served))

    def _all(self, _each: Round) -> None:
        self.served.kill()
        self.served.start()

    def _runner(self, each: Round) -> str:
        return self._hit(each, "runner", machine.runner)

    def _jvm(self, each: Round) -> str:
        return self._hit(each, "jvm", machine.program)

    def _lock(self, _each: Round) -> None:
        """Another process writes for longer than the service waits."""
        connection = sqlite3.connect(self.served.home / "headland.db", isolation_level=None, timeout=30)
        with contextlib.closing(connection):
            connection.execute("BEGIN IMMEDIATE")
            time.sleep(1)
            connection.execute("ROLLBACK")

    def _hit(self, each: Round, what: str, find: Callable[[str], int | None]) -> str:
        """Kill a process of one batch, if there is one at this moment."""
        unfinished = self._unfinished()
        start = int(each.victim * len(unfinished))
        for batch in unfinished[start:] + unfinished[:start]:
            if pid := find(batch.key):
                batch.hit.append(what)
                machine.kill(pid)
                return f", of batch {batch.id}"
        return ", of none: there was none"

    def check(self) -> None:
        for batch in self.batches:
            eventually(
                lambda batch=batch: self.served.state(batch.id) in FINAL, f"batch {batch.id} has ended"
            )
        listed = self.served.public.get("/livy/batches", params={"size": 10_000}).json()["sessions"]
        ids = [item["id"] for item in listed]
        assert ids == sorted(set(ids))
        assert {batch.id for batch in self.batches} <= set(ids)
        for batch in self.batches:
            self._check(batch)
        assert max(map(runs, self.marks)) == 1
        assert machine.uncollected(machine.controller(self.served)) == []

    def _check(self, batch: Submitted) -> None:
        lines = self.served.lines(batch.id)
        state = self.served.state(batch.id)
        told = (batch, state, lines)
        if batch.hit:
            # It may have been over when it was hit, or not have begun.
            assert (state, batch.runs) in {("success", 1), *_HIT[batch.hit[0]]} or len(batch.hit) > 1, told
            assert batch.runs <= 1, told
        else:
            assert (state, batch.runs) == ("success", 1), told
        if state == "success":
            assert sum(line in ("lingered", tiny.LAST_LINE) for line in lines) == 1, told
        assert lines[-1].endswith(f"no process of batch {batch.id} is left"), told
        assert machine.bearers(batch.key) == [], told
        assert not self.served.run_directory(batch.id).joinpath("staged").exists()


#: States and numbers of runs of a batch of which only this was killed, besides the good end.
_HIT = {
    "runner": {("dead", 0), ("dead", 1)},
    "jvm": {("killed", 0), ("killed", 1)},
}

BLOWS = ("web", "controller", "both", "all", "runner", "jvm", "lock")


def plan(rng: random.Random, rounds: int, span: float) -> list[Round]:
    """`span` is how long a batch takes from its acknowledgement to its end, in seconds."""
    return [
        Round(
            blow=rng.choice(BLOWS),
            delay=rng.uniform(0, span),
            racing=rng.uniform(-0.05, 0.05),
            victim=rng.random(),
        )
        for _ in range(rounds)
    ]


@pytest.fixture
def closing() -> Iterator[list[Served]]:
    opened: list[Served] = []
    yield opened
    for served in opened:
        served.close()


@pytest.mark.spark
@pytest.mark.long
@pytest.mark.timeout(120 + 20 * ROUNDS)
def test_spark_runs_exactly_once(probe: Path, tmp_path: Path, closing: list[Served]) -> None:
    served = Served(tmp_path / "home", jobs_max_running="2", database_busy_timeout="0.5")
    closing.append(served)
    served.start()
    file = served.put(probe, "jars/probe.jar")

    def submit(mark: Path) -> httpx.Response:
        arguments = ["linger", str(mark), "1"]
        return served.submit(file=file, className="headland.tests.Probe", args=arguments)

    _run(Trial(served, submit, tmp_path), "spark", ROUNDS - 2 * ROUNDS // 3, 6.0)


@pytest.mark.timeout(120 + 10 * ROUNDS)
def test_a_tiny_program_runs_exactly_once(tmp_path: Path, closing: list[Served]) -> None:
    served = tiny_served(tmp_path)
    closing.append(served)
    served.start()
    archive = tmp_path / "app.jar"
    tiny.archive(archive)
    file = served.put(archive, "app.jar")

    def submit(mark: Path) -> httpx.Response:
        gates = Gates.make(mark.with_name(f"gates-{mark.name}"))
        (gates.folder / "mark").symlink_to(mark)
        return served.submit(file=file, className="org.example.Main", args=[str(gates.folder)])

    _run(Trial(served, submit, tmp_path), "tiny", 2 * ROUNDS // 3, 0.4)


def _run(trial: Trial, name: str, rounds: int, span: float) -> None:
    print(f"{name}: FAULT_SEED={SEED}, {rounds} rounds", flush=True)
    trial.run(plan(random.Random(f"{SEED} {name}"), rounds, span))
    trial.check()
    print(f"{name}: {trial.blows} blows, {len(trial.batches)} batches acknowledged", flush=True)
