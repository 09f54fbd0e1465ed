"""Connections of a listener's process: those that ask for nothing are closed, and so are an address's too many.

The server itself waits for ever for a TLS handshake, for a first request, and for the next one over HTTP/2; and when it
holds as many connections as it may, it takes no more. So a thread looks at the process's own sockets a few times a
second. It never touches the server's descriptors, which may be closed and given again at any time: it makes a
duplicate, makes sure of whose it is, and shuts that connection down.
"""

import contextlib
import os
import resource
import socket
import stat
import struct
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import structlog
from prometheus_client import Counter

_log = structlog.get_logger("headland.http")

_CLOSED = Counter("headland_http_connections_closed", "Connections that were closed.", ["listener", "reason"])

#: Where a system lists a process's descriptors.
_LISTS = (Path("/proc/self/fd"), Path("/dev/fd"))

#: Seconds between looks.
_PAUSE = 0.25

#: Looks after which each known descriptor was looked at once more.
_LOOKS_FOR_ALL = 16

#: How often, while nothing is asked, it is looked whether a client still takes an answer.
_SAMPLES = 4

#: Where Linux's `tcp_info` has how many bytes the other side has acknowledged.
_ACKNOWLEDGED = 120

#: Seconds between lines of the log about one address.
_LOG_PAUSE = 60.0

#: Descriptors that a process needs beside its connections.
_OTHER_FILES = 256

#: A client's address and port, as ASGI has them.
Client = tuple[str, str]


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """How many connections there may be, and how long each may ask for nothing."""

    #: Of one address in this process; 0 for as many as there are.
    per_address: int = 512
    #: Seconds from a connection's begin until its first request's head has come, the TLS handshake included.
    first_request: float = 15.0
    #: Seconds without a request, during which the client takes nothing of an answer either.
    idle: float = 75.0


@dataclass(slots=True)
class _Connection:
    """An open one, as the thread knows it."""

    descriptor: int
    client: Client
    address: str
    since: float
    #: When it was last seen that the client takes an answer, and how many bytes it had taken.
    taken_at: float = 0.0
    taken: int = -1
    sample_at: float = field(default=0.0)


