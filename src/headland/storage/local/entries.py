"""A folder account as a file system: what its folders have, and how that is moved and removed."""

import errno
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from headland.storage.blobs import Entry
from headland.storage.errors import (
    BlobConflictError,
    BlobExistsError,
    BlobNotFoundError,
    FolderNotEmptyError,
    NotABlobError,
)
from headland.storage.local.failures import storage_errors
from headland.storage.local.folders import Parts, kind_of, locate, open_folder
from headland.storage.local.listing import info_of, status_within
from headland.storage.local.uploads import rename_to_free
from headland.storage.names import segment_problem


@dataclass(frozen=True, slots=True)
class Place:
    """A path in a container of an account, whose folder is `root`. The path is empty for the container itself."""

    account: str
    root: str
    container: str
    path: str

    def __str__(self) -> str:
        return f"wasbs://{self.container}@{self.account}/{self.path}"

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]

    @property
    def parts(self) -> Parts:
        """Where it really is, its last name not followed."""
        if not self.path:
            return locate(self.root, self.container, "", self)
        return (*locate(self.root, self.container, self.path.rpartition("/")[0], self), self.name)


def entry(place: Place) -> Entry:
    with storage_errors(place.account, place):
        if not place.path:
            with open_folder(place.root, place.parts) as folder:
                return _entry("", os.fstat(folder), place)
        parts = locate(place.root, place.container, place.path, place)
        with open_folder(place.root, parts[:-1]) as folder:
            return _entry(place.path, os.stat(parts[-1], dir_fd=folder, follow_symlinks=False), place)


def children(place: Place) -> list[Entry]:
    """Links to folders are not among them, since they may go in circles."""
    above = f"{place.path}/" if place.path else ""
    found = []
    with storage_errors(place.account, place):
        parts = locate(place.root, place.container, place.path, place)
        with open_folder(place.root, parts) as folder:
            for name in sorted(os.listdir(folder)):  # noqa: PTH208 - of a descriptor
                if segment_problem(name) is not None:
                    continue
                status = os.stat(name, dir_fd=folder, follow_symlinks=False)
                if stat.S_ISLNK(status.st_mode):
                    target = status_within(place.root, parts, folder, name)
                    if target is None:
                        continue
                    status = target
                if stat.S_ISDIR(status.st_mode) or stat.S_ISREG(status.st_mode):
                    found.append(_entry(above + name, status, place))
    return found


def make_folder(place: Place) -> None:
    with _conflicts(place), open_folder(place.root, place.parts, make=True):
        pass


def rename(source: Place, target: Place, *, replace: bool) -> None:
    """At one stroke."""
    with storage_errors(source.account, source):
        status = _status(source)
    with _conflicts(target):
        from_parts, to_parts = source.parts, target.parts
        with (
            open_folder(source.root, from_parts[:-1]) as folder,
            open_folder(target.root, to_parts[:-1]) as new_folder,
        ):
            if stat.S_ISDIR(status.st_mode):
                if not replace and _is_there(new_folder, to_parts[-1]):
                    raise BlobExistsError(target)
                os.rename(from_parts[-1], to_parts[-1], src_dir_fd=folder, dst_dir_fd=new_folder)
            elif replace:
                os.rename(from_parts[-1], to_parts[-1], src_dir_fd=folder, dst_dir_fd=new_folder)
            else:
                rename_to_free(folder, from_parts[-1], new_folder, to_parts[-1])
            os.fsync(new_folder)


def remove(place: Place, *, recursive: bool) -> None:
    with _conflicts(place):
        status, parts = _status(place), place.parts
        with open_folder(place.root, parts[:-1]) as folder:
            if not stat.S_ISDIR(status.st_mode):
                os.unlink(parts[-1], dir_fd=folder)
            elif recursive:
                # It follows no link on its way.
                shutil.rmtree(parts[-1], dir_fd=folder)
            else:
                os.rmdir(parts[-1], dir_fd=folder)
            os.fsync(folder)


def _status(place: Place) -> os.stat_result:
    parts = place.parts
    with open_folder(place.root, parts[:-1]) as folder:
        return os.stat(parts[-1], dir_fd=folder, follow_symlinks=False)


def _is_there(folder: int, name: str) -> bool:
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def _entry(path: str, status: os.stat_result, place: Place) -> Entry:
    if stat.S_ISDIR(status.st_mode):
        return Entry(path, True, modified=status.st_mtime_ns // 1_000_000)
    if stat.S_ISLNK(status.st_mode):
        # It was made since its target was looked up, or it goes in circles.
        raise BlobNotFoundError(place)
    if not stat.S_ISREG(status.st_mode):
        raise NotABlobError(place, kind_of(status))
    return Entry.of(info_of(path, status))


@contextmanager
def _conflicts(place: Place) -> Iterator[None]:
    """What the operating system says of names that are taken."""
    with storage_errors(place.account, place):
        try:
            yield
        except NotADirectoryError:
            raise BlobConflictError(place, "a part of its path is a blob, not a folder") from None
        except IsADirectoryError:
            raise BlobConflictError(place, "the name is taken by a folder") from None
        except FileExistsError:
            raise BlobExistsError(place) from None
        except OSError as error:
            if error.errno == errno.ENOTEMPTY:
                raise FolderNotEmptyError(place) from None
            raise
