"""A job's own token endpoint: managed identity in the form of App Service (`api-version=2019-08-01`), on loopback.

The job knows address and header by its environment. Whoever asks must have both: other users of the machine reach
loopback, too, and so do pages in a browser, which can neither send the header nor name this host.

A token is got from the service, by a Unix socket in the home. The runner shows a key there that it has made itself and
that never leaves its memory otherwise; `runner.json` has its SHA-256. While the service is away, it is asked again
and again.

| over the socket | form |
| --- | --- |
| question | a line of JSON: `run` (key of the run), `key`, `query` (as the job sent it) |
| answer | a line of JSON: `status` and `body` for the job; the end without one means: later |
"""

import _socket as socket
import _thread
import contextlib
import json
import os
import time
from _operator import _compare_digest
from _queue import SimpleQueue

try:  # `hashlib` would bring OpenSSL: megabytes in every runner
    from _sha2 import sha256  # type: ignore[import-not-found, unused-ignore]
except ImportError:
    try:  # before Python 3.12
        from _sha256 import sha256  # type: ignore[import-not-found, unused-ignore]
    except ImportError:  # some systems build Python without hashes of its own
        from hashlib import sha256

#: The variables by which a job finds its endpoint: address and header.
ENDPOINT_VARIABLES = ("IDENTITY_ENDPOINT", "IDENTITY_HEADER")

_PATH = b"/msi/token"

#: Bytes of a request's head. Nothing that a client of this protocol sends comes near it.
_LONGEST_HEAD = 8192

#: Bytes of an answer of the service's.
_LONGEST_ANSWER = 65_536

#: Seconds that a request may take to arrive.
_ARRIVING = 5.0

#: Seconds that the service gets for one answer, before it is asked again.
_ANSWERING = 10.0

#: Seconds between tries while the service is away.
_PAUSE = 0.1

#: Requests that are attended to at once; more wait.
_MOST = 8

#: Seconds between questions to the service, once so many were asked at once: it serves other jobs, too.
_INTERVAL = 0.01
_BURST = 200

_REASONS = {200: "OK", 400: "Bad Request", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed"}


class _BadRequestError(Exception):
    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class TokenEndpoint:
    """Answers from `open` on, in threads of its own, until `close`."""

    def __init__(self, run_key: str, service: str, patience: float) -> None:
        """`service` is the socket's path; `patience` tells for how many seconds an absent service is waited for."""
        self._run_key = run_key
        self._service = service
        self._patience = patience
        self._key = os.urandom(32).hex()
        self._header = os.urandom(32).hex()
        self._places: SimpleQueue[None] = SimpleQueue()
        for _ in range(_MOST):
            self._places.put(None)
        self._listener: socket.socket | None = None
        self._turn = _thread.allocate_lock()
        self._next = 0.0
        self._host = b""

    @property
    def key_digest(self) -> str:
        """SHA-256 of the key by which the service knows the runner."""
        return str(sha256(self._key.encode()).hexdigest())

    def open(self) -> dict[str, str]:
        """Listen from now on; the variables by which the job finds it.

        Raises:
            OSError: there is no port to be had.
        """
        if self._listener is None:
            listener = self._listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
            listener.bind(("127.0.0.1", 0))
            listener.listen(64)
            self._host = b"127.0.0.1:%d" % listener.getsockname()[1]
            _thread.start_new_thread(self._accept, (listener,))
        return dict(
            zip(
                ENDPOINT_VARIABLES,
                (f"http://{self._host.decode()}{_PATH.decode()}", self._header),
                strict=True,
            )
        )

    def close(self) -> None:
        """Answer nobody any more."""
        listener, self._listener = self._listener, None
        if listener is not None:
            # A thread that waits in `accept` would keep a socket that is only closed.
            with contextlib.suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)
            listener.close()

    def _accept(self, listener: socket.socket) -> None:
        while self._listener is listener:
            self._places.get()
            try:
                descriptor, _ = listener._accept()  # type: ignore[attr-defined] # noqa: SLF001 - `accept` is the other module's
            except OSError:
                self._places.put(None)
                time.sleep(0.01)
                continue
            connection = socket.socket(fileno=descriptor)
            try:
                _thread.start_new_thread(self._attend, (connection,))
            except RuntimeError:  # no thread to be had
                connection.close()
                self._places.put(None)

    def _attend(self, connection: socket.socket) -> None:
        try:
            connection.settimeout(_ARRIVING)
            try:
                query = self._query(_head(connection))
            except _BadRequestError as error:
                status, body = error.status, _problem(error.status, str(error))
            else:
                status, body = self._ask(query)
            connection.settimeout(_ARRIVING)
            connection.sendall(_answer(status, body))
            connection.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # whoever asked has gone
        finally:
            connection.close()
            self._places.put(None)

    def _query(self, head: bytes) -> str:
        """The query of a request that may ask.

        Raises:
            _BadRequestError: as said.
        """
        line, *lines = head.split(b"\r\n")
        parts = line.split(b" ")
        if len(parts) != 3 or parts[2] not in {b"HTTP/1.1", b"HTTP/1.0"}:
            raise _BadRequestError(400, "This is no request of HTTP/1.1.")
        headers = _headers(lines)
        # A browser that was led here by somebody else's name sends that name; a page's request has its origin.
        if headers.get(b"host") != self._host or b"origin" in headers:
            raise _BadRequestError(403, "This endpoint is for the job alone: it is asked by its address.")
        shown = headers.get(b"x-identity-header", b"")
        if not _compare_digest(shown, self._header.encode()):
            raise _BadRequestError(403, "X-IDENTITY-HEADER must be what the job's IDENTITY_HEADER says.")
        path, _, query = parts[1].partition(b"?")
        if path != _PATH:
            raise _BadRequestError(404, f"There is nothing here but {_PATH.decode()}.")
        if parts[0] != b"GET":
            raise _BadRequestError(405, "Only GET is answered here.")
        return query.decode("latin-1")

    def _ask(self, query: str) -> tuple[int, str]:
        """What the service answers; a refusal where it does not for too long."""
        self._await_turn()
        question = json.dumps({"run": self._run_key, "key": self._key, "query": query}).encode() + b"\n"
        deadline = time.monotonic() + self._patience
        while True:
            try:
                return _asked(self._service, question, deadline)
            except (OSError, ValueError):
                if time.monotonic() + _PAUSE >= deadline or self._listener is None:
                    message = (
                        f"The service that issues tokens has not answered for {self._patience:g} seconds."
                    )
                    return 503, _problem(503, message, "temporarily_unavailable")
                time.sleep(_PAUSE)

    def _await_turn(self) -> None:
        """A job that asks on and on is slowed down."""
        with self._turn:
            now = time.monotonic()
            self._next = max(self._next, now - _BURST * _INTERVAL) + _INTERVAL
            early = self._next - now
        if early > 0:
            time.sleep(early)


