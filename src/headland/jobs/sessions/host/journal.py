"""The journal of a session: each line is a fact, on disk before anybody is told.

| line | what it says |
| --- | --- |
| `{"accepted": id, "at": ms, "kind": …, "code": …}` | a statement was taken on |
| `{"started": id, "at": ms}` | its code is about to be run |
| `{"ended": id, "at": ms, "state": …, "output": …}` | what came of it; the last such line of a statement counts |

Lines of a job say `"list": "jobs"` besides; jobs have numbers of their own. A last line that does not end was being
written when the host was killed: nobody was told of it.

Code and output are the last members of their lines, and are handed on as the JSON that they are: some may be tens of
megabytes long, and whoever asks for them is to wait for a disk and not for a parser. The long ones stay on disk.
"""

import json
import os
from collections.abc import Iterable, Iterator
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

#: Names of the lists: what clients send as code, and what Livy's client library sends.
STATEMENTS, JOBS = "statements", "jobs"

#: Bytes of code that are kept in memory: a session may have ten thousand statements.
_KEPT = 4_096

#: Bytes of a line that is written at once.
_SHORT = 65_536

#: Bytes that are read at once of what is on disk.
_PIECE = 1 << 18

#: What stands before the last member of a line, and that member's name.
_CODE, _OUTPUT = b',"code":', b',"output":'

#: Bytes of a line in which all but its last member are.
_HEAD = 400


@dataclass(slots=True)
class Statement:
    """A statement or job as far as it has come. Times are milliseconds since the epoch, 0 for not yet."""

    id: int
    kind: str
    list: str = STATEMENTS
    state: str = WAITING
    started: int = 0
    completed: int = 0
    #: Its code as JSON, where it is short.
    code: bytes | None = None
    #: Where in the journal code and output are: offset and length.
    code_place: tuple[int, int] = (0, 0)
    output_place: tuple[int, int] | None = None


#: Something to be told: the bytes of it, or where in the journal they are.
Part = bytes | tuple[int, int]


