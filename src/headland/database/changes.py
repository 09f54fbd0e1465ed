"""A mark in memory that all processes on one database share, and that is another one after each commit.

It tells a process that what it remembers is still so without asking the database, which takes as long as the
question itself.
"""

import mmap
import os
from pathlib import Path

_SIZE = 8


class Changes:
    """The mark that lies beside a database file. Nothing depends on it but time: without it, and where a process
    was killed between its commit and the mark, the database is asked.
    """

    def __init__(self, file: Path | None) -> None:
        """`file` is made where it is missing; None for a database without one."""
        self._map = None if file is None else _mapped(file)

    @property
    def mark(self) -> bytes | None:
        """The present mark; None where there is none."""
        return None if self._map is None else self._map[:_SIZE]

    def tell(self) -> None:
        """Change it: after a commit, and before anybody is told of that."""
        if self._map is not None:
            # By chance and not by counting, for which two processes would have to take turns.
            self._map[:_SIZE] = os.urandom(_SIZE)


def _mapped(file: Path) -> mmap.mmap | None:
    try:
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            if os.fstat(descriptor).st_size < _SIZE:
                os.ftruncate(descriptor, _SIZE)
            return mmap.mmap(descriptor, _SIZE)
        finally:
            os.close(descriptor)
    except OSError:
        return None
