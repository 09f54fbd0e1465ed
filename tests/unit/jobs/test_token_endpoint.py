"""A job's token endpoint, as hostile requests meet it, and while the service that it asks is away."""

import contextlib
import hashlib
import json
import socket
import subprocess
import sys
import threading
import time
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from tests.serving import eventually

from headland.jobs.runner.token_endpoint import TokenEndpoint

RUN = "0" * 32
QUERY = "resource=https%3A%2F%2Ffarm&api-version=2019-08-01"


class Service:
    """Whoever has the socket; it gives each question back."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.listener: socket.socket | None = None
        self.asked: list[dict[str, str]] = []

    def start(self) -> None:
        self.path.unlink(missing_ok=True)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(self.path))
        self.listener.listen()
        threading.Thread(target=self._run, args=(self.listener,), daemon=True).start()

    def stop(self) -> None:
        if self.listener is not None:
            with contextlib.suppress(OSError):
                self.listener.shutdown(socket.SHUT_RDWR)
            self.listener.close()

    def _run(self, listener: socket.socket) -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection, connection.makefile("rb") as said:
                question = json.loads(said.readline())
                self.asked.append(question)
                connection.sendall(json.dumps({"status": 200, "body": question["query"]}).encode() + b"\n")


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    made = Service(tmp_path / "s")
    made.start()
    yield made
    made.stop()


@pytest.fixture
def endpoint(service: Service) -> Iterator[TokenEndpoint]:
    made = TokenEndpoint(RUN, str(service.path), 5.0)
    made.open()
    yield made
    made.close()


def connect(endpoint: TokenEndpoint) -> socket.socket:
    address = urlsplit(endpoint.open()["IDENTITY_ENDPOINT"])
    return socket.create_connection((address.hostname or "", address.port or 0), timeout=20)


def request(
    endpoint: TokenEndpoint, line: str = f"GET /msi/token?{QUERY} HTTP/1.1", **headers: str | None
) -> bytes:
    """A good request, with changes; None leaves a header out."""
    told = endpoint.open()
    good = {
        "Host": urlsplit(told["IDENTITY_ENDPOINT"]).netloc,
        "X-IDENTITY-HEADER": told["IDENTITY_HEADER"],
        "User-Agent": "tests",
    }
    sent = {**good, **{name.replace("_", "-"): value for name, value in headers.items()}}
    lines = [line, *(f"{name}: {value}" for name, value in sent.items() if value is not None)]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n"


def answered(endpoint: TokenEndpoint, sent: bytes) -> tuple[int, str]:
    with connect(endpoint) as connection:
        with contextlib.suppress(OSError):  # it need not read all of what is too long
            connection.sendall(sent)
        said = b""
        with contextlib.suppress(ConnectionResetError):
            while piece := connection.recv(65_536):
                said += piece
    head, _, body = said.partition(b"\r\n\r\n")
    assert b"access-control" not in head.lower()
    assert b"connection: close" in head.lower()
    return int(head.split(b" ")[1]), body.decode()


def test_who_has_address_and_header_is_answered(endpoint, service):
    assert answered(endpoint, request(endpoint)) == (200, QUERY)
    (asked,) = service.asked
    assert asked["run"] == RUN
    assert len(asked["key"]) == 64


def test_a_request_in_pieces_is_one_request(endpoint):
    with connect(endpoint) as connection:
        for byte in request(endpoint):
            connection.sendall(bytes([byte]))
        assert connection.recv(100).startswith(b"HTTP/1.1 200 OK\r\n")


@pytest.mark.parametrize(
    ("status", "changes"),
    [
        (403, {"X_IDENTITY_HEADER": None}),
        (403, {"X_IDENTITY_HEADER": ""}),
        (403, {"X_IDENTITY_HEADER": "0" * 64}),
        (403, {"X_IDENTITY_HEADER": "ü" * 64}),
        # DNS rebinding: a page of a host that resolves to loopback names that host.
        (403, {"Host": "attacker.example"}),
        (403, {"Host": "localhost"}),
        (403, {"Host": None}),
        (403, {"Origin": "https://attacker.example"}),
        (403, {"Origin": "null"}),
        (404, {"line": "GET / HTTP/1.1"}),
        (404, {"line": f"GET http://attacker.example/msi/token?{QUERY} HTTP/1.1"}),
        (405, {"line": "POST /msi/token HTTP/1.1"}),
        (405, {"line": "OPTIONS /msi/token HTTP/1.1"}),
        (400, {"line": "GET /msi/token"}),
        (400, {"line": "GET /msi/token HTTP/2.0"}),
        (400, {"line": "\x00\xff"}),
        (400, {"Long": "x" * 10_000}),
        (400, {"host": "127.0.0.1:1"}),
        (400, {"x_identity_header": "again"}),
        (400, {"Bad Name": "x"}),
        (400, {"": "x"}),
    ],
)
def test_anything_else_is_refused_and_nobody_is_asked(endpoint, service, status, changes):
    refused, body = answered(endpoint, request(endpoint, **changes))
    assert refused == status, body
    problem = json.loads(body)
    assert problem["statusCode"] == status
    assert problem["message"] == problem["error_description"]
    assert endpoint.open()["IDENTITY_HEADER"] not in body
    assert not service.asked


def test_what_has_no_end_costs_no_memory_and_holds_nobody_up(endpoint):
    much = b"GET /" + b"x" * 30_000_000
    tracemalloc.start()
    with contextlib.ExitStack() as stack:
        # All but one of the places that there are.
        for _ in range(7):
            stack.enter_context(connect(endpoint)).sendall(b"GET /")
        with connect(endpoint) as flood, contextlib.suppress(OSError):
            flood.sendall(much)
        assert answered(endpoint, request(endpoint))[0] == 200
    assert tracemalloc.get_traced_memory()[1] < 1_000_000
    tracemalloc.stop()


def test_who_sends_nothing_gives_up_the_place(endpoint):
    with contextlib.ExitStack() as stack:
        for _ in range(20):
            stack.enter_context(connect(endpoint))
        assert answered(endpoint, request(endpoint))[0] == 200


def test_a_service_that_is_away_is_waited_for(endpoint, service):
    service.stop()
    threading.Timer(0.5, service.start).start()
    begun = time.monotonic()
    assert answered(endpoint, request(endpoint)) == (200, QUERY)
    assert time.monotonic() - begun < 4


def test_a_service_that_stays_away_is_told_of(service):
    service.stop()
    endpoint = TokenEndpoint(RUN, str(service.path), 0.4)
    status, body = answered(endpoint, request(endpoint))
    assert status == 503
    assert "has not answered for 0.4 seconds" in json.loads(body)["message"]
    endpoint.close()


def test_a_service_that_hangs_up_is_asked_again(tmp_path):
    path, times = tmp_path / "s", []
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()

        def hang_up() -> None:
            for answer in (b"", b'{"status', b'{"status": 200, "body": "at last"}\n'):
                connection, _ = listener.accept()
                with connection, connection.makefile("rb") as said:
                    times.append(said.readline())
                    connection.sendall(answer)

        threading.Thread(target=hang_up, daemon=True).start()
        endpoint = TokenEndpoint(RUN, str(path), 10.0)
        assert answered(endpoint, request(endpoint)) == (200, "at last")
        endpoint.close()
    assert len(set(times)) == 1
    assert len(times) == 3


def test_a_job_that_asks_on_and_on_is_slowed_down(endpoint, service):
    """The first some hundred are answered at once: an executor's workers may all begin together."""
    begun = time.monotonic()

    def ask() -> None:
        while time.monotonic() - begun < 3.0:
            answered(endpoint, request(endpoint))

    asking = [threading.Thread(target=ask) for _ in range(8)]
    for each in asking:
        each.start()
    for each in asking:
        each.join()
    passed = time.monotonic() - begun
    assert 100 < len(service.asked) <= 201 + 100 * passed


