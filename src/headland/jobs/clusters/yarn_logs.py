"""Logs of YARN containers, as node managers and log servers give them: framed by lines that are none of the log's.

A frame's head ends with `LogContents:` and says how many bytes follow; both the node manager's answer for a
local log and the log server's for an aggregated one have it (`LogToolUtils.outputContainerLog`).
"""

import re
from collections.abc import Iterable, Iterator

from headland.jobs.clusters.manager import ManagerUnreachableError, UndecidedError

#: The driver's files in its container, in the order in which they are shown.
FILES = ("stdout", "stderr")

#: Bytes within which a frame's head must end.
_HEAD = 1 << 14

#: What a frame's foot says of a log that is still being written.
_UNFINISHED = b"belongs to a running container"

_FRAME = re.compile(rb"^LogLength:(\d+)\r?\nLogContents:\r?\n", re.MULTILINE)
_CONTAINER = re.compile(r"^(https?://[^/]+)/.*\b(container_\w+)")


def container_of(log_url: str) -> tuple[str, str] | None:
    """The node manager's address and the container's id in an `amContainerLogs` address."""
    found = _CONTAINER.match(log_url)
    return (found[1], found[2]) if found else None


def contents(pieces: Iterable[bytes], *, ended: bool = False) -> Iterator[bytes]:
    """What is within a frame, of a log that has `ended`, or as far as it goes.

    Raises:
        ManagerUnreachableError: it is no frame, or ends too early.
        UndecidedError: it should have ended, and is still being written.
    """
    rest = iter(pieces)
    head = b""
    while (found := _FRAME.search(head)) is None:
        piece = next(rest, b"")
        if not piece or len(head) > _HEAD:
            raise ManagerUnreachableError(f"no container log but: {head[:80]!r}")
        head += piece
    missing = int(found[1])
    piece = head[found.end() :]
    while len(piece) < missing:
        if piece:
            yield piece
            missing -= len(piece)
        piece = next(rest, b"")
        if not piece:
            raise ManagerUnreachableError(f"a container log lacks its last {missing} bytes")
    yield piece[:missing]
    if ended and _UNFINISHED in b"".join((piece[missing:], *rest)):
        raise UndecidedError("the container is still running")
