"""The journal of a session: each line is a fact, on disk before anybody is told.

| line | what it says |
| --- | --- |
| `{"accepted": id, "at": ms, "kind": …, "code": …}` | a statement was taken on |
| `{"started": id, "at": ms}` | its code is about to be run |
| `{"ended": id, "at": ms, "state": …, "output": …}` | what came of it; the last such line of a statement counts |

A last line that does not end was being written when the host was killed: nobody was told of it.
"""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

#: States of a statement (`livy.md` section 4.2).
WAITING, RUNNING, AVAILABLE, CANCELLING, CANCELLED = (
    "waiting",
    "running",
    "available",
    "cancelling",
    "cancelled",
)
FINAL = frozenset({AVAILABLE, CANCELLED})


@dataclass(slots=True)
class Statement:
    """A statement as far as it has come. Times are milliseconds since the epoch, 0 for not yet."""

    id: int
    kind: str
    code: str
    state: str = WAITING
    started: int = 0
    completed: int = 0
    #: Where in the journal the line is that has its output: offset and length.
    place: tuple[int, int] | None = None


class Journal:
    """A journal to read, and for the host that holds it, to write."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = -1
        self.statements: list[Statement] = []
        self._size = 0
        #: Outputs that the disk has not taken yet, by statement.
        self._unwritten: dict[int, dict[str, Any]] = {}

    def open(self) -> None:
        """Write from now on. A host has a journal of its own: there is none yet.

        Raises:
            OSError: there is one, or none can be made.
        """
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC
        self._file = os.open(self._path, flags, 0o600)
        folder = os.open(self._path.parent, os.O_RDONLY | os.O_CLOEXEC)
        os.fsync(folder)
        os.close(folder)

    def accept(self, kind: str, code: str, at: int) -> Statement:
        """Take a statement on.

        Raises:
            OSError: it can't be put on record, so that there is none.
        """
        number = len(self.statements)
        self._append({"accepted": number, "at": at, "kind": kind, "code": code})
        self.statements.append(Statement(number, kind, code))
        return self.statements[-1]

    def start(self, statement: Statement, at: int) -> None:
        """Its code is about to be run. That it was is of use to readers only, so a full disk does not stop it."""
        statement.state, statement.started = RUNNING, at
        try:
            self._append({"started": statement.id, "at": at}, flush=False)
        except OSError:
            return

    def end(self, statement: Statement, state: str, output: dict[str, Any] | None, at: int) -> None:
        """What came of it. Where the disk does not take it, it is kept in memory, and tried again with what follows."""
        line = {"ended": statement.id, "at": at, "state": state, "output": output}
        self._unwritten[statement.id] = line
        self.write_rest()
        statement.state, statement.completed = state, at

    def write_rest(self) -> None:
        """Write what the disk did not take before."""
        for number, line in list(self._unwritten.items()):
            try:
                self.statements[number].place = self._append(line)
            except OSError:
                return
            del self._unwritten[number]

    def read(self) -> None:
        """Take in what has been written since the last time, as somebody who looks at another's journal."""
        try:
            with self._path.open("rb") as file:
                file.seek(self._size)
                for line in file:
                    if not line.endswith(b"\n"):
                        return
                    self._take(json.loads(line), len(line))
                    self._size += len(line)
        except FileNotFoundError:
            return

    def output(self, statement: Statement) -> dict[str, Any] | None:
        """What a statement gave; None where it has not ended or gave nothing."""
        if (line := self._unwritten.get(statement.id)) is not None:
            kept: dict[str, Any] | None = line["output"]
            return kept
        if statement.place is None:
            return None
        offset, size = statement.place
        with self._path.open("rb") as file:
            file.seek(offset)
            read: dict[str, Any] | None = json.loads(file.read(size))["output"]
        return read

    def _take(self, line: dict[str, Any], size: int) -> None:
        if "accepted" in line:
            self.statements.append(Statement(line["accepted"], line["kind"], line["code"]))
        elif "started" in line:
            statement = self.statements[line["started"]]
            statement.state, statement.started = RUNNING, line["at"]
        elif "ended" in line:
            statement = self.statements[line["ended"]]
            statement.state, statement.completed = line["state"], line["at"]
            statement.place = self._size, size

    def _append(self, record: dict[str, Any], *, flush: bool = True) -> tuple[int, int]:
        data = json.dumps(record, separators=(",", ":")).encode() + b"\n"
        written = 0
        try:
            while written < len(data):
                written += os.write(self._file, data[written:])
            if flush:
                os.fdatasync(self._file)
        except OSError:
            # Half a line in the middle would make what follows unreadable.
            os.ftruncate(self._file, self._size)
            raise
        place = self._size, len(data)
        self._size += len(data)
        return place
