"""Whether the process that is receiving a file still lives: a file of its own, locked as long as it does.

The kernel takes the lock back from the dead, whatever they died of.
"""

import fcntl
import os
import threading
import uuid
from pathlib import Path


class Presence:
    """This process among those of a home."""

    def __init__(self, folder: Path) -> None:
        """`folder` has a file for each process. Nothing is touched before something is asked for."""
        self._folder = folder
        self._name: str | None = None
        self._once = threading.Lock()

    @property
    def name(self) -> str:
        """What this process is known by. It is seen to live from the first call on."""
        with self._once:
            if self._name is None:
                self._name = self._shown()
        return self._name

    def lives(self, name: str) -> bool:
        """Whether the process known by a name does. What the dead have left is removed."""
        if name == self._name:
            return True
        path = self._folder / name
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            return False
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        else:
            path.unlink(missing_ok=True)
            return False
        finally:
            os.close(descriptor)

    def _shown(self) -> str:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        name = uuid.uuid4().hex
        # Locked by another name first: nobody may find it by its own before it is.
        hidden = self._folder / f".{name}"
        descriptor = os.open(hidden, os.O_RDONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        hidden.rename(self._folder / name)
        return name