class Connections:
    """Those of one port in this process."""

    def __init__(self, listener: str, port: int, limits: ConnectionLimits) -> None:
        self._listener = listener
        self._port = port
        self._limits = limits
        self._list = next((each for each in _LISTS if each.is_dir()), None)
        #: By descriptor.
        self._known: dict[int, _Connection] = {}
        self._looks = 0
        self._logged: dict[str, float] = {}
        # Written by the event loop, read by the thread.
        self._under_way: dict[Client, int] = {}
        self._asked: dict[Client, float] = {}

    def start(self) -> None:
        """Look from now on, until the process ends."""
        if self._list is None:
            _log.warning("connections.unwatched", listener=self._listener)
            return
        threading.Thread(target=self._run, name="connections", daemon=True).start()

    def begin(self, client: Client) -> None:
        """A request of this client's has come."""
        self._under_way[client] = self._under_way.get(client, 0) + 1

    def end(self, client: Client) -> None:
        """It is answered."""
        self._asked[client] = time.monotonic()
        left = self._under_way[client] - 1
        if left:
            self._under_way[client] = left
        else:
            del self._under_way[client]

    def _run(self) -> None:
        while True:
            time.sleep(_PAUSE)
            try:
                self.look(time.monotonic())
            except Exception:  # noqa: BLE001 - the next look may do better
                # Without it nothing would end what asks for nothing.
                _log.exception("connections.look_failed", listener=self._listener)

    def look(self, now: float) -> None:
        """Close what is to be closed."""
        self._find(now)
        found = list(self._known.values())
        for connection in found:
            reason = self._overdue(connection, now)
            if reason is not None:
                self._close(connection, reason, now)
        if self._limits.per_address:
            self._close_too_many(found, now)
        self._forget(found, now)

    def _find(self, now: float) -> None:
        """Bring what is known in line with what is open. Of the descriptors that are known some are looked at each
        time: whether one has been given again is also seen before it is acted on.
        """
        if self._list is None:
            return
        self._looks += 1
        listed = {int(name) for name in os.listdir(self._list)}  # noqa: PTH208 - some thousand names
        for descriptor in self._known.keys() - listed:
            del self._known[descriptor]
        for descriptor in listed:
            known = self._known.get(descriptor)
            if known is not None and (descriptor + self._looks) % _LOOKS_FOR_ALL:
                continue
            found = self._examine(descriptor, now)
            if found is None:
                self._known.pop(descriptor, None)
            elif known is None or known.client != found.client:
                self._known[descriptor] = found

    def _examine(self, descriptor: int, now: float) -> _Connection | None:
        with contextlib.suppress(OSError):
            if not stat.S_ISSOCK(os.fstat(descriptor).st_mode):
                return None
            with _looked_at(descriptor) as own:
                client = self._client_of(own)
                if client is not None:
                    return _Connection(descriptor, client, _network(client[0]), now)
        return None

    def _client_of(self, own: socket.socket) -> Client | None:
        if own.type != socket.SOCK_STREAM or own.family not in {socket.AF_INET, socket.AF_INET6}:
            return None
        try:
            if own.getsockname()[1] != self._port:
                return None
            host, port, *_ = own.getpeername()
        except OSError:
            # It listens, or is closed.
            return None
        return _plain(host), str(port)

    def _overdue(self, connection: _Connection, now: float) -> str | None:
        """Why a connection is to be closed, if it is."""
        client, limits = connection.client, self._limits
        if client in self._under_way:
            return None
        asked = self._asked.get(client)
        if asked is None:
            return "first_request" if now - connection.since > limits.first_request else None
        if now >= connection.sample_at:
            connection.sample_at = now + limits.idle / _SAMPLES
            taken = self._taken(connection)
            if taken != connection.taken:
                connection.taken, connection.taken_at = taken, now
        return "idle" if now - max(asked, connection.taken_at) > limits.idle else None

    def _taken(self, connection: _Connection) -> int:
        """Bytes that the client has acknowledged; elsewhere than on Linux, nobody tells."""
        if sys.platform != "linux":
            return -1
        with (
            contextlib.suppress(OSError, struct.error),
            _looked_at(connection.descriptor) as own,
        ):
            info = own.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _ACKNOWLEDGED + 8)
            return int(struct.unpack_from("=Q", info, _ACKNOWLEDGED)[0])
        return -1

    def _close_too_many(self, found: Iterable[_Connection], now: float) -> None:
        """Close the newest of each address that has too many: first those that ask for nothing."""
        by_address: defaultdict[str, list[_Connection]] = defaultdict(list)
        for connection in found:
            by_address[connection.address].append(connection)
        for address, connections in by_address.items():
            if len(connections) <= self._limits.per_address:
                continue
            open_ = [each for each in connections if self._known.get(each.descriptor) is each]
            open_.sort(key=lambda each: (each.client not in self._under_way, each.since), reverse=True)
            too_many = open_[: max(0, len(open_) - self._limits.per_address)]
            for connection in too_many:
                self._close(connection, "too_many", now)
            if too_many and now - self._logged.get(address, -_LOG_PAUSE) >= _LOG_PAUSE:
                self._logged[address] = now
                _log.warning(
                    "connections.too_many", listener=self._listener, address=address, closed=len(too_many)
                )

    def _close(self, connection: _Connection, reason: str, now: float) -> None:
        """Shut it down, if it still is what it was; else what has come in its place is a new one. What comes in its
        place between look and end is met instead: a connection at the worst, which its client opens anew.
        """
        descriptor = connection.descriptor
        self._known.pop(descriptor, None)
        with contextlib.suppress(OSError), _looked_at(descriptor) as own:
            client = self._client_of(own)
            if client == connection.client:
                own.shutdown(socket.SHUT_RDWR)
                _CLOSED.labels(self._listener, reason).inc()
            elif client is not None:
                self._known[descriptor] = _Connection(descriptor, client, _network(client[0]), now)

    def _forget(self, found: Iterable[_Connection], now: float) -> None:
        """What is known of clients that are gone."""
        clients = {connection.client for connection in found}
        # A copy, which the event loop does not add to.
        for client, asked in self._asked.copy().items():
            # A connection may be newer than the look.
            if client not in clients and client not in self._under_way and now - asked > 2 * _PAUSE:
                self._asked.pop(client, None)
        for address in [each for each, at in self._logged.items() if now - at >= _LOG_PAUSE]:
            del self._logged[address]


@contextlib.contextmanager
def _looked_at(descriptor: int) -> Iterator[socket.socket]:
    """The socket that a descriptor is. It is no duplicate: the descriptor may have become a file's meanwhile, and a
    duplicate of that would keep its lock, or, once closed, take all locks on it from this process (fcntl(2)).

    Raises:
        OSError: it is none.
    """
    own = socket.socket(fileno=descriptor)
    try:
        yield own
    finally:
        own.detach()


def client_of(client: object) -> Client | None:
    """The client of an ASGI scope, in the form in which connections are known by it."""
    if not isinstance(client, tuple | list) or len(client) != 2:
        return None
    host, port = client
    return (_plain(host) if ":" in host else host), str(port)


def most_connections(wanted: int) -> int:
    """As many as are wanted, or as the system gives this process descriptors for. It is asked for more of them."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = wanted + _OTHER_FILES
    if soft != resource.RLIM_INFINITY and soft < needed:
        better = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (better, hard))
            soft = better
    return wanted if soft == resource.RLIM_INFINITY else max(1, min(wanted, soft - _OTHER_FILES))


def _plain(host: str) -> str:
    """An address without its zone, an IPv4 one in IPv6's form as what it is."""
    return host.partition("%")[0].removeprefix("::ffff:")


def _network(host: str) -> str:
    """What counts as one address: of IPv6 the network, of which anybody has all addresses (RFC 6177)."""
    if ":" not in host:
        return host
    return socket.inet_ntop(socket.AF_INET6, socket.inet_pton(socket.AF_INET6, host)[:8] + bytes(8)) + "/64"
