"""Workers: a few for each process that answers requests, by turns for all callers."""

import os
import selectors
import subprocess
import sys
import time
import weakref
from asyncio import Future, get_running_loop
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager
from typing import IO, Any

import msgspec
import structlog

from headland.farm.errors import GeometryTooComplexError, WorkersBusyError
from headland.farm.isolation.limits import surroundings
from headland.farm.isolation.tasks import Answer, Task, kind_of_answer
from headland.http.validation import BodyInvalidError
from headland.storage.threads import finish_in_thread

_PROGRAM = "headland.farm.isolation.program"

#: Of a process.
_MOST_WORKERS = 2

#: Tasks of one caller that may wait.
_MOST_WAITING = 32

#: Seconds that a task may take, however busy the machine is.
_PATIENCE = 60.0

_log = structlog.get_logger("headland.farm")


class Worker:
    """One process, started when it is first needed. For one thread at a time."""

    def __init__(self) -> None:
        self._processes: list[subprocess.Popen[bytes]] = []
        self._ending = weakref.finalize(self, _end, self._processes)

    def ask(self, task: Task, field: str) -> Any:
        """The answer. The caller's thread waits for it.

        Raises:
            GeometryTooComplexError: it takes more than a task may; `field` is said to be the cause.
            BodyInvalidError: a geometry that the task is about is none.
        """
        process = self._process()
        text = msgspec.msgpack.encode(task)
        deadline = time.monotonic() + _PATIENCE
        try:
            _write(process.stdin, len(text).to_bytes(4, "big") + text, deadline)
            size = int.from_bytes(_read(process.stdout, 4, deadline), "big")
            answer = msgspec.msgpack.decode(_read(process.stdout, size, deadline), type=Answer)
        except (OSError, EOFError):
            _end(self._processes)
            _log.warning("isolation.exhausted", task=type(task).__name__, code=process.returncode)
            raise GeometryTooComplexError(field) from None
        if answer.last:
            _end(self._processes)
        if answer.refused is not None:
            raise BodyInvalidError(*answer.refused)
        return msgspec.msgpack.decode(answer.value, type=kind_of_answer(task))

    def close(self) -> None:
        """End it."""
        self._ending()

    def _process(self) -> "subprocess.Popen[bytes]":
        if self._processes and self._processes[0].poll() is not None:
            _end(self._processes)
        if not self._processes:
            command = [sys.executable, "-P", "-m", _PROGRAM]
            pipe = subprocess.PIPE
            started = subprocess.Popen(command, stdin=pipe, stdout=pipe, bufsize=0, env=surroundings())
            self._processes.append(started)
            for each in (started.stdin, started.stdout):
                os.set_blocking(each.fileno(), False)  # type: ignore[union-attr]
        return self._processes[0]


class Workers:
    """Lets callers take turns at a few workers. Of one caller they do one thing at a time, so that nobody has all of
    them. For one event loop.
    """

    def __init__(self, most: int = _MOST_WORKERS) -> None:
        self._idle = [Worker() for _ in range(most)]
        self._all = tuple(self._idle)
        self._served: set[Hashable] = set()
        self._waiting: OrderedDict[Hashable, deque[Future[Worker]]] = OrderedDict()

    async def ask(self, caller: Hashable, task: Task, field: str) -> Any:
        """`Worker.ask`, when it is the caller's turn.

        Raises:
            WorkersBusyError: too many tasks of the caller's wait already.
        """
        async with self.one(caller) as worker:
            return await finish_in_thread(worker.ask, task, field)

    @asynccontextmanager
    async def one(self, caller: Hashable) -> AsyncIterator[Worker]:
        """A worker, for several tasks of a caller's, to be asked in a thread. Raises as `ask`."""
        worker = await self._taken(caller)
        try:
            yield worker
        finally:
            self._served.discard(caller)
            self._idle.append(worker)
            self._serve()

    async def _taken(self, caller: Hashable) -> Worker:
        waiting = self._waiting.setdefault(caller, deque())
        if len(waiting) >= _MOST_WAITING:
            raise WorkersBusyError
        turn: Future[Worker] = get_running_loop().create_future()
        waiting.append(turn)
        self._serve()
        try:
            return await turn
        except BaseException:
            if turn.done() and not turn.cancelled():
                self._served.discard(caller)
                self._idle.append(turn.result())
            turn.cancel()
            self._serve()
            raise

    def _serve(self) -> None:
        """Give idle workers to those that wait and have none, the one first who was served longest ago."""
        for caller in list(self._waiting):
            waiting = self._waiting[caller]
            while waiting and waiting[0].done():
                waiting.popleft()
            if not waiting:
                del self._waiting[caller]
            elif self._idle and caller not in self._served:
                self._served.add(caller)
                waiting.popleft().set_result(self._idle.pop())
                self._waiting.move_to_end(caller)

    def close(self) -> None:
        """End all."""
        for worker in self._all:
            worker.close()


def _end(processes: "list[subprocess.Popen[bytes]]") -> None:
    while processes:
        with processes.pop() as process:
            process.kill()


def _wait(file: IO[bytes], event: int, deadline: float) -> None:
    with selectors.DefaultSelector() as selector:
        selector.register(file, event)
        if not selector.select(deadline - time.monotonic()):
            raise TimeoutError


def _write(file: IO[bytes] | None, text: bytes, deadline: float) -> None:
    left = memoryview(text)
    while left:
        _wait(file, selectors.EVENT_WRITE, deadline)  # type: ignore[arg-type]
        left = left[os.write(file.fileno(), left) :]  # type: ignore[union-attr]


def _read(file: IO[bytes] | None, size: int, deadline: float) -> bytes:
    found = bytearray()
    while len(found) < size:
        _wait(file, selectors.EVENT_READ, deadline)  # type: ignore[arg-type]
        piece = os.read(file.fileno(), size - len(found))  # type: ignore[union-attr]
        if not piece:
            raise EOFError
        found += piece
    return bytes(found)
