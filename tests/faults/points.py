"""Points of a batch's life, and how one is held there: the process that would take the next step stands still.

| point | what is the case | what holds it |
| --- | --- | --- |
| accepted | the row is committed, nobody has taken it on | the controller stands still |
| claimed | the row bears the node's name; nothing is staged | the run directory's lock is held |
| spawned | a runner was started and has not started its program | the runner stands still |
| starting | the JVM's process is there, its application has not begun | the gate `start` |
| running | the application is at work | the gate `end` |
| finishing | the program has ended, its runner has not noticed | the runner stands still |
| recorded | `exit.json` is written, the row knows nothing of it | the controller stands still |
| finished | the row has its final state | nothing: it stays so |
| deleting | a running batch is to be deleted, nothing is done about it yet | the controller stands still |
"""

import contextlib
import fcntl
import os
import sqlite3
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from tests.faults import machine, tiny
from tests.faults.sessions import Sessions
from tests.faults.tiny import END, START, Gates
from tests.serving import Served, eventually

from headland.jobs.runner.run_directory import RunDirectory

#: In the order in which they are reached for: what needs a controller at work comes first.
POINTS = (
    "starting",
    "running",
    "finished",
    "finishing",
    "spawned",
    "claimed",
    "recorded",
    "deleting",
    "accepted",
)

#: Batches that are tried until one is caught between its runner's start and its program's.
_TRIES = 20


@dataclass
class Held:
    """A batch that the service has acknowledged."""

    id: int
    gates: Gates
    directory: RunDirectory

    @property
    def key(self) -> str:
        return self.directory.path.name


