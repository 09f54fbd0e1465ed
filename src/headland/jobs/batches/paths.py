"""Which paths a request may name: cluster storage, and what the settings add to it."""

import os.path
import re
from dataclasses import dataclass
from pathlib import Path

from headland.jobs.batches.errors import RejectedError, RequirementError
from headland.settings import JobsSettings
from headland.storage import BlobUrl, Storage, StorageUrlError

#: The scheme of URLs that Headland fetches itself.
STORAGE_SCHEME = "wasbs"

#: Characters of a path: above this it is a mistake, and to follow a local one takes longer the longer it is.
LONGEST = 8192

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]*):")
_UNPRINTABLE = re.compile(r"[\s\x00-\x1f]")


@dataclass(frozen=True, slots=True)
class PathRules:
    """The rules for one deployment."""

    storage: Storage
    schemes: frozenset[str]
    #: Folders below which local files may be named, with all links resolved.
    local_folders: tuple[Path, ...]

    @classmethod
    def of(cls, settings: JobsSettings, storage: Storage) -> "PathRules":
        folders = tuple(Path(folder).expanduser().resolve() for folder in settings.local_folders)
        return cls(storage, frozenset(scheme.lower() for scheme in settings.url_schemes), folders)

    def check(self, path: str) -> None:
        """Raise what is wrong with a path.

        Raises:
            RejectedError: its scheme or place is not allowed, or it is malformed.
        """
        if len(path) > LONGEST:
            raise RejectedError(
                f"'{path[:200]}…' has {len(path)} characters; a path has {LONGEST} at the most."
            )
        if _UNPRINTABLE.search(path):
            raise RejectedError(f"'{path[:200]}' is not a URL: it has white space or control characters.")
        if "," in path:
            # Else Spark would fetch what comes after it, which nobody has checked.
            raise RejectedError(f"'{path[:200]}' has a comma, which for Spark is the end of a path.")
        if (local := local_path(path)) is not None:
            self._check_local(path, local)
            return
        scheme = scheme_of(path)
        if scheme not in self.schemes:
            raise RequirementError(
                f"'{path[:200]}' has the scheme '{scheme}', which is not allowed here; "
                f"the setting jobs.url_schemes allows: {', '.join(sorted(self.schemes))}."
            )
        if scheme == STORAGE_SCHEME:
            self.blob(path)

    def blob(self, path: str) -> BlobUrl | None:
        """The blob that a path names; None for a path of another kind.

        Raises:
            RejectedError: it is on cluster storage and malformed.
        """
        if scheme_of(path) != STORAGE_SCHEME:
            return None
        try:
            return self.storage.parse(path)
        except StorageUrlError as error:
            raise RejectedError(str(error)) from None

    def _check_local(self, path: str, local: str) -> None:
        if not local.startswith("/"):
            raise RequirementError(f"Path '{path[:200]}' is not absolute.")
        real = Path(os.path.realpath(local.partition("#")[0]))
        # `//a/b` is the file /a/b here, and /b on the host `a` where it is read as a URL.
        if local.startswith("//") or not any(real.is_relative_to(folder) for folder in self.local_folders):
            raise RequirementError(
                f"Local path {local[:200]} cannot be added to user sessions. Upload the file to cluster storage "
                "and name it as wasbs://<container>@<account>/<path> or wasbs:///<path>; local files may be named "
                "where the setting jobs.local_folders has their folder."
            )
        if not os.path.isfile(real):  # noqa: PTH113 - Path's own raises where no file can have such a name
            raise RequirementError(f"Local path {local[:200]} is not a file.")


def scheme_of(path: str) -> str | None:
    """The scheme in lower case, or None."""
    match = _SCHEME.match(path)
    return match[1].lower() if match else None


def local_path(path: str) -> str | None:
    """The path itself if it is a local one: without scheme, or with `file:`."""
    scheme = scheme_of(path)
    if scheme is None:
        return path
    if scheme != "file":
        return None
    rest = path[len("file:") :]
    return re.sub(r"^//(localhost)?(?=/)", "", rest, flags=re.IGNORECASE)
