"""The startup cache that all Headlands of the tests share: made by one of them, found by the others in their homes.

It stays for the next run in `~/.cache/headland-tests/startup`, in a folder for each Python environment and each way of
making it, so that two checkouts don't make it in turns; for as long as it fits the Java and the Spark there.
"""

import fcntl
import functools
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from headland.jobs.clusters.companion import Companion, training_digest
from headland.jobs.clusters.java import Toolchain
from headland.jobs.clusters.startup import MadeFile, StartupCache
from headland.settings import JobsSettings

KEPT = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "headland-tests" / "startup"

#: Seconds that making it may take: under a minute where nothing else runs.
_PATIENCE = 900.0


@functools.cache
def companion() -> Path | None:
    """The companion, compiled if it is not there; None where this Spark has no compiler."""
    made = Companion.of(Toolchain.of(JobsSettings()), _folder())
    if made is None:
        return None
    with _locked():
        if not made.file.look():
            with tempfile.TemporaryDirectory(dir=_folder()) as folder:
                subprocess.run([made.tools.java, *made.making(Path(folder))], check=True)
                made.adopt(Path(folder) / "made.jar")
    return made.file.path


@functools.cache
def files() -> tuple[Path, ...]:
    """The companion, then the cache, made if they are not there; none where this Java or this Spark has none."""
    cache = StartupCache.of(Toolchain.of(JobsSettings()), _folder(), training_digest())
    archive = companion()
    if archive is None or cache is None:
        return ()
    with _locked():
        if not cache.file.look():
            _make(cache.file)
    return tuple(file for file in (archive, cache.file.path) if file is not None)


def _folder() -> Path:
    name = hashlib.sha256(f"{sys.prefix}\n{training_digest()}".encode()).hexdigest()[:16]
    folder = KEPT / name
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@contextmanager
def _locked() -> Iterator[None]:
    with (_folder() / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def give(home: Path, *, companion_only: bool = False) -> bool:
    """Have them in a home, unless it has a cache already; whether it has one."""
    cache = home / "cache"
    if not cache.exists() and (given := (companion(),) if companion_only else files()):
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        cache.mkdir(mode=0o700)
        for file in filter(None, given):
            _link(cache / file.name, file)
    return cache.exists()


def _link(link: Path, file: Path) -> None:
    # As it is in a home of its own making.
    file.chmod(0o600)
    try:
        link.hardlink_to(file)
    except OSError:  # another file system
        link.symlink_to(file)


def _make(*wanted: MadeFile) -> None:
    """By a Headland that finds damaged ones in its home."""
    from tests.serving import Served, eventually

    with tempfile.TemporaryDirectory(prefix="headland-startup-") as folder:
        served = Served(Path(folder) / "home", jobs_startup_cache="true", jobs_spark_conf="{}")
        cache = served.home / "cache"
        cache.mkdir(mode=0o700, parents=True)
        damaged = [cache / f"{file.stem}-{file.key}-{'0' * 16}{file.suffix}" for file in wanted]
        for file in damaged:
            file.write_bytes(b"damaged")
        served.start()
        try:
            for file in wanted:
                made = eventually(
                    lambda file=file: next(iter({*cache.glob(f"{file.stem}-*")} - {*damaged}), None),
                    f"the {file.stem} is made",
                    _PATIENCE,
                )
                shutil.copy(made, file.folder)
                assert file.look()
            assert not any(file.exists() for file in damaged)
        finally:
            served.close()


if __name__ == "__main__":
    print(*files(), sep="\n")
