"""Connections that ask for nothing, or too slowly, by the hundreds: they end, and nobody else is kept out."""

import contextlib
import select
import shutil
import socket
import ssl
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.serving import Served, eventually

#: More than a listener took before it had a cap.
MANY = 1100

#: Seconds, by the settings below.
FIRST_REQUEST, IDLE, BODY = 2.0, 3.0, 2.0

#: Where one address can have another beside it.
OTHER_ADDRESS = pytest.mark.skipif(
    sys.platform != "linux", reason="127.0.0.2 is not there without being set up"
)

#: A program in the place of Java's: it says a line from time to time.
JAVA = """#!/bin/sh
while [ ! -e {stop} ]; do echo line; sleep 0.5; done
"""

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes.fromhex("000000040000000000")

#: A request that never ends.
HEAD = b"GET /livy/batches HTTP/1.1\r\nHost: localhost\r\nX-Field: "


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("connections")
    java = folder / "java" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(JAVA.format(stop=folder / "stop"))
    java.chmod(0o755)
    running = Served(
        folder / "home",
        server_services="identity,jobs",
        jobs_java_home=str(java.parent.parent),
        server_connections_per_address="200",
        server_first_request_timeout=str(FIRST_REQUEST),
        server_idle_timeout=str(IDLE),
        server_body_timeout=str(BODY),
        server_body_rate="10000",
    )
    running.start()
    yield running
    (folder / "stop").touch()
    running.close()


Connect = Callable[..., "Peer"]


@pytest.fixture
def connect() -> Iterator[Connect]:
    """Make a peer, whose connection is closed at the end."""
    made: list[Peer] = []

    def connect(served: Served, listener: str, address: str = "127.0.0.1", protocol: str = "") -> Peer:
        made.append(Peer(served, listener, address, protocol))
        return made[-1]

    yield connect
    for each in made:
        each.socket.close()


