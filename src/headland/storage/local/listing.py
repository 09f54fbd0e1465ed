"""List a folder account's blobs in the order of their paths, from anywhere, without walking what comes before."""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from headland.storage.blobs import BlobInfo, BlobPage
from headland.storage.errors import BlobOutsideAccountError
from headland.storage.local.folders import Parts, locate, open_folder
from headland.storage.names import path_problem, segment_problem


def list_page(
    root: str, container: str, *, prefix: str, marker: str | None, limit: int, shown: object
) -> BlobPage:
    """A page of a container. Blocks.

    Shown is what is a file and what a URL can name. Links to files are shown if they stay inside the
    account; links to folders are followed where `prefix` names them and not where the walk meets them, since
    they may go in circles.

    Raises:
        BlobOutsideAccountError: container or prefix lead out of the account.
        FileNotFoundError: there is no such container.
    """
    with open_folder(root, locate(root, container, "", shown)):
        pass
    above, slash, _ = prefix.rpartition("/")
    start = _Folder(locate(root, container, above, shown), above + slash)
    found = list(islice(_walk(root, start, prefix, marker or ""), limit + 1))
    page = tuple(found[:limit])
    return BlobPage(page, page[-1].path if len(found) > limit else None)


def info_of(path: str, status: os.stat_result) -> BlobInfo:
    """A blob from its file. Every upload makes a new file, so its inode tells contents apart as well."""
    etag = f'"{status.st_mtime_ns:x}-{status.st_size:x}-{status.st_ino:x}"'
    return BlobInfo(path, status.st_size, status.st_mtime_ns // 1_000_000, etag)


@dataclass(slots=True)
class _Folder:
    """A folder that the walk is in."""

    parts: Parts
    #: Its blobs' paths begin with this.
    above: str
    #: Names still to come; None before it was read.
    names: Iterator[str] | None = None


def _walk(root: str, start: _Folder, prefix: str, marker: str) -> Iterator[BlobInfo]:
    """Depth first, by a stack of names and one open folder: a path of 254 segments, which anybody may
    upload, costs neither as many calls in one another nor as many descriptors."""
    stack = [start]
    while stack:
        folder = stack[-1]
        try:
            with open_folder(root, folder.parts) as descriptor:
                folder.names = folder.names or iter(_names(descriptor))
                for name in folder.names:
                    path = folder.above + name
                    if name.endswith("/"):
                        if _may_hold(path, prefix, marker):
                            stack.append(_Folder((*folder.parts, name[:-1]), path))
                            break
                    elif path.startswith(prefix) and path > marker and path_problem(path) is None:
                        status = status_within(root, folder.parts, descriptor, name)
                        if status is not None:
                            yield info_of(path, status)
                else:
                    stack.pop()
        except (FileNotFoundError, NotADirectoryError):
            # Gone, or replaced by something else, since its name was read.
            stack.remove(folder)


def _names(descriptor: int) -> list[str]:
    """A folder's names in the order of the *paths* below them, so folders end in a slash: `a-b` comes before
    `a/x`, which a plain order of names would turn round."""
    with os.scandir(descriptor) as entries:
        return sorted(
            entry.name + "/" if entry.is_dir(follow_symlinks=False) else entry.name
            for entry in entries
            if segment_problem(entry.name) is None
        )


def _may_hold(folder: str, prefix: str, marker: str) -> bool:
    """Whether a blob that is wanted can be in `folder` (which ends in `/`)."""
    wanted = folder.startswith(prefix) or prefix.startswith(folder)
    return wanted and path_problem(folder + "x") is None and (folder > marker or marker.startswith(folder))


def status_within(root: str, parts: Parts, descriptor: int, name: str) -> os.stat_result | None:
    """A file's status, or that of the file a link leads to inside the account; None for anything else."""
    try:
        status = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
        if stat.S_ISLNK(status.st_mode):
            target = locate(root, parts[0], "/".join((*parts[1:], name)), name)
            with open_folder(root, target[:-1]) as folder:
                status = os.stat(target[-1], dir_fd=folder, follow_symlinks=False)
    except (OSError, BlobOutsideAccountError):
        return None
    return status if stat.S_ISREG(status.st_mode) else None
