"""The log of a driver that ran elsewhere becomes part of the batch's output: once, whatever is killed when."""

import os
from collections import deque
from collections.abc import Iterable

from headland.jobs.runner.run_directory import RunDirectory

_CHUNK = 1 << 20


def collect(directory: RunDirectory, pieces: Iterable[bytes], limit: int) -> None:
    """Append a driver's log, or of one longer than `limit` bytes its beginning and its end, to the output.
    `pieces` is asked only if an earlier call did not get all of it.
    """
    if not directory.driver_log.exists():
        _keep(directory, pieces, limit)
    _append(directory)


def _keep(directory: RunDirectory, pieces: Iterable[bytes], limit: int) -> None:
    """Have the log on disk, whole."""
    draft = directory.driver_log.with_name(".driver.log")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "wb") as opened:
        for piece in head_and_tail(pieces, limit):
            opened.write(piece)
        opened.flush()
        os.fsync(descriptor)
    draft.rename(directory.driver_log)


def _append(directory: RunDirectory) -> None:
    """Nobody else writes to the output by now, so what is there beyond its former end is what an earlier call
    got done.
    """
    descriptor = os.open(directory.output, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "r+b", buffering=0) as output, directory.driver_log.open("rb") as log:
        size = os.fstat(descriptor).st_size
        place = directory.read(directory.driver_place)
        if place is None:
            if size and os.pread(descriptor, 1, size - 1) != b"\n":
                size += output.write(b"\n")
            place = {"at": size}
            directory.write(directory.driver_place, place)
        log.seek(size - int(str(place["at"])))
        while chunk := log.read(_CHUNK):
            os.write(descriptor, chunk)
        os.fsync(descriptor)


def head_and_tail(pieces: Iterable[bytes], limit: int) -> Iterable[bytes]:
    """`pieces` if they are no more than `limit` bytes; else the first half of that, a line that says how much is
    left out, and the last half, cut where lines end.
    """
    room = limit // 2
    held: deque[bytes] = deque()
    holding = left_out = 0
    for piece in pieces:
        if room:
            yield piece[:room]
            piece, room = piece[room:], max(0, room - len(piece))  # noqa: PLW2901 - what is left of it
        held.append(piece)
        holding += len(piece)
        while held and holding - len(held[0]) >= limit - limit // 2:
            holding -= len(held[0])
            left_out += len(held.popleft())
    rest = b"".join(held)
    surplus = max(0, len(rest) - (limit - limit // 2))
    if left_out + surplus:
        line = rest.find(b"\n", surplus)
        surplus = line + 1 if line >= 0 else surplus
        yield f"\n[{left_out + surplus} bytes of the driver's log are left out]\n".encode()
    yield rest[surplus:]
