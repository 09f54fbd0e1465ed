"""Bring what an application is made of from cluster storage into its run directory. May be repeated."""

import asyncio
import errno
import shutil
import zipfile
from pathlib import Path
from urllib.parse import unquote

import msgspec

from headland.jobs.batches.errors import RejectedError
from headland.jobs.batches.paths import PathRules, local_path, scheme_of
from headland.jobs.batches.submission import Submission
from headland.jobs.isolation.isolation import package_folder
from headland.jobs.runner.run_directory import RunDirectory
from headland.settings import JobsSettings
from headland.storage import StorageError

#: Bytes that must be free where a batch is to run.
ROOM = 1 << 20


class StagingError(Exception):
    """Something can't be brought, ever. The message is for the batch's owner."""


class StagingDelayedError(Exception):
    """Storage can't be reached now, or there is no room for what it has; there may be later."""


def stage(submission: Submission, directory: RunDirectory, paths: PathRules) -> Submission:
    """The submission with local paths in the place of storage URLs.

    Raises:
        StagingError: something is not there (any more), not allowed, or is not an archive.
        StagingDelayedError: storage does not answer, or the disk is full.
    """
    _clear(directory.staged)
    if shutil.disk_usage(directory.path).free < ROOM:
        # Not worth a try: the runner could not even put on record that it was there.
        raise StagingDelayedError("the disk of the run directories is full")
    try:
        directory.staged.mkdir(mode=0o700, exist_ok=True)
        staged = {path: _fetch(path, index, directory, paths) for index, path in enumerate(submission.paths)}
    except OSError as error:
        if error.errno not in {errno.ENOSPC, errno.EDQUOT}:
            raise
        _clear(directory.staged)
        raise StagingDelayedError(f"the disk of the run directories: {error.strerror}") from error
    if not submission.python:
        for path in (submission.file, *submission.jars):
            if path in staged:
                _check_archive(path, staged[path])
    return msgspec.structs.replace(
        submission,
        file=staged.get(submission.file, submission.file),
        jars=tuple(staged[path] for path in submission.jars),
        py_files=tuple(staged[path] for path in submission.py_files),
        files=tuple(staged[path] for path in submission.files),
        archives=tuple(staged[path] for path in submission.archives),
    )


def with_package_cache(
    submission: Submission, settings: JobsSettings, packages: Path, owner: str | None
) -> Submission:
    """The submission with a folder for what its `spark.jars.packages` bring, one that jobs of its owner share."""
    if "spark.jars.ivy" in {*settings.spark_conf, *submission.conf}:
        return submission
    folder = package_folder(packages, owner)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return msgspec.structs.replace(submission, conf={"spark.jars.ivy": str(folder), **submission.conf})


def _clear(staged: Path) -> None:
    """Empty the folder, and keep it: a program that waits behind walls sees this one, and no later one of its name."""
    for entry in staged.iterdir() if staged.is_dir() else ():
        shutil.rmtree(entry, ignore_errors=True)


def _fetch(path: str, index: int, directory: RunDirectory, paths: PathRules) -> str:
    """Where `path` is now. Each blob gets a folder of its own: names must stay, and may be the same."""
    try:
        blob = paths.blob(path)
        if blob is None:
            paths.check(path)
            return path
        folder = directory.staged / str(index)
        folder.mkdir()
        target = folder / blob.name
        asyncio.run(paths.storage.download(blob, target))
    except RejectedError as error:
        raise StagingError(error.message) from None
    except StorageError as error:
        if error.status >= 500:
            raise StagingDelayedError(str(error)) from error
        raise StagingError(str(error)) from None
    # A name for what is unpacked is a URL's to have; in a plain path `#` would be a character like any other
    # as soon as something else in the path can't stand in a URL.
    return f"{target.as_uri()}#{blob.fragment}" if blob.fragment else str(target)


def _check_archive(path: str, staged: str) -> None:
    local = local_path(staged)
    if local is None:  # Spark fetches it itself
        return
    plain = local.partition("#")[0]
    file = Path(unquote(plain) if scheme_of(staged) else plain)
    if not file.is_file():
        raise StagingError(f"{path}: there is no such file.")
    if not zipfile.is_zipfile(file):
        raise StagingError(f"{path} is not an application archive: a jar is a zip file, and this is none.")
