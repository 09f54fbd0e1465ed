"""A load driver that costs little: hand-written HTTP/1.1 over kept connections, several processes.

Each process sends on all of its connections and then takes the answers in turn, so that the server has
always something to do while a process reads.
"""

import multiprocessing
import os
import socket
import ssl
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import count, cycle
from multiprocessing.connection import Connection as Pipe
from multiprocessing.synchronize import Barrier

from benchmarks.harness import BenchmarkError
from benchmarks.processes import cpu_seconds

#: On two cores one process keeps one server worker busy.
PROCESSES = 2
CONNECTIONS = 8

#: Seconds without an answer after which something is wrong.
PATIENCE = 30.0

_END = b"\r\n\r\n"
_LENGTH = b"content-length:"


#: In a path, what is another text each time.
EACH = "{each}"


@dataclass(frozen=True, slots=True)
class Target:
    """One request, and whom to send it."""

    port: int
    method: str
    #: With `EACH` in it, no two requests are for the same.
    path: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    #: PEM file of the CA to trust; without it, plain HTTP.
    ca: str | None = None
    status: int = 200
    #: Asked for after `path`, in turns; or sent after `body`.
    more_paths: Sequence[str] = ()
    more_bodies: Sequence[bytes] = ()

    @property
    def message(self) -> bytes:
        """The first request as it goes over the wire."""
        return next(self.messages())

    def messages(self) -> Iterator[bytes]:
        """Requests of this process, without an end."""
        if EACH in self.path:
            for number in count():
                yield self._message(self.path.replace(EACH, f"{os.getpid()}-{number}"), self.body)
        paths, bodies = (self.path, *self.more_paths), (self.body, *self.more_bodies)
        yield from cycle([self._message(path, body) for path in paths for body in bodies])

    def _message(self, path: str, body: bytes) -> bytes:
        headers = {"Host": f"localhost:{self.port}", **self.headers}
        if body or self.method == "POST":
            headers["Content-Length"] = str(len(body))
        lines = [
            f"{self.method} {path} HTTP/1.1",
            *(f"{name}: {text}" for name, text in headers.items()),
        ]
        return "\r\n".join(lines).encode() + _END + body


class Connection:
    """A kept connection."""

    def __init__(self, target: Target) -> None:
        plain = socket.create_connection(("127.0.0.1", target.port), timeout=PATIENCE)
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket = (
            ssl.create_default_context(cafile=target.ca).wrap_socket(plain, server_hostname="localhost")
            if target.ca
            else plain
        )
        self._expected = b"HTTP/1.1 %d " % target.status

    def send(self, message: bytes) -> None:
        self._socket.sendall(message)

    def receive(self) -> bytes:
        """The body of the next answer.

        Raises:
            BenchmarkError: it is not the answer that the target stands for.
        """
        received = self._socket.recv(65536)
        while (end := received.find(_END)) < 0:
            received += self._more()
        if not received.startswith(self._expected):
            raise BenchmarkError(f"not the answer expected: {received[:400]!r}")
        head = received[:end].lower()
        start = head.find(_LENGTH)
        if start < 0:
            raise BenchmarkError(f"an answer without a length: {received[:400]!r}")
        whole = end + len(_END) + int(head[start + len(_LENGTH) :].partition(b"\r\n")[0])
        while len(received) < whole:
            received += self._more()
        return received[end + len(_END) :]

    def close(self) -> None:
        self._socket.close()

    def _more(self) -> bytes:
        more = self._socket.recv(65536)
        if not more:
            raise BenchmarkError("the server closed a connection")
        return more


def ask(target: Target) -> bytes:
    """The body of one answer."""
    connection = Connection(target)
    try:
        connection.send(target.message)
        return connection.receive()
    finally:
        connection.close()


def latencies(target: Target, count: int) -> list[float]:
    """Seconds from each request to its answer, one after the other."""
    connection, message, taken = Connection(target), target.message, []
    for _ in range(count):
        began = time.perf_counter()
        connection.send(message)
        connection.receive()
        taken.append(time.perf_counter() - began)
    connection.close()
    return taken


def rate_per_core(target: Target, session: int, seconds: float) -> float:
    """Answers a second of processor time that the server takes: all the processes of its session.

    What else the machine does, the drivers of the load among it, takes no part.

    Raises:
        BenchmarkError: one of the drivers did not get the answers it expects.
        SkippedError: this system does not tell what processes take.
    """
    return rate_by(partial(cpu_seconds, session), target, seconds)


def rate_by(taken: Callable[[], float], target: Target, seconds: float) -> float:
    """The same of a server that has `taken` so much processor time by now. Raises as `rate_per_core`."""
    before = taken()
    answered = _drive_all(target, seconds)
    return answered / (taken() - before)


def rate(target: Target, seconds: float) -> float:
    """Answers a second, for what waits for disks and not for processors."""
    return _drive_all(target, seconds) / seconds


def _drive_all(target: Target, seconds: float) -> int:
    """How many answers all the processes got that drive."""
    linux = sys.platform.startswith("linux")
    # Forked where that is safe: a new Python would import for longer than it drives.
    context = multiprocessing.get_context("fork") if linux else multiprocessing.get_context("spawn")
    barrier = context.Barrier(PROCESSES)
    started = []
    for _ in range(PROCESSES):
        ours, theirs = context.Pipe()
        process = context.Process(target=_drive, args=(target, seconds, barrier, theirs), daemon=True)
        process.start()
        started.append((process, ours))
    answered = 0
    for process, ours in started:
        result = ours.recv() if ours.poll(seconds + PATIENCE) else "a driver did not end"
        process.join(PATIENCE)
        if isinstance(result, str):
            raise BenchmarkError(result)
        answered += result
    return answered


def _drive(target: Target, seconds: float, barrier: Barrier, pipe: Pipe) -> None:
    try:
        connections = [Connection(target) for _ in range(CONNECTIONS)]
        messages = target.messages()
        _turn(connections, messages)
        barrier.wait(PATIENCE)
        answered, began = 0, time.perf_counter()
        while time.perf_counter() - began < seconds:
            _turn(connections, messages)
            answered += len(connections)
        pipe.send(answered)
    except Exception as error:  # noqa: BLE001 - told to whoever started this process
        barrier.abort()
        pipe.send(str(error) or type(error).__name__)


def _turn(connections: list[Connection], messages: Iterator[bytes]) -> None:
    for connection in connections:
        connection.send(next(messages))
    for connection in connections:
        connection.receive()