class Peer:
    """A client by sockets, as anybody may write one."""

    def __init__(self, served: Served, listener: str, address: str, protocol: str) -> None:
        self._context = ssl.create_default_context(cafile=str(served.ca))
        if protocol:
            self._context.set_alpn_protocols([protocol])
        self.tls = listener == "public"
        port = served.port if self.tls else served.private_port
        self.socket = socket.socket()
        # What the system keeps for a reader is not on its way any more: little of it.
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8192)
        self.socket.settimeout(20)
        self.socket.bind((address, 0))
        self.socket.connect(("127.0.0.1", port))

    def secure(self) -> "Peer":
        if self.tls:
            self.socket = self._context.wrap_socket(self.socket, server_hostname="localhost")
        return self

    def ask(self) -> bytes:
        """The first line of an answer."""
        self.secure().socket.sendall(b"GET /batches HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        return self.socket.recv(4096).split(b"\r\n", 1)[0]

    def closed_within(self, seconds: float) -> bool:
        """Whether the other side closes within `seconds`; what it says until then does not count."""
        deadline = time.monotonic() + seconds
        self.socket.settimeout(0.1)
        while time.monotonic() < deadline:
            try:
                if not self.socket.recv(65536):
                    return True
            except TimeoutError:
                continue
            except OSError:
                return True
        return False


def gone(sockets: list[socket.socket]) -> int:
    """How many the other side has closed, of those to which it says nothing."""
    look = select.poll()
    for each in sockets:
        look.register(each, select.POLLIN)
    return len(look.poll(0))


@OTHER_ADDRESS
@pytest.mark.parametrize("listener", ["public", "private"])
def test_silent_connections_of_one_address_keep_nobody_else_out(
    served: Served, connect: Connect, listener: str
) -> None:
    silent = [connect(served, listener).socket for _ in range(MANY)]
    started = time.monotonic()
    assert b" 40" in connect(served, listener, "127.0.0.2").ask()
    assert time.monotonic() - started < 1
    eventually(lambda: gone(silent) >= MANY - 200, "the newest above the cap are closed", FIRST_REQUEST)
    eventually(lambda: gone(silent) == MANY, "the others are closed when their time is over", 10)
    # Whoever had them gets in again, too.
    assert b" 40" in connect(served, listener).ask()


class TestFirstRequest:
    """A connection without a request is closed after its time."""

    def test_half_a_handshake_is_ended(self, served: Served, connect: Connect) -> None:
        peer = connect(served, "public")
        # The head of a TLS record that announces a ClientHello.
        peer.socket.sendall(bytes.fromhex("1603010200010001fc0303"))
        assert peer.closed_within(FIRST_REQUEST + 2)

    @pytest.mark.parametrize("protocol", ["", "http/1.1", "h2"])
    def test_silence_after_the_handshake_is_ended(
        self, served: Served, connect: Connect, protocol: str
    ) -> None:
        assert connect(served, "public", protocol=protocol).secure().closed_within(FIRST_REQUEST + 2)

    def test_http2_without_streams_is_ended(self, served: Served, connect: Connect) -> None:
        peer = connect(served, "public", protocol="h2").secure()
        peer.socket.sendall(PREFACE)
        assert peer.closed_within(FIRST_REQUEST + 2)

    def test_http2_that_only_pings_is_ended(self, served: Served, connect: Connect) -> None:
        peer = connect(served, "public", protocol="h2").secure()
        peer.socket.sendall(PREFACE)
        ping = bytes.fromhex("000008060000000000") + b"PINGPING"
        started = time.monotonic()
        with contextlib.suppress(OSError):
            while time.monotonic() - started < FIRST_REQUEST + 2:
                peer.socket.sendall(ping)
                time.sleep(0.1)
        assert time.monotonic() - started < FIRST_REQUEST + 2

    @pytest.mark.parametrize("listener", ["public", "private"])
    def test_headers_byte_by_byte_are_ended(self, served: Served, connect: Connect, listener: str) -> None:
        peer = connect(served, listener).secure()
        peer.socket.sendall(HEAD)
        started = time.monotonic()
        with contextlib.suppress(OSError):
            while time.monotonic() - started < FIRST_REQUEST + 2:
                peer.socket.sendall(b"a")
                time.sleep(0.05)
        assert time.monotonic() - started < FIRST_REQUEST + 2

    @pytest.mark.parametrize("listener", ["public", "private"])
    def test_headers_byte_by_byte_of_a_later_request_are_ended(
        self, served: Served, connect: Connect, listener: str
    ) -> None:
        peer = connect(served, listener).secure()
        peer.socket.sendall(b"GET /batches HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert peer.socket.recv(65536)
        peer.socket.sendall(HEAD)
        started = time.monotonic()
        with contextlib.suppress(OSError):
            while time.monotonic() - started < IDLE + 3:
                peer.socket.sendall(b"a")
                time.sleep(0.05)
        assert IDLE - 1 < time.monotonic() - started < IDLE + 3


@pytest.mark.parametrize("listener", ["public", "private"])
class TestBodies:
    """A body has to come."""

    def post(self, connect: Connect, served: Served, listener: str, length: int) -> Peer:
        path = "/livy/batches" if listener == "public" else "/batches"
        token = served.public.headers["Authorization"]
        peer = connect(served, listener).secure()
        head = (
            f"POST {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: {token}\r\nX-Requested-By: tests\r\n"
            f"Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
        )
        peer.socket.sendall(head.encode())
        return peer

    def test_body_that_does_not_come_is_refused(
        self, served: Served, connect: Connect, listener: str
    ) -> None:
        peer = self.post(connect, served, listener, 1000)
        started = time.monotonic()
        assert peer.socket.recv(65536).startswith(b"HTTP/1.1 408 ")
        assert time.monotonic() - started < BODY + 2
        assert peer.closed_within(IDLE + 2)

    def test_body_byte_by_byte_is_refused(self, served: Served, connect: Connect, listener: str) -> None:
        peer = self.post(connect, served, listener, 1000)
        started = time.monotonic()
        while not select.select([peer.socket], [], [], 0.05)[0]:
            peer.socket.sendall(b" ")
            assert time.monotonic() - started < BODY + 2
        assert peer.socket.recv(65536).startswith(b"HTTP/1.1 408 ")

    def test_body_at_its_pace_is_taken(self, served: Served, connect: Connect, listener: str) -> None:
        """For longer than any of the deadlines."""
        body = b'{"file": "wasbs:///none.jar"' + b" " * 150_000 + b"}"
        peer = self.post(connect, served, listener, len(body))
        for start in range(0, len(body), 5000):
            peer.socket.sendall(body[start : start + 5000])
            time.sleep(0.2)
        assert peer.socket.recv(65536).startswith(b"HTTP/1.1 4")


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_what_is_slow_but_alive_lives(served: Served, tmp_path: Path) -> None:
    """A follower, and a slow reader by HTTP/2, for longer than any of the deadlines."""
    with zipfile.ZipFile(tmp_path / "app.jar", "w") as archive:
        archive.writestr("a/B.class", b"")
    batch = served.submit(file=served.put(tmp_path / "app.jar", "app.jar"), className="a.B").json()["id"]
    served.wait(batch, "running")
    big = tmp_path / "big"
    big.write_bytes(b"rye " * (4 << 20))
    served.put(big, "big.bin")
    until = time.monotonic() + 2 * IDLE + 2
    followed: list[str] = []

    def follow() -> None:
        headers = {"Accept": "text/event-stream"}
        with served.public.stream("GET", f"/livy/batches/{batch}/log", headers=headers) as response:
            for line in response.iter_lines():
                followed.append(line)
                if time.monotonic() > until:
                    return

    token = served.token(f"{served.url}/.default")
    following = threading.Thread(target=follow)
    following.start()
    read = subprocess.run(
        [
            *(
                "curl",
                "--silent",
                "--show-error",
                "--fail",
                "--http2",
                "--limit-rate",
                "2M",
                "--cacert",
                served.ca,
            ),
            *("--header", f"Authorization: Bearer {token}"),
            f"{served.url}/storage/-/-/big.bin",
        ],
        capture_output=True,
        check=False,
    )
    following.join()
    assert len(followed) > 2 * IDLE
    assert read.returncode == 0, read.stdout[:500]
    assert read.stdout == big.read_bytes()


def test_kept_connection_is_used_again_and_ended_when_idle(served: Served, connect: Connect) -> None:
    peer = connect(served, "public").secure()
    for _ in range(5):
        peer.socket.sendall(b"GET /livy/batches HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert peer.socket.recv(65536).startswith(b"HTTP/1.1 401 ")
        time.sleep(FIRST_REQUEST / 2)
    assert peer.closed_within(IDLE + 2)
