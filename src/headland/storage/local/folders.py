"""Reach into an account's folder without being led out of it.

A path is resolved, its real place is held against the account's, and then that place is opened one segment
after another without following links. So a link that somebody makes in between is met, not followed.
"""

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from headland.storage.errors import BlobOutsideAccountError

#: Folder at an account's root where uploads grow. It is no container's name, and no link leads into it.
UPLOADS = ".uploads"

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC

Parts = tuple[str, ...]


def locate(root: str, container: str, path: str, shown: object) -> Parts:
    """Where, below `root`, the path really is: its segments once every link is followed. It may not exist.

    Raises:
        BlobOutsideAccountError: it is not below `root`.
    """
    real_root = os.path.realpath(root)
    real = os.path.realpath(os.path.join(real_root, container, path))  # noqa: PTH118 - five times as fast
    if os.path.commonpath([real_root, real]) != real_root:
        raise BlobOutsideAccountError(shown)
    parts = tuple(part for part in real.removeprefix(real_root).split("/") if part)
    if not parts or parts[0] == UPLOADS:
        raise BlobOutsideAccountError(shown)
    return parts


@contextmanager
def open_folder(root: str, parts: Sequence[str], *, make: bool = False) -> Iterator[int]:
    """Descriptor of a folder below `root`; `make` makes it, and makes sure that it survives a power cut.

    Raises:
        OSError: a part is missing, is no folder, or is a link.
    """
    descriptor = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for part in parts:
            inner = _enter(descriptor, part, make)
            os.close(descriptor)
            descriptor = inner
        yield descriptor
    finally:
        os.close(descriptor)


def remove_empty(root: str, parts: Sequence[str]) -> None:
    """Remove the folder, and those it is in, as far as they are empty; the container itself stays."""
    for depth in range(len(parts) - 1, 0, -1):
        try:
            with open_folder(root, parts[:depth]) as descriptor:
                os.rmdir(parts[depth], dir_fd=descriptor)
        except OSError:
            # Not empty, or somebody else was faster: either way there is nothing more to tidy up.
            return


def kind_of(status: os.stat_result) -> str:
    """What a directory entry that is no file is, in words for a message."""
    return "a folder" if stat.S_ISDIR(status.st_mode) else "a special file"


def _enter(descriptor: int, part: str, make: bool) -> int:
    try:
        return os.open(part, _FOLDER, dir_fd=descriptor)
    except FileNotFoundError:
        if not make:
            raise
    try:
        os.mkdir(part, dir_fd=descriptor)
    except FileExistsError:
        pass
    else:
        os.fsync(descriptor)
    return os.open(part, _FOLDER, dir_fd=descriptor)
