"""Uploads into a folder account: grown out of sight, flushed, and then moved into place at one stroke."""

import contextlib
import os
import stat
import uuid

from headland.storage.errors import BlobConflictError, BlobExistsError
from headland.storage.local.folders import UPLOADS, Parts, kind_of, open_folder, remove_empty
from headland.storage.urls import BlobUrl

#: Seconds without a write after which an upload's file is taken for one whose process died.
ABANDONED = 24 * 3600

#: Times that a folder may be removed, for being empty, between our making it and our filling it.
_TRIES = 20


class Upload:
    """One blob on its way in. Either `commit` it or `discard` it. Every method blocks, making it but shortly."""

    def __init__(self, root: str, folder: Parts, url: BlobUrl, *, replace: bool = True) -> None:
        self._root = root
        self._replace = replace
        self._folder = folder
        self._url = url
        self._name = f"{uuid.uuid4().hex}.part"
        self._moving = False
        with open_folder(root, (UPLOADS,), make=True) as uploads:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            self._file = os.fdopen(os.open(self._name, flags, 0o666, dir_fd=uploads), "wb", buffering=0)

    def write(self, data: bytes | bytearray) -> None:
        """Append `data`."""
        rest = memoryview(data)
        while rest:
            rest = rest[self._file.write(rest) :]

    def commit(self) -> os.stat_result:
        """Make it the blob, for good: file and folders are on disk when this returns.

        Raises:
            BlobConflictError: something that is no blob has its name, or a blob that of a folder above it.
            BlobExistsError: a blob has its name, and is not to be replaced.
        """
        os.fsync(self._file.fileno())
        self._moving = True
        for _ in range(_TRIES):
            # A delete elsewhere may remove a folder it has emptied, which is the one we were about to fill.
            with contextlib.suppress(FileNotFoundError):
                self._move()
                break
        else:
            raise BlobConflictError(self._url, "its folder or the upload itself is being removed")
        status = os.fstat(self._file.fileno())
        self._file.close()
        return status

    def discard(self) -> None:
        """Leave nothing of it, committed or not begun."""
        self._file.close()
        with contextlib.suppress(FileNotFoundError), open_folder(self._root, (UPLOADS,)) as uploads:
            os.unlink(self._name, dir_fd=uploads)
        if self._moving:
            remove_empty(self._root, self._folder)

    def _move(self) -> None:
        try:
            with (
                open_folder(self._root, (UPLOADS,)) as uploads,
                open_folder(self._root, self._folder, make=True) as folder,
            ):
                check_free(folder, self._url)
                if self._replace:
                    os.rename(self._name, self._url.name, src_dir_fd=uploads, dst_dir_fd=folder)
                else:
                    rename_to_free(uploads, self._name, folder, self._url.name)
                os.fsync(folder)
        except FileExistsError:
            raise BlobExistsError(self._url) from None
        except (NotADirectoryError, IsADirectoryError):
            raise BlobConflictError(self._url, "a part of its path is a blob, or it is a folder") from None


def rename_to_free(source: int, name: str, folder: int, target: str) -> None:
    """Rename a file, unless its new name is taken (FileExistsError): rename(2) would replace what has it."""
    os.link(name, target, src_dir_fd=source, dst_dir_fd=folder, follow_symlinks=False)
    os.unlink(name, dir_fd=source)


def check_place(root: str, folder: Parts, url: BlobUrl) -> None:
    """Find out before a body is read that it could not be stored.

    Raises:
        BlobConflictError: as `Upload.commit`.
    """
    try:
        with open_folder(root, folder) as descriptor:
            check_free(descriptor, url)
    except FileNotFoundError:
        return
    except NotADirectoryError:
        raise BlobConflictError(url, "a part of its path is a blob, not a folder") from None


def check_free(folder: int, url: BlobUrl) -> None:
    """Raise BlobConflictError where a blob's name in `folder` is taken by something that is no blob.

    A link is replaced, whatever it leads to inside the account: it is the name that is written, as it is
    the name that a delete removes.
    """
    try:
        status = os.stat(url.name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return
    if not stat.S_ISREG(status.st_mode) and not stat.S_ISLNK(status.st_mode):
        raise BlobConflictError(url, f"the name is taken by {kind_of(status)}")


def remove_abandoned(root: str, now: float) -> int:
    """Remove the files of uploads that nobody has written to for a day; how many there were."""
    # Jobs may write here: a link in the folder's place, however late, leads nowhere.
    try:
        with open_folder(root, (UPLOADS,)) as uploads:
            return sum(_is_removed(uploads, name, now - ABANDONED) for name in os.listdir(uploads))  # noqa: PTH208 - of a descriptor
    except (FileNotFoundError, NotADirectoryError):
        return 0


def _is_removed(uploads: int, name: str, until: float) -> bool:
    """Remove an upload's file that nobody has written to since `until`."""
    with contextlib.suppress(FileNotFoundError, IsADirectoryError):
        if name.endswith(".part") and os.stat(name, dir_fd=uploads, follow_symlinks=False).st_mtime < until:
            os.unlink(name, dir_fd=uploads)
            return True
    return False
