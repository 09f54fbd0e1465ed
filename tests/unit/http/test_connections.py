"""Which connections are closed, of real sockets, by a clock that the test moves."""

import contextlib
import fcntl
import os
import resource
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
import structlog

from headland.http.connections import (
    _LOOKS_FOR_ALL,
    Client,
    ConnectionLimits,
    Connections,
    client_of,
    most_connections,
)

LIMITS = ConnectionLimits(per_address=3, first_request=10, idle=40)


class Port:
    """A server that takes connections and does nothing with them."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self._listening = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        self.number = self._listening.getsockname()[1]
        self.watch = Connections("public", self.number, LIMITS)
        self.held: list[socket.socket] = []

    def connect(self, address: str = "127.0.0.1") -> socket.socket:
        """The client's end."""
        made = self._stack.enter_context(socket.socket())
        made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        made.bind((address, 0))
        made.connect(("127.0.0.1", self.number))
        self.held.append(self._stack.enter_context(self._listening.accept()[0]))
        made.settimeout(0.05)
        return made

    def ask(self, client: socket.socket) -> None:
        self.watch.begin(name_of(client))
        self.watch.end(name_of(client))


def name_of(client: socket.socket) -> Client:
    host, port = client.getsockname()
    return host, str(port)


def closed(client: socket.socket) -> bool:
    try:
        return client.recv(1) == b""
    except TimeoutError:
        return False


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> Iterator[Port]:
    with ExitStack() as stack:
        monkeypatch.setattr("time.monotonic", lambda: 1000.0)
        yield Port(stack)


def test_connection_without_a_request_is_closed_after_its_time(port: Port) -> None:
    client = port.connect()
    port.watch.look(1000)
    port.watch.look(1009)
    assert not closed(client)
    port.watch.look(1011)
    assert closed(client)


def test_connection_is_closed_when_idle_and_never_while_a_request_is_under_way(port: Port) -> None:
    client = port.connect()
    port.watch.look(1000)
    for _ in range(2):
        port.watch.begin(name_of(client))
    port.watch.look(2000)
    port.watch.end(name_of(client))
    port.watch.look(3000)
    assert not closed(client)
    port.watch.end(name_of(client))
    port.watch.look(1000)
    port.watch.look(1039)
    assert not closed(client)
    port.watch.look(1041)
    assert closed(client)


@pytest.mark.parametrize("reads", [True, False])
def test_client_that_takes_an_answer_is_not_idle(port: Port, reads: bool) -> None:
    client = port.connect()
    port.held[0].setblocking(False)
    port.ask(client)
    try:
        for number in range(12):
            # More than the system keeps for it.
            with contextlib.suppress(BlockingIOError):
                while True:
                    port.held[0].send(bytes(65536))
            if reads:
                for _ in range(200):
                    client.recv(65536)
            port.watch.look(1000 + number * 10)
    except BrokenPipeError:
        ended = True
    else:
        ended = False
    assert ended is not reads


def test_newest_of_an_address_that_has_too_many_are_closed_and_nobody_elses(port: Port) -> None:
    mine = [port.connect() for _ in range(3)]
    port.watch.look(1000)
    more, other = [port.connect() for _ in range(2)], port.connect("127.0.0.2")
    busy = port.connect()
    port.watch.begin(name_of(busy))
    with structlog.testing.capture_logs() as logs:
        port.watch.look(1001)
        port.watch.look(1002)
    # Of those that ask for nothing the newest go first.
    assert [closed(each) for each in [*mine, *more, busy, other]].count(True) == 3
    assert all(closed(each) for each in more)
    assert not closed(busy)
    assert not closed(other)
    assert [(line["event"], line["address"], line["closed"]) for line in logs] == [
        ("connections.too_many", "127.0.0.1", 3)
    ]


def test_limit_of_an_address_can_be_lifted(port: Port) -> None:
    port.watch = Connections("public", port.number, ConnectionLimits(per_address=0))
    clients = [port.connect() for _ in range(20)]
    port.watch.look(1000)
    assert not any(closed(each) for each in clients)


def test_descriptor_that_was_given_again_is_a_new_connection(port: Port) -> None:
    port.connect()
    port.watch.look(1000)
    second = port.connect()
    os.dup2(port.held[1].fileno(), port.held[0].fileno())
    port.held[1].close()
    port.watch.look(1011)
    assert not closed(second)
    port.watch.look(1022)
    assert closed(second)


def test_a_file_that_a_descriptor_becomes_keeps_its_lock_to_itself(
    port: Port, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """However late it becomes one. A duplicate would hold the lock when the file is closed."""
    port.connect()
    descriptor = port.held[0].fileno()
    file = tmp_path / "locked"
    file.touch()
    locked = os.open(file, os.O_RDONLY)
    fcntl.flock(locked, fcntl.LOCK_EX)
    look = os.fstat

    def look_and_change(looked_at: int) -> os.stat_result:
        found = look(looked_at)
        if looked_at == descriptor:
            os.dup2(locked, descriptor)
        return found

    monkeypatch.setattr("os.fstat", look_and_change)
    port.watch.look(1000)
    monkeypatch.undo()
    os.close(locked)
    with file.open() as opened:
        os.dup2(os.open(os.devnull, os.O_RDONLY), descriptor)
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_sockets_of_others_are_left_alone(port: Port) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        client = socket.create_connection(other.getsockname())
        held, _ = other.accept()
        client.settimeout(0.05)
        port.watch.look(1000)
        port.watch.look(9000)
        assert not closed(client)
        client.close()
        held.close()


def test_what_is_known_of_clients_goes_with_them(port: Port) -> None:
    client = port.connect()
    port.ask(client)
    port.watch.look(1000)
    port.held[0].close()
    # Its descriptor may be given again at once, to the very list of descriptors: all are looked at within some looks.
    for number in range(_LOOKS_FOR_ALL):
        port.watch.look(1001 + number)
    assert not port.watch._asked
    assert not port.watch._known


@pytest.mark.parametrize(
    ("said", "known"),
    [
        (("127.0.0.1", "80"), ("127.0.0.1", "80")),
        (["127.0.0.1", 80], ("127.0.0.1", "80")),
        (("::ffff:127.0.0.1", 80), ("127.0.0.1", "80")),
        (("fe80::1%eth0", 80), ("fe80::1", "80")),
        (None, None),
    ],
)
def test_names_of_clients(said: object, known: Client | None) -> None:
    assert client_of(said) == known


def test_no_more_connections_than_descriptors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (1024, 2048))
    asked: list[tuple[int, int]] = []
    monkeypatch.setattr(resource, "setrlimit", lambda _, limits: asked.append(limits))
    assert most_connections(4096) == 2048 - 256
    assert asked == [(2048, 2048)]
    assert most_connections(500) == 500
