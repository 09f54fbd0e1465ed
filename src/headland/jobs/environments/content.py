"""Contents on disk: a folder of installed packages each, made whole or not at all."""

import contextlib
import os
import secrets
import shutil
import sys
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from headland.jobs.environments.wire import Package

#: What executors on other machines find their Python under, in their working folder.
SHIPPED = "environment"

#: Runs the machine's own Python with the packages that were shipped. Spark's own come first: a request's packages must
#: not replace the PySpark that the driver speaks.
_LAUNCHER = """#!/bin/sh
here=$(cd "$(dirname "$0")/.." && pwd)
PYTHONPATH="${{PYTHONPATH:+$PYTHONPATH:}}$here/packages" exec python{version} "$@"
"""

_BUILDING = ".building-"


class Description(msgspec.Struct, frozen=True):
    """What a content says of itself, in `environment.json`: written last, so it is whole where that is there."""

    #: `3.11`, for example.
    python: str
    packages: list[Package]
    #: Bytes on disk.
    size: int


@dataclass(frozen=True, slots=True)
class Content:
    """A folder of installed packages, with a Python that finds them."""

    path: Path

    @property
    def python(self) -> Path:
        return self.path / "bin" / "python"

    @property
    def digest(self) -> str:
        return self.path.name

    def describe(self) -> Description | None:
        """What is in it; None where it is not there, or not whole."""
        try:
            return msgspec.json.decode((self.path / "environment.json").read_bytes(), type=Description)
        except (FileNotFoundError, msgspec.DecodeError):
            return None

    def archive(self) -> Path:
        """Its packages as Spark ships them to executors on other machines, made when it is first asked for.

        It has no Python of its own: on each machine there has to be one of the same minor version on the `PATH`.

        Raises:
            FileNotFoundError: the content is not there.
        """
        # A plain tar would lose the launcher's mode where executors unpack it.
        target = self.path / "packages.tar.gz"
        if target.exists():
            return target
        description = self.describe()
        if description is None:
            raise FileNotFoundError(self.path)
        making = self.path / f"packages-{secrets.token_hex(8)}"
        launcher = self.path / f"launcher-{secrets.token_hex(8)}"
        try:
            launcher.write_text(_LAUNCHER.format(version=description.python), "utf-8")
            launcher.chmod(0o755)
            with tarfile.open(making, "w:gz", compresslevel=1) as archive:
                archive.add(launcher, "bin/python")
                archive.add(
                    self.path / "lib" / f"python{description.python}" / "site-packages",
                    "packages",
                    filter=_without_owner,
                )
            making.replace(target)
        finally:
            making.unlink(missing_ok=True)
            launcher.unlink(missing_ok=True)
        return target


@dataclass(frozen=True, slots=True)
class Contents:
    """All contents of a home."""

    path: Path

    def content(self, digest: str) -> Content:
        return Content(self.path / digest)

    @contextlib.contextmanager
    def building(self) -> Iterator[Path]:
        """A folder to build in, which is gone afterwards unless it was adopted."""
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder = self.path / f"{_BUILDING}{secrets.token_hex(8)}"
        folder.mkdir(mode=0o700)
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def adopt(self, built: Path, digest: str, packages: list[Package]) -> Content:
        """Have `built`, a virtual environment, as the content of a digest; the one that is there if it is whole."""
        content = self.content(digest)
        if content.describe() is None:
            shutil.rmtree(content.path, ignore_errors=True)
            version = f"{sys.version_info.major}.{sys.version_info.minor}"
            folders = sorted(path.name.removeprefix("python") for path in (built / "lib").glob("python3.*"))
            description = Description(folders[-1] if folders else version, packages, size_of(built))
            file = built / "environment.json"
            file.write_bytes(msgspec.json.encode(description))
            _flush(built)
            built.rename(content.path)
            _flush_one(self.path)
        return content

    def sweep(self, needed: set[str]) -> list[str]:
        """Remove contents that are not `needed`, and what killed builds have left. The digests that went."""
        gone = []
        for folder in self.path.iterdir() if self.path.is_dir() else ():
            if folder.name.startswith(_BUILDING):
                shutil.rmtree(folder, ignore_errors=True)
            elif folder.name not in needed and folder.is_dir():
                # The description first: what is left of a removal that is cut short is not whole.
                (folder / "environment.json").unlink(missing_ok=True)
                shutil.rmtree(folder, ignore_errors=True)
                gone.append(folder.name)
        return gone


def size_of(folder: Path) -> int:
    """Bytes of the files below a folder."""
    return sum(file.lstat().st_size for file in folder.rglob("*") if file.is_file() and not file.is_symlink())


def _without_owner(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
    if "__pycache__" in Path(entry.name).parts:
        return None  # executors may have another patch of Python, and compile for themselves
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    return entry


def _flush(folder: Path) -> None:
    """Have all that was written below a folder on disk."""
    for path in sorted(folder.rglob("*"), reverse=True):
        if not path.is_symlink():
            _flush_one(path)
    _flush_one(folder)


def _flush_one(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