def _asked(path: str, question: bytes, deadline: float) -> tuple[int, str]:
    """
    Raises:
        OSError, ValueError: nothing that is an answer.
    """
    service = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        service.settimeout(max(0.1, min(_ANSWERING, deadline - time.monotonic())))
        service.connect(path)
        service.sendall(question)
        said = b""
        while not said.endswith(b"\n") and len(said) < _LONGEST_ANSWER:
            piece = service.recv(_LONGEST_ANSWER)
            if not piece:
                break
            said += piece
    finally:
        service.close()
    answer = json.loads(said)
    return int(answer["status"]), str(answer["body"])


def _head(connection: socket.socket) -> bytes:
    """What comes before the first empty line.

    Raises:
        _BadRequestError: it is too long, or takes too long.
        OSError: whoever asked has gone.
    """
    head, deadline = b"", time.monotonic() + _ARRIVING
    while b"\r\n\r\n" not in head and len(head) <= _LONGEST_HEAD:
        if time.monotonic() > deadline:
            raise _BadRequestError(400, "The request took too long to arrive.")
        piece = connection.recv(_LONGEST_HEAD)
        if not piece:
            raise _BadRequestError(400, "The request has no end.")
        head += piece
    found, end, _ = head.partition(b"\r\n\r\n")
    if not end or len(found) > _LONGEST_HEAD:
        raise _BadRequestError(400, f"The request's head is longer than {_LONGEST_HEAD} bytes.")
    return found


def _headers(lines: list[bytes]) -> dict[bytes, bytes]:
    found: dict[bytes, bytes] = {}
    for line in lines:
        name, colon, value = line.partition(b":")
        name = name.lower()
        if not colon or name.split() != [name]:
            raise _BadRequestError(400, "A header is malformed.")
        if name in found and name in {b"host", b"x-identity-header"}:
            raise _BadRequestError(400, f"The header {name.decode()} is repeated.")
        found[name] = value.strip(b" \t")
    return found


def _problem(status: int, message: str, error: str = "invalid_request") -> str:
    """In App Service's form, and in that of the metadata service of virtual machines: clients print either."""
    return json.dumps(
        {"statusCode": status, "message": message, "error": error, "error_description": message}
    )


def _answer(status: int, body: str) -> bytes:
    content = body.encode()
    lines = [
        f"HTTP/1.1 {status} {_REASONS.get(status, 'Unavailable')}",
        "Content-Type: application/json; charset=utf-8",
        f"Content-Length: {len(content)}",
        "Cache-Control: no-store",
        "Connection: close",
        *(["Retry-After: 1"] if status == 503 else []),
    ]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + content
