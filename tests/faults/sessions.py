"""Points of a session's life, and how one is held there, in a scene whose Python is the tiny program.

| point | what is the case | what holds it |
| --- | --- | --- |
| created | the row is committed, nobody has taken it on | the controller stands still |
| starting | host, JVM and interpreter are there, the application is not | the interpreter waits for its file |
| idle | it is up | nothing |
| busy | a statement runs, another one waits | the gate `end` |
| ending | it is up and to be stopped, nothing is done about it yet | the controller stands still |
"""

import contextlib
import sqlite3
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from tests.faults import machine, tiny
from tests.faults.tiny import END, Gates
from tests.served.notebooks import HEADERS, Notebook
from tests.serving import Served, eventually

from headland.jobs.sessions.run_folder import SessionFolder

SESSION_POINTS = ("created", "starting", "idle", "busy", "ending")

#: Where a session's processes are there when the scene is set.
UP = ("starting", "idle", "busy", "ending")

_STOPPED = "The session was stopped on request."
_LOST = "The session's runner was killed or its machine went down."
_LOST_WHEREVER = dict.fromkeys(("starting", "idle", "busy"), _LOST)

#: Why sessions are over, by fault and point, besides the one that was to be stopped. Whatever is not named goes on.
OVER: dict[str, dict[str, str]] = {
    "kill_runner": _LOST_WHEREVER,
    "kill_jvm": {
        "starting": "The session's JVM was stopped from outside by signal SIGKILL.",
        "idle": "The session's JVM was stopped from outside by signal SIGKILL.",
        "busy": "The session's host was stopped from outside by signal SIGKILL.",
    },
    "pid_reuse": _LOST_WHEREVER,
    "reboot": _LOST_WHEREVER,
}


@dataclass
class HeldSession:
    """A session that the service has acknowledged."""

    notebook: Notebook
    #: Those of its first statement, where it has one.
    gates: Gates | None = None

    @property
    def row(self) -> dict[str, Any]:
        """As it is in the file."""
        database = self.notebook.served.home / "headland.db"
        with contextlib.closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
            connection.row_factory = sqlite3.Row
            wanted = "SELECT * FROM session WHERE id = ?"
            return dict(connection.execute(wanted, (self.notebook.id,)).fetchone())

    @property
    def directory(self) -> SessionFolder:
        return SessionFolder(self.notebook.served.home / "sessions" / self.row["run_key"])

    def process(self, part: str) -> int:
        """The one whose command line has that in it."""
        (found,) = self.processes(part)
        return found

    def processes(self, part: str = "") -> list[int]:
        bearers = {pid: machine.command(pid) for pid in machine.bearers(self.directory.path.name)}
        # What puts up walls has the command lines of those behind them.
        walls = "headland.jobs.isolation.launcher"
        return [
            pid for pid, command in bearers.items() if part in command and not (part and walls in command)
        ]

    @property
    def state(self) -> str:
        return str(self.notebook.get("/state")["state"])


@dataclass
class Sessions:
    """A session held at each point."""

    served: Served
    folder: Path
    held: dict[str, HeldSession] = field(default_factory=dict)

    def begin(self) -> None:
        """Those that need a controller at work."""
        for point in UP:
            self.held[point] = HeldSession(Notebook(self.served))
        for point in ("idle", "busy", "ending"):
            self._let_up(self.held[point])
            self.held[point].notebook.is_idle()
            eventually(lambda held=self.held[point]: held.row["state"] == "idle", "its row says so")
        busy = self.held["busy"]
        busy.gates = self._statement(busy, END)
        self._statement(busy)
        eventually(lambda: busy.gates.runs == 1, "the statement runs")
        starting = self.held["starting"]
        eventually(lambda: starting.processes("tiny-python"), "the interpreter is there")

    def end(self) -> None:
        """Those that need one that stands still."""
        ending = self.held["ending"]
        with contextlib.suppress(httpx.TimeoutException):
            path = f"{ending.notebook.path}/stop"
            self.served.public.post(path, headers=HEADERS, timeout=0.2)
        eventually(lambda: ending.row["stop_requested_at"], "the wish is on record")
        self.held["created"] = HeldSession(Notebook(self.served))
        assert self.held["created"].row["claimed_by"] is None

    def release(self) -> None:
        """Hold nothing any more. May be called again."""
        for held in self.held.values():
            with contextlib.suppress(sqlite3.OperationalError):  # the database may be away
                self._let_up(held)
            if held.gates is not None:
                held.gates.open(END)

    def close(self) -> None:
        for held in self.held.values():
            if held.gates is not None:
                held.gates.close()

    def _let_up(self, held: HeldSession) -> None:
        tiny.let_up(self.folder, held.row["run_key"])

    def _statement(self, held: HeldSession, *closed: str) -> Gates:
        gates = Gates.make(self.folder / f"statement-{len(list(self.folder.iterdir()))}", *closed)
        held.notebook.begin(str(gates.folder))
        return gates

    def check(self, point: str, fault: str) -> None:
        """What has to be true when the fault is over."""
        held = self.held[point]
        because = _STOPPED if point == "ending" else OVER.get(fault, {}).get(point)
        if because is None:
            self._check_up(held)
        else:
            self._check_over(held, because)

    def _check_up(self, held: HeldSession) -> None:
        """It is up, was started but once, and runs statements, each of them once."""
        held.notebook.is_idle()
        assert "sessions.host" in machine.command(held.process("sessions.host"))
        further = self._statement(held)
        count = 3 if held.gates else 1
        outputs = [held.notebook.ended(number)["output"]["data"] for number in range(count)]
        assert outputs == [{"text/plain": "through"}] * count
        assert [gates.runs for gates in (further, held.gates) if gates] == [1] * (1 + bool(held.gates))

    def _check_over(self, held: HeldSession, because: str) -> None:
        """It is dead and says why; what ran has not run again, and nothing of it runs any more."""
        eventually(lambda: held.state == "dead", "it is over", 30)
        assert f"\t diagnostics: {because}" in held.notebook.get("/log?size=-1")["log"]
        assert [machine.command(pid) for pid in held.processes()] == []
        if held.gates is not None:
            assert held.gates.runs == 1
            ended = [held.notebook.get(f"/statements/{number}")["state"] for number in range(2)]
            assert ended == ["available", "cancelled"]
