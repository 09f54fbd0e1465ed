"""Wake the controller: a datagram that says what to look at. One that gets lost costs a second, nothing else.

| datagram | from | what it says |
| --- | --- | --- |
| a line break | web worker | something waits in the queue |
| `#17` | web worker | something is wanted of batch 17: that it ends, or is forgotten |
| `@` | web worker | something is wanted of a session |
| 32 characters | runner | its run directory, which is the batch's or session's run key, has news |
"""

import contextlib
import os
import socket
from dataclasses import dataclass, field
from pathlib import Path

#: Longest path of a Unix socket (sun_path, the shortest among the systems we know of).
_LONGEST_PATH = 100


#: Length of a run key.
_RUN_KEY = 32


@dataclass(slots=True)
class Calls:
    """What the controller was told to look at. That it looks at the queue goes without saying."""

    batches: set[int] = field(default_factory=set)
    run_keys: set[str] = field(default_factory=set)
    sessions: bool = False


def wake(path: Path, batch_id: int | None = None) -> bool:
    """Tell the controller that something waits, or to look at a batch; whether somebody got it."""
    return _send(path, b"\n" if batch_id is None else b"#%d" % batch_id)


def wake_for_sessions(path: Path) -> bool:
    """Tell the controller to look at the sessions; whether somebody got it."""
    return _send(path, b"@")


def _send(path: Path, said: bytes) -> bool:
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
            sender.setblocking(False)
            sender.sendto(said, socket_address(path))
    except OSError:
        return False
    return True


def heard(receiver: socket.socket) -> Calls:
    """All that was said by now. What makes no sense is as good as a call to look at the queue."""
    calls = Calls()
    with contextlib.suppress(BlockingIOError):
        while True:
            said = receiver.recv(64)
            if len(said) == _RUN_KEY:
                calls.run_keys.add(said.decode("ascii", "replace"))
            elif said == b"@":
                calls.sessions = True
            elif said[:1] == b"#" and said[1:].isdigit():
                calls.batches.add(int(said[1:]))
    return calls


def listen(path: Path) -> socket.socket:
    """The controller's end."""
    receiver = bind_private(path, socket.SOCK_DGRAM)
    receiver.setblocking(False)
    return receiver


def bind_private(path: Path, kind: socket.SocketKind) -> socket.socket:
    """A socket for the home's owner alone. There is one controller a home, so what an earlier one left is removed."""
    address = socket_address(path)
    with contextlib.suppress(FileNotFoundError):
        Path(address).unlink()
    bound = socket.socket(socket.AF_UNIX, kind)
    bound.bind(address)
    Path(address).chmod(0o600)
    return bound


def socket_address(path: Path) -> str:
    """`path`, or where it is too long for a socket, a name of its own in the user's runtime folder."""
    if len(os.fsencode(path)) <= _LONGEST_PATH:
        return str(path)
    import hashlib  # noqa: PLC0415 - hardly ever needed
    import tempfile  # noqa: PLC0415

    name = hashlib.sha256(os.fsencode(path)).hexdigest()[:24]
    return str(Path(tempfile.gettempdir()) / f"headland-{os.getuid()}-{name}.sock")
