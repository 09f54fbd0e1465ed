"""Write files so that a fault leaves what was there before."""

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

#: Characters of a file's name that its temporary one begins and ends with.
LONGEST_PART = 16


def write_private(path: Path, content: str) -> None:
    """Replace `path` by `content`, readable by its owner alone.

    Raises:
        OSError: folder or file can't be written.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with replacement(path, mode=0o600) as temporary:
        temporary.write_text(content, "utf-8")


@contextlib.contextmanager
def replacement(path: Path, mode: int | None = None) -> Iterator[Path]:
    """An empty file to be written, which takes the place of `path` at the end; at a fault it is removed.

    Args:
        mode: permissions; those of any new file where none are given. Until the end it is its owner's alone.

    Raises:
        OSError: the folder can't be written.
    """
    # A name of its own, so that two writers never share a temporary file. It must not become longer than names may be.
    suffix = path.suffix if len(path.suffix) < LONGEST_PART else ""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem[:LONGEST_PART]}.", suffix=suffix)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(0o666 & ~_umask() if mode is None else mode)
        with temporary.open("rb") as written:
            os.fsync(written.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def _umask() -> int:
    """The process's umask, which can only be read by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