def test_nobody_is_answered_once_it_is_closed(endpoint):
    sent = request(endpoint)
    address = urlsplit(endpoint.open()["IDENTITY_ENDPOINT"])
    endpoint.close()

    def refused() -> bool:
        try:
            with socket.create_connection((address.hostname or "", address.port or 0), timeout=1) as late:
                late.sendall(sent)
                return not late.recv(10)
        except OSError:
            return True

    eventually(refused, "the port is closed", 2)


def test_each_has_secrets_of_its_own(service):
    made = [TokenEndpoint(RUN, str(service.path), 5.0) for _ in range(2)]
    assert made[0].key_digest != made[1].key_digest
    assert made[0].open()["IDENTITY_HEADER"] != made[1].open()["IDENTITY_HEADER"]
    assert made[0].open() == made[0].open()
    # One job's header opens nothing of another's.
    other = made[1].open()["IDENTITY_HEADER"]
    assert answered(made[0], request(made[0], X_IDENTITY_HEADER=other))[0] == 403
    assert not service.asked
    for endpoint in made:
        endpoint.close()


def test_a_python_without_hashes_of_its_own_has_openssls():
    program = (
        "import sys; sys.modules['_sha2'] = sys.modules['_sha256'] = None\n"
        "from headland.jobs.runner.token_endpoint import sha256; print(sha256(b'x').hexdigest())"
    )
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == hashlib.sha256(b"x").hexdigest()
