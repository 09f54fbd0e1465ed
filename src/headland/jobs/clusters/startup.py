"""Caches that start a JVM faster: Spark's classes, parsed and linked beforehand.

Java 25 and later keep an AOT cache (JEP 514, JEP 515), Java 17 to 24 an archive of application classes (JEP 350).
Both are made by a training run of Spark, fit one Java and one class path, and are ignored by a JVM that they do
not fit, or that begins its class path with anything else. What a JVM says about that is kept out of its output.
"""

import hashlib
import os
import threading
from dataclasses import dataclass, field
from pathlib import Path

from headland.jobs.clusters.java import Toolchain

#: First versions of Java with the two kinds of cache.
_ARCHIVE_SINCE = 17
_AOT_SINCE = 25

#: Part of every key: another way of making these files makes others of them.
_FORMAT = "1"


@dataclass(slots=True)
class MadeFile:
    """A file of the cache folder that can be made again. Its name holds what it was made from, and the digest of
    its content: one that a full disk cut short, or a bad one damaged, is not used.
    """

    folder: Path
    stem: str
    key: str
    suffix: str
    _path: Path | None = None
    _stamp: tuple[int, int, int] | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def path(self) -> Path | None:
        """Where it is, if it is there and still what was looked at."""
        with self._lock:
            if self._path is not None and _stamp(self._path) != self._stamp:
                self._path = None
            return self._path

    def look(self) -> bool:
        """Read what is there; whether it can be used. What can't is removed, and what was for another key."""
        for found in sorted(self.folder.glob(f"{self.stem}-*{self.suffix}")):
            stamp = _stamp(found)
            if found.name == self._name(_digest(found)):
                with self._lock:
                    self._path, self._stamp = found, stamp
            else:
                found.unlink(missing_ok=True)
        return self.path is not None

    def adopt(self, made: Path) -> None:
        """Give a file that was just made its name, and remove the others.

        Raises:
            OSError: there is none.
        """
        made.rename(self.folder / self._name(_digest(made)))
        self.look()

    def _name(self, digest: str) -> str:
        return f"{self.stem}-{self.key}-{digest}{self.suffix}"


@dataclass(slots=True)
class StartupCache:
    """The cache for one Java and one Spark."""

    tools: Toolchain
    file: MadeFile

    @classmethod
    def of(cls, tools: Toolchain, folder: Path, trained_by: str) -> "StartupCache | None":
        """None where this Java has no such thing. `trained_by` names the training run."""
        version = tools.java_version()
        if version < _ARCHIVE_SINCE:
            return None
        suffix = ".aot" if version >= _AOT_SINCE else ".jsa"
        return cls(tools, MadeFile(folder, "startup", key_of(tools, trained_by), suffix))

    @property
    def _aot(self) -> bool:
        return self.file.suffix == ".aot"

    def use(self) -> list[str]:
        """JVM options that use the cache, if it is there."""
        path = self.file.path
        if path is None:
            return []
        if self._aot:
            return [f"-XX:AOTCache={path}", "-Xlog:aot*=off", "-Xlog:cds*=off"]
        return [f"-XX:SharedArchiveFile={path}", "-Xlog:cds*=off", "-Xlog:class+path=off"]

    def making(self, training: list[str], options: list[str], folder: Path) -> list[list[str]]:
        """Arguments of Java, run by run, that make the cache in `folder`, under the name `made`, from a run of
        `training`.
        """
        made = folder / f"made{self.file.suffix}"
        classes = ["-cp", self.tools.archives]
        if not self._aot:
            return [[f"-XX:ArchiveClassesAtExit={made}", *classes, *options, *training]]
        recorded = f"-XX:AOTConfiguration={folder / 'recorded'}"
        # Not in one step (`-XX:AOTCacheOutput`), which hands its options on without quotes.
        return [
            ["-XX:AOTMode=record", recorded, *classes, *options, *training],
            ["-XX:AOTMode=create", recorded, f"-XX:AOTCache={made}", *classes, *options],
        ]


def key_of(tools: Toolchain, trained_by: str) -> str:
    """What a JVM compares before it uses a cache, as a name: Java, and the archives in the order of its class path."""
    seen = hashlib.sha256(f"{tools.java}\n{archives_key(tools, trained_by)}\n".encode())
    try:
        seen.update((tools.java_home / "release").read_bytes())
    except OSError:
        seen.update(str(_stamp(tools.java)).encode())
    return seen.hexdigest()[:16]


def archives_key(tools: Toolchain, made_from: str) -> str:
    """The key of what any Java can use: Spark's archives, and what else it was made from."""
    seen = hashlib.sha256(f"{_FORMAT}\n{tools.archives}\n{made_from}\n".encode())
    with os.scandir(tools.spark_home / "jars") as entries:
        for entry in entries:
            stat = entry.stat()
            seen.update(f"{entry.name} {stat.st_size} {stat.st_mtime_ns}\n".encode())
    return seen.hexdigest()[:16]


def _digest(file: Path) -> str:
    try:
        with file.open("rb") as opened:
            return hashlib.file_digest(opened, "sha256").hexdigest()[:16]
    except FileNotFoundError:
        return ""


def _stamp(file: Path) -> tuple[int, int, int] | None:
    try:
        stat = file.stat()
    except OSError:
        return None
    return stat.st_ino, stat.st_size, stat.st_mtime_ns