class Journal:
    """A journal to read, and for the host that holds it, to write."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = -1
        self.lists: dict[str, list[Statement]] = {STATEMENTS: [], JOBS: []}
        self._size = 0
        #: Outputs that the disk has not taken yet, by list and number.
        self._unwritten: dict[tuple[str, int], tuple[bytes, bytes]] = {}

    @property
    def statements(self) -> list[Statement]:
        return self.lists[STATEMENTS]

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

    def accept(self, kind: str, code: bytes, at: int, list_: str = STATEMENTS) -> Statement:
        """Take on a statement or job, whose code is JSON.

        Raises:
            OSError: it can't be put on record, so that there is none.
        """
        listed = self.lists[list_]
        statement = Statement(len(listed), kind, list_, code=code if len(code) <= _KEPT else None)
        head = _head(statement, accepted=statement.id, at=at, kind=kind)
        statement.code_place = self._append(head + _CODE, code)
        listed.append(statement)
        return statement

    def start(self, statement: Statement, at: int) -> None:
        """Its code is about to be run. That it was is of use to readers only, so a full disk does not stop it."""
        statement.state, statement.started = RUNNING, at
        try:
            self._append(_head(statement, started=statement.id, at=at), flush=False)
        except OSError:
            return

    def end(self, statement: Statement, state: str, output: dict[str, Any] | None, at: int) -> None:
        """What came of it. Where the disk does not take it, it is kept in memory, and tried again with what follows."""
        head = _head(statement, ended=statement.id, at=at, state=state)
        self._unwritten[statement.list, statement.id] = head + _OUTPUT, _encoded(output)
        self.write_rest()
        statement.state, statement.completed = state, at

    def write_rest(self) -> None:
        """Write what the disk did not take before."""
        for (list_, number), (head, output) in list(self._unwritten.items()):
            try:
                self.lists[list_][number].output_place = self._append(head, output)
            except OSError:
                return
            del self._unwritten[list_, number]

    def read(self) -> None:
        """Take in what has been written since the last time, as somebody who looks at another's journal."""
        try:
            with self._path.open("rb") as file:
                file.seek(self._size)
                for line in file:
                    if not line.endswith(b"\n"):
                        return
                    self._take(line)
                    self._size += len(line)
        except FileNotFoundError:
            return

    def code(self, statement: Statement) -> bytes:
        """A statement's code, as JSON."""
        return b"".join(self.pieces([self.code_part(statement)]))

    def output(self, statement: Statement) -> bytes:
        """What a statement gave, as JSON."""
        return b"".join(self.pieces([self.output_part(statement)]))

    def code_part(self, statement: Statement) -> Part:
        """A statement's code, or where it is."""
        return statement.code_place if statement.code is None else statement.code

    def output_part(self, statement: Statement) -> Part:
        """What a statement gave, as JSON; `null` where it has not ended or gave nothing."""
        if (kept := self._unwritten.get((statement.list, statement.id))) is not None:
            return kept[1]
        return b"null" if statement.output_place is None else statement.output_place

    def pieces(self, parts: Iterable[Part]) -> Iterator[bytes]:
        """The bytes of all parts, few of them in memory at a time."""
        gathered = bytearray()
        for part in parts:
            for piece in [part] if isinstance(part, bytes) else self._read(*part):
                gathered += piece
                if len(gathered) >= _PIECE:
                    yield bytes(gathered)
                    gathered.clear()
        yield bytes(gathered)

    def _read(self, offset: int, size: int) -> Iterator[bytes]:
        with self._path.open("rb", buffering=0) as file:
            file.seek(offset)
            while size:
                piece = file.read(min(size, _PIECE))
                if not piece:
                    raise EOFError(f"{self._path} is shorter than it was")
                size -= len(piece)
                yield piece

    def lose(self, statement: Statement, output: dict[str, Any]) -> None:
        """What came of it is not on disk and never will be: show this in its place."""
        self._unwritten[statement.list, statement.id] = b"", _encoded(output)

    def _take(self, line: bytes) -> None:
        name = _CODE if line.startswith(b'{"accepted":') else _OUTPUT
        cut = line.find(name, 0, _HEAD)
        head = json.loads(line if cut < 0 else line[:cut] + b"}")
        listed = self.lists[head.get("list", STATEMENTS)]
        begin = cut + len(name)
        place = self._size + begin, len(line) - begin - len(b"}\n")
        if "accepted" in head:
            code = line[begin : begin + place[1]] if place[1] <= _KEPT else None
            listed.append(
                Statement(
                    head["accepted"], head["kind"], head.get("list", STATEMENTS), code=code, code_place=place
                )
            )
        elif "started" in head:
            statement = listed[head["started"]]
            statement.state, statement.started = RUNNING, head["at"]
        elif "ended" in head:
            statement = listed[head["ended"]]
            statement.state, statement.completed = head["state"], head["at"]
            statement.output_place = place

    def _append(self, head: bytes, last: bytes = b"", *, flush: bool = True) -> tuple[int, int]:
        """Write a line; the place of its last member."""
        try:
            for part in [head + last + b"}\n"] if len(last) <= _SHORT else [head, last, b"}\n"]:
                written = 0
                while written < len(part):
                    written += os.write(self._file, part[written:] if written else part)
            if flush:
                os.fdatasync(self._file)
        except OSError:
            # Half a line in the middle would make what follows unreadable.
            os.ftruncate(self._file, self._size)
            raise
        place = self._size + len(head), len(last)
        self._size += len(head) + len(last) + len(b"}\n")
        return place


def size_of(parts: Iterable[Part]) -> int:
    """How many bytes all parts have."""
    return sum(len(part) if isinstance(part, bytes) else part[1] for part in parts)


def _head(statement: Statement, **members: Any) -> bytes:
    """A line's members but for its last one and the closing brace."""
    if statement.list != STATEMENTS:
        members["list"] = statement.list
    return _encoded(members)[:-1]


def _encoded(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()
