"""Wake the controller: a datagram that says "look now". One that gets lost costs a second, nothing else."""

import contextlib
import os
import socket
from pathlib import Path

#: Longest path of a Unix socket (sun_path, the shortest among the systems we know of).
_LONGEST_PATH = 100


def wake(path: Path) -> None:
    """Tell the controller, if one listens."""
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
        sender.setblocking(False)
        sender.sendto(b"\n", socket_address(path))


def listen(path: Path) -> socket.socket:
    """The controller's end. There is one controller a home, so what an earlier one left is removed."""
    address = socket_address(path)
    with contextlib.suppress(FileNotFoundError):
        Path(address).unlink()
    receiver = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    receiver.setblocking(False)
    receiver.bind(address)
    Path(address).chmod(0o600)
    return receiver


def socket_address(path: Path) -> str:
    """`path`, or where it is too long for a socket, a name of its own in the user's runtime folder."""
    if len(os.fsencode(path)) <= _LONGEST_PATH:
        return str(path)
    import hashlib  # noqa: PLC0415 - hardly ever needed
    import tempfile  # noqa: PLC0415

    name = hashlib.sha256(os.fsencode(path)).hexdigest()[:24]
    return str(Path(tempfile.gettempdir()) / f"headland-{os.getuid()}-{name}.sock")
