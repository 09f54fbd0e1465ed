"""How long is an ended batch kept? Those that ended too long ago, or are too many, are deleted as if by a caller.

A sweep marks a small portion of them; the controller does the rest as with any deletion, so that one cut short
goes on after the next start. Run directories that no row knows go as well: a database that was brought back
from a backup leaves such.
"""

import contextlib
import os
import re
import shutil
import signal
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import structlog
from sqlalchemy import Connection

from headland.database import Database, DatabaseUnavailableError
from headland.jobs.batches import store
from headland.jobs.batches.submission_keys import forget_submission_keys, has_submission_keys
from headland.jobs.clusters.launch import MARK
from headland.jobs.runner.processes import marked
from headland.jobs.runner.run_directory import RunDirectory
from headland.settings import Home, JobsSettings

_log = structlog.get_logger("headland.jobs.controller")

#: Batches marked at once. Users' own batches share database and disk with what becomes of it.
PORTION = 50

#: Seconds to the next sweep: when there was nothing more to do, and when there was.
PAUSE = 60.0
SHORT_PAUSE = 1.0

#: Sweeps from one look for stray run directories to the next.
SWEEPS_A_LOOK = 60

#: Milliseconds that a run directory is left alone, whoever may know it.
STRAY_AGE = 3_600_000

#: Run directories that are asked for at once.
_AT_ONCE = 500

_RUN_KEY = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class Retention:
    """Sweeps. `clock` counts milliseconds since the epoch."""

    database: Database
    settings: JobsSettings
    home: Home
    clock: Callable[[], int]

    def run(self, stopping: threading.Event) -> None:
        """Sweep now and then until `stopping`. What fails is tried again."""
        sweeps = 0
        while True:
            more = False
            try:
                more = self.sweep()
                if not more:
                    if sweeps % SWEEPS_A_LOOK == 0:
                        self.clear_strays()
                    sweeps += 1
            except (DatabaseUnavailableError, OSError) as error:
                _log.warning("retention.delayed", reason=str(error))
            if stopping.wait(SHORT_PAUSE if more else PAUSE):
                return

    def sweep(self) -> bool:
        """Mark a portion of what is to go; whether there may be more."""
        now = self.clock()
        before = now - int(self.settings.keep_ended_for * 1000) if self.settings.keep_ended_for else None
        keep = self.settings.keep_ended or None
        going = self.database.read_snapshot(
            lambda connection: store.outlived(connection, before, keep, PORTION)
        )
        if going:
            self.database.write_and_wait(partial(_mark, batches=going, now=now))
            _log.info("retention.marked", batches=len(going), first=going[0], last=going[-1])
        first_sent = now - int(self.settings.submission_key_lifetime * 1000)
        if self.database.read(partial(has_submission_keys, before=first_sent)):
            self.database.write_and_wait(partial(forget_submission_keys, before=first_sent))
        return len(going) == PORTION

    def clear_strays(self) -> None:
        """Remove run directories that belong to no batch, and at which nobody is at work."""
        old = list(self._old_directories())
        for start in range(0, len(old), _AT_ONCE):
            names = old[start : start + _AT_ONCE]
            known = self.database.read(partial(store.known_run_keys, run_keys=names))
            for name in sorted(set(names) - known):
                _clear(RunDirectory(self.home.batches / name))

    def _old_directories(self) -> Iterator[str]:
        before = (self.clock() - STRAY_AGE) / 1000
        with contextlib.suppress(FileNotFoundError), os.scandir(self.home.batches) as found:
            for entry in found:
                if _RUN_KEY.fullmatch(entry.name) and entry.is_dir(follow_symlinks=False):
                    with contextlib.suppress(FileNotFoundError):
                        if entry.stat(follow_symlinks=False).st_mtime < before:
                            yield entry.name


def _mark(connection: Connection, batches: list[int], now: int) -> None:
    for batch_id in batches:
        store.request_delete(connection, batch_id, now)


def _clear(directory: RunDirectory) -> None:
    """Remove a stray, and what its runner left running; a runner at work is left alone."""
    lock = directory.take_lock()
    if lock is None:
        return
    try:
        if directory.launched.exists() and not directory.exit.exists():
            for pid in marked(MARK, directory.path.name):
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
        shutil.rmtree(directory.path)
        _log.info("retention.stray_removed", run=directory.path.name)
    except OSError as error:
        _log.warning("retention.stray_not_removed", run=directory.path.name, reason=str(error))
    finally:
        os.close(lock)
