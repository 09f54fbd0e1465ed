"""Which instances have something to be done: a file each in one folder, whose lock is its doer's.

A file is there before what is to be done is committed, and goes when nothing is left. So nobody has to look
through every instance, and what a process was killed over is found by the next one: the kernel takes the lock
back from the dead.
"""

import fcntl
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

#: Seconds that a file stays at least after it was noted, so that what it was noted for is committed by then.
SETTLED = 120.0

#: No store's key begins with a dot.
_DOOR = ".door"


class Pending:
    """The folder. Of any number of threads and processes."""

    def __init__(self, folder: Path, clock: Callable[[], float] = time.time) -> None:
        """Nothing is touched before something is noted."""
        self._folder = folder
        self._clock = clock
        self._wake = threading.Event()

    def note(self, key: str) -> None:
        """There will be something to do for a store. It blocks, for the time of a flush at the most.

        Raises:
            OSError: it can't be noted.
        """
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with self._door(fcntl.LOCK_SH):
            path = self._folder / key
            new = not path.exists()
            path.touch(mode=0o600)
            now = self._clock()
            os.utime(path, (now, now))
            if new:
                _flush(self._folder)

    def wake(self) -> None:
        """What was noted is committed: a worker of this process need not wait for its next look."""
        self._wake.set()

    def wait(self, seconds: float) -> None:
        """Until somebody wakes, or for so long."""
        self._wake.wait(seconds)
        self._wake.clear()

    def noted(self) -> list[str]:
        """The stores for which something was noted."""
        try:
            return sorted(name for name in os.listdir(self._folder) if not name.startswith("."))  # noqa: PTH208
        except FileNotFoundError:
            return []

    @contextmanager
    def alone(self, key: str) -> Iterator[bool]:
        """Whether nobody else is at it; as long as the context lasts, nobody else will be."""
        try:
            descriptor = os.open(self._folder / key, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            yield False
            return
        try:
            yield _locked(descriptor) and self._is(key, descriptor)
        finally:
            os.close(descriptor)

    def settle(self, key: str) -> None:
        """Nothing is left to do. To be called by who is alone at it."""
        with self._door(fcntl.LOCK_EX), suppress(FileNotFoundError):
            path = self._folder / key
            if path.stat().st_mtime < self._clock() - SETTLED:
                path.unlink()

    def forget(self, key: str) -> None:
        """There is no such store any more."""
        (self._folder / key).unlink(missing_ok=True)

    def _is(self, key: str, descriptor: int) -> bool:
        """Whether the file is still the one by this name."""
        try:
            return os.path.samestat(os.fstat(descriptor), (self._folder / key).stat())
        except FileNotFoundError:
            return False

    @contextmanager
    def _door(self, how: int) -> Iterator[None]:
        """Between a file's removal and its being noted anew."""
        descriptor = os.open(self._folder / _DOOR, os.O_RDONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, how)
            yield
        finally:
            os.close(descriptor)


def _locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _flush(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
