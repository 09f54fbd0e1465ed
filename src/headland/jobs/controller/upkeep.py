"""What the controller does besides its jobs, when there is time: caches, warm drivers, and leavings of those."""

import threading
import time
from collections.abc import Callable, Sequence

import structlog
from sqlalchemy import select, union_all

from headland.database import Database, DatabaseUnavailableError
from headland.jobs.batches.tables import batch
from headland.jobs.controller.held import sweep
from headland.jobs.controller.making import Making
from headland.jobs.controller.warm import WarmDrivers
from headland.jobs.runner.run_directory import RunDirectory
from headland.jobs.sessions.tables import session
from headland.settings import Home, JobsSettings

_log = structlog.get_logger("headland.jobs.controller")

#: Seconds after more jobs run than before until a driver is warmed up beside them: so long they have the processors
#: to themselves, and short ones are done.
SETTLING = 5.0

#: Least seconds between looks.
BETWEEN = 0.2

#: Seconds until the next look after one that failed in a way that nobody foresaw.
AFTER_FAILURE = 60.0


class Upkeep:
    """One look at a time, in whatever thread."""

    def __init__(
        self,
        database: Database,
        settings: JobsSettings,
        home: Home,
        *,
        making: Making,
        pools: Sequence[WarmDrivers],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._database = database
        self._settings = settings
        self._home = home
        self._making = making
        self._pools = pools
        self._clock = clock
        self._one = threading.Lock()
        self._running = 0
        self._last_more = -SETTLING
        self._last_session = -SETTLING
        self._next = 0.0
        self._unswept: list[RunDirectory] | None = None
        self._closed = False

    def due(self) -> bool:
        """Whether it is time for a look: a burst of batches is not worth one each."""
        return self._clock() >= self._next

    def session_starts(self) -> None:
        """Have nothing take the processors from a session that is being started."""
        self._last_session = self._clock()
        for pool in self._pools:
            pool.make_way()

    def look(self, running: int, free: int) -> None:
        """Do what may be done while `running` batches run and `free` more could. Returns at once if another thread
        is at it.
        """
        if not self._one.acquire(blocking=False):
            return
        try:
            now = self._clock()
            self._next = now + BETWEEN
            if running > self._running:
                self._last_more = now
            self._running = running
            if self._closed or not self._sweep():
                return
            idle = running == 0
            settled = now - self._last_session >= SETTLING
            quiet = settled and (idle or (free > 0 and now - self._last_more >= SETTLING))
            settings = self._settings
            for pool in self._pools:
                # With the cache a driver is ready in a quarter of the time, and two at once get in each other's way.
                alone = not any(other.under_way for other in self._pools)
                pool.tend(quiet=quiet and alone and not (idle and self._making.cache_missing))
            self._making.tend(cache=idle and settled and settings.startup_cache)
        except DatabaseUnavailableError as error:
            _log.warning("upkeep.delayed", reason=str(error))
        except Exception:  # noqa: BLE001 - batches go on without any of this
            _log.exception("upkeep.failed")
            self._next = self._clock() + AFTER_FAILURE
        finally:
            self._one.release()

    def close(self) -> None:
        """End what is under way. Nothing is begun any more."""
        with self._one:
            self._closed = True
            for pool in self._pools:
                pool.close()
            self._making.close()

    def _sweep(self) -> bool:
        """Remove run directories that no job has: drivers of controllers that are gone. Whether that is done."""
        if self._unswept is None:
            # In this order: a directory is made before its row knows of it.
            found = [
                RunDirectory(path)
                for folder in (self._home.batches, self._home.sessions)
                if folder.is_dir()
                for path in folder.iterdir()
            ]
            keys = union_all(select(batch.c.run_key), select(session.c.run_key))
            owned = self._database.read(lambda connection: set(connection.scalars(keys)))
            self._unswept = [
                directory
                for directory in found
                if directory.path.name not in owned and _was_never_launched(directory)
            ]
        self._unswept = [directory for directory in self._unswept if not sweep(directory)]
        return not self._unswept


def _was_never_launched(directory: RunDirectory) -> bool:
    return directory.path.is_dir() and not directory.launch.exists() and not directory.launched.exists()
