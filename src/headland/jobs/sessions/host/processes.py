"""The processes of a session: its JVM, and an interpreter for each language that it was asked for."""

import asyncio
import signal
import socket
from collections.abc import Awaitable, Callable
from itertools import count
from pathlib import Path
from typing import Any

from headland.jobs.sessions.frames import BrokenFrameError, receive, send

#: Runs an interpreter in a Python that need not know of Headland otherwise.
_PROGRAM = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "from headland.jobs.sessions.interpreter.main import main; sys.path.remove(sys.argv[1]); main(sys.argv[2:])"
)


class InterpreterGoneError(Exception):
    """An interpreter has ended, or does not answer."""


class Jvm:
    """The JVM in which the session's Spark application lives. It ends when its standard input does."""

    def __init__(self, process: asyncio.subprocess.Process, line: socket.socket) -> None:
        self._process = process
        #: The other end of its standard input.
        self._line = line

    @classmethod
    async def start(cls, command: list[str], environment: dict[str, str]) -> "Jvm":
        ours, theirs = socket.socketpair()
        with theirs:
            process = await asyncio.create_subprocess_exec(*command, env=environment, stdin=theirs.fileno())
        ours.setblocking(False)
        return cls(process, ours)

    async def ready(self) -> bool:
        """Wait until a JVM that gets ready before it is told what for has done so; False if it has ended."""
        try:
            return bool(await asyncio.get_running_loop().sock_recv(self._line, 1))
        except ConnectionError:
            return False

    async def feed(self, arguments: bytes) -> None:
        """Tell it what for.

        Raises:
            ConnectionError: it has ended.
        """
        await asyncio.get_running_loop().sock_sendall(self._line, arguments)

    async def ended(self) -> int:
        """Wait for its end; its exit code."""
        return await self._process.wait()

    def stop(self) -> None:
        """Have Spark stop its application and end."""
        if self._process.returncode is None:
            self._process.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        if self._process.returncode is None:
            self._process.kill()


class Interpreter:
    """An interpreter's process, and the calls that it has not answered yet."""

    def __init__(
        self,
        process: asyncio.subprocess.Process,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        self._process = process
        self._reader = reader
        self._writer = writer
        self._calls: dict[int, asyncio.Future[Any]] = {}
        self._numbers = count()

    @classmethod
    async def start(cls, walls: list[str], python: str, environment: dict[str, str]) -> "Interpreter":
        """Start one behind `walls`. It imports PySpark, and waits to be told what it is for.

        Raises:
            OSError: it can't be started.
        """
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                before = [*walls, str(theirs.fileno()), "--"] if walls else []
                process = await asyncio.create_subprocess_exec(
                    *before,
                    *(python, "-c", _PROGRAM, _source_root(), str(theirs.fileno())),
                    env=environment,
                    stdin=asyncio.subprocess.DEVNULL,
                    pass_fds=(theirs.fileno(),),
                )
        except OSError:
            ours.close()
            raise
        reader, writer = await asyncio.open_unix_connection(sock=ours)
        return cls(process, reader, writer)

    async def ended(self) -> int:
        """Wait for its end; its exit code."""
        return await self._process.wait()

    async def follow(self, heard: Callable[[dict[str, Any]], Awaitable[None]]) -> str:
        """Pass on what it says by itself until it ends; how it ended."""
        try:
            while (message := await receive(self._reader)) is not None:
                if message["event"] == "answer":
                    self._answered(message)
                else:
                    await heard(message)
        except BrokenFrameError:
            self.kill()
        code = await self._process.wait()
        for call in self._calls.values():
            if not call.done():
                call.set_exception(InterpreterGoneError("the interpreter has ended"))
        return f"exit code {code}" if code >= 0 else f"signal {signal.Signals(-code).name}"

    def tell(self, body: bytes | None = None, **message: Any) -> None:
        """Say something that is not answered at once."""
        send(self._writer, message, body)

    async def ask(self, patience: float, **message: Any) -> Any:
        """Its answer.

        Raises:
            InterpreterGoneError: it has ended, does not answer within `patience` seconds, or says that it can't.
        """
        number = next(self._numbers)
        call = self._calls[number] = asyncio.get_running_loop().create_future()
        self.tell(call=number, **message)
        try:
            async with asyncio.timeout(patience):
                return await call
        except TimeoutError:
            raise InterpreterGoneError(f"the interpreter has not answered in {patience:g} seconds") from None
        finally:
            del self._calls[number]

    def kill(self) -> None:
        if self._process.returncode is None:
            self._process.kill()

    def _answered(self, message: dict[str, Any]) -> None:
        call = self._calls.get(message["call"])
        if call is None or call.done():
            return
        if "problem" in message:
            call.set_exception(InterpreterGoneError(message["problem"]))
        else:
            call.set_result(message["value"])


def _source_root() -> str:
    """The folder from which interpreters take their program."""
    return str(Path(__file__).parents[4])