@dataclass
class Scene:
    """A batch held at each point at once, in one served Headland whose Java is the tiny program."""

    served: Served
    folder: Path
    batches: dict[str, Held] = field(default_factory=dict)
    #: Batches that were to be caught somewhere and got away: nothing less is asked of them.
    others: list[Held] = field(default_factory=list)
    #: Processes that have nothing to do with Headland.
    strangers: list["subprocess.Popen[bytes]"] = field(default_factory=list)
    sessions: Sessions = field(init=False)
    _frozen: list[int] = field(default_factory=list)
    _lock: int | None = None

    def __post_init__(self) -> None:
        self.sessions = Sessions(self.served, self.folder)

    def set_up(self) -> None:
        """Returns when every batch and session is where it is to be, and the controller stands still."""
        self.put_archive()
        self.sessions.begin()
        controller = machine.controller(self.served)
        self.batches = {
            point: self.submit(*closed)
            for point, closed in (
                ("starting", (START, END)),
                ("running", (END,)),
                ("finishing", (END,)),
                ("recorded", (END,)),
                ("deleting", (END,)),
                ("finished", ()),
            )
        }
        self._await("starting", lambda held: held.directory.application.exists())
        for point in ("running", "finishing", "recorded", "deleting"):
            self._await(point, _at_work)
            self.served.wait(self.batches[point].id, "running")
        self.served.wait(self.batches["finished"].id, "success")
        self._finish_unnoticed(self.batches["finishing"])
        self.batches["spawned"] = self.catch_spawned(controller)
        self.freeze(controller)
        self.batches["claimed"] = self._hold_claimed(controller)
        self.batches["recorded"].gates.open(END)
        self._await("recorded", lambda held: held.directory.exit.exists())
        self._ask_to_delete(self.batches["deleting"].id)
        self.batches["accepted"] = self.submit()
        self.sessions.end()
        self._verify()

    def put_archive(self) -> None:
        tiny.archive(self.folder / "app.jar")
        self.served.put(self.folder / "app.jar", "app.jar")

    def submit(self, *closed: str) -> Held:
        """A batch whose program stops at the gates that are `closed`."""
        gates = Gates.make(self.folder / f"gates-{len(os.listdir(self.folder))}", *closed)  # noqa: PTH208
        body = {"file": "wasbs:///app.jar", "className": "org.example.Main", "args": [str(gates.folder)]}
        batch = self.served.submit(**body).json()["id"]
        return Held(batch, gates, RunDirectory(self.served.run_directory(batch)))

    def freeze(self, pid: int) -> None:
        """Have it stand still, though not within a write, which would hold up all others that write."""

        def stands_still() -> bool:
            machine.freeze(pid)
            if _takes_writes(self.served.home / "headland.db"):
                return True
            machine.thaw(pid)
            return False

        eventually(stands_still, f"{pid} stands still between writes")
        self._frozen.append(pid)

    def let_controller_on(self) -> None:
        """Let the controller on, if it is still the one that was held."""
        machine.thaw(machine.controller(self.served))

    def release(self) -> None:
        """Hold nothing any more. May be called again."""
        for pid in self._frozen:
            machine.thaw(pid)
        self._frozen.clear()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None
        for held in [*self.batches.values(), *self.others]:
            held.gates.open(START, END)
        self.sessions.release()

    def stranger(self) -> "subprocess.Popen[bytes]":
        self.strangers.append(subprocess.Popen(["sleep", "600"]))
        return self.strangers[-1]

    def close(self) -> None:
        self.release()
        for stranger in self.strangers:
            stranger.kill()
            stranger.wait()
        for held in [*self.batches.values(), *self.others]:
            held.gates.close()
        self.sessions.close()

    @property
    def directories(self) -> list[RunDirectory]:
        """Of all batches and sessions that are held."""
        held = [*self.batches.values(), *self.sessions.held.values()]
        return [each.directory for each in held]

    def row(self, batch: int) -> dict[str, Any] | None:
        """The batch's row, as it is in the file."""
        return row(self.served.home / "headland.db", batch)

    def _await(self, point: str, there: Callable[[Held], object]) -> None:
        held = self.batches[point]
        eventually(lambda: there(held), f"batch {held.id} is {point}")

    def _finish_unnoticed(self, held: Held) -> None:
        program, runner = machine.program(held.key), machine.runner(held.key)
        assert program is not None
        assert runner is not None
        self.freeze(runner)
        held.gates.open(END)
        eventually(lambda: machine.ended(program), "the program has ended")

    def catch_spawned(self, controller: int) -> Held:
        """A batch whose runner stands still before it has started its program."""
        for _ in range(_TRIES):
            known = set(machine.children(controller))
            held = self.submit()
            # It has some 20 milliseconds until then, and may have come and gone between two looks.
            runner = eventually(
                lambda known=known, held=held: (
                    _new_runner(controller, known) or (held.directory.exit.exists() and _GONE)
                ),
                "a runner was started",
                pause=0.001,
            )
            if runner != _GONE and self._stopped(runner, held):
                return held
            self.others.append(held)
        raise AssertionError(f"no runner of {_TRIES} was caught before it started its program")

    def _stopped(self, runner: int, held: Held) -> bool:
        """Whether the runner stands still now, before it has started its program."""
        try:
            machine.freeze(runner)
        except ProcessLookupError:
            return False
        if held.directory.launched.exists() or machine.ended(runner):
            machine.thaw(runner)
            return False
        self._frozen.append(runner)
        return True

    def _hold_claimed(self, controller: int) -> Held:
        """The controller makes the run directory only later; made here, its lock can be held before that."""
        held = self.submit()
        held.directory.path.mkdir(mode=0o700)
        self._lock = os.open(held.directory.lock, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        machine.thaw(controller)
        eventually(lambda: (self.row(held.id) or {})["claimed_by"], "the batch is claimed")
        self.freeze(controller)
        return held

    def _ask_to_delete(self, batch: int) -> None:
        """The answer comes only when it is done, so nobody waits for it here."""
        with contextlib.suppress(httpx.TimeoutException):
            self.served.public.delete(f"/livy/batches/{batch}", timeout=0.2)
        eventually(lambda: (self.row(batch) or {})["delete_requested_at"], "the deletion is on record")

    def _verify(self) -> None:
        """Every batch is still at its point."""
        for point, held in self.batches.items():
            found = self.row(held.id)
            assert found is not None, point
            directory = held.directory
            seen = (
                found["claimed_by"] is not None,
                directory.launched.exists(),
                held.gates.runs,
                directory.exit.exists(),
                found["finished_at"] is not None,
                found["delete_requested_at"] is not None,
            )
            assert seen == _SEEN[point], point


#: What is seen at each point: claimed, launched, runs, exit on record, finished, to be deleted.
_SEEN = {
    "accepted": (False, False, 0, False, False, False),
    "claimed": (True, False, 0, False, False, False),
    "spawned": (True, False, 0, False, False, False),
    "starting": (True, True, 0, False, False, False),
    "running": (True, True, 1, False, False, False),
    "finishing": (True, True, 1, False, False, False),
    "recorded": (True, True, 1, True, False, False),
    "finished": (True, True, 1, True, True, False),
    "deleting": (True, True, 1, False, False, True),
}


def row(database: Path, batch: int) -> dict[str, Any] | None:
    """A batch's row, read as any other process may read it."""
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    try:
        connection.row_factory = sqlite3.Row
        found = connection.execute("SELECT * FROM batch WHERE id = ?", (batch,)).fetchone()
        return dict(found) if found else None
    finally:
        connection.close()


def _takes_writes(database: Path) -> bool:
    connection = sqlite3.connect(database, timeout=0.2, isolation_level=None)
    try:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("ROLLBACK")
    except sqlite3.OperationalError:
        return False
    finally:
        connection.close()
    return True


#: In the place of a pid.
_GONE = -1


def _at_work(held: Held) -> bool:
    """Its application has run up to the gate, children included."""
    output = held.directory.output
    return output.exists() and tiny.FIRST_LINE in output.read_text()


def _new_runner(controller: int, known: set[int]) -> int | None:
    started = set(machine.children(controller)) - known
    return next((pid for pid in started if "headland.jobs.runner" in machine.command(pid)), None)
