"""Warm drivers: JVMs that stand ready in run directories of their own, each for one batch or session.

A job that is claimed takes over a driver's run key, and with it the directory, the runner and the JVM. So a driver
is never lost between two owners: until the claim is committed the directory has no row, and goes with the
controller; from then on it is the job's, whatever becomes of JVM, runner and controller.
"""

import secrets
import shutil
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import structlog

from headland.jobs.batches.submission import Submission
from headland.jobs.clusters.cluster import Clusters
from headland.jobs.clusters.companion import WARM_DRIVER, training
from headland.jobs.clusters.java import argument_file
from headland.jobs.clusters.machine import Machine
from headland.jobs.controller.held import Held, make_folders, write_private
from headland.jobs.controller.making import Making
from headland.jobs.controller.memory import available, of_driver
from headland.jobs.controller.tries import Tries
from headland.jobs.isolation.isolation import IsolationError, behind
from headland.jobs.runner.run_directory import RunDirectory
from headland.jobs.wakeup import socket_address
from headland.settings import Home, JobsSettings

_log = structlog.get_logger("headland.jobs.controller")

#: Seconds that a JVM gets to become ready: far above what it takes.
_PATIENCE = 180.0

#: Seconds after which a JVM that gets ready is worth waiting for: a job is served sooner by it than by a new one.
_WORTH = 1.0

#: Free memory, in drivers, below which none is started, and below which those that wait are let go.
_ENOUGH, _SHORT = 4, 1


@dataclass(frozen=True, slots=True)
class Purpose:
    """What drivers stand ready for."""

    #: How many.
    wanted: int
    #: Where run directories of such jobs are.
    folder: Path
    #: A job that asks for nothing: its JVM is the one that stands ready.
    plain: Submission
    #: What a runner is to start, command and environment, that a directory's JVM may be had behind these walls, with
    #: this command and environment.
    program: Callable[[RunDirectory, list[str], list[str], dict[str, str]], tuple[list[str], dict[str, str]]]


def for_batches(wanted: int, home: Home) -> Purpose:
    """Drivers for batches are the JVMs themselves."""

    def program(
        _: RunDirectory, walls: list[str], java: list[str], environment: dict[str, str]
    ) -> tuple[list[str], dict[str, str]]:
        return behind(walls, java), environment

    return Purpose(wanted, home.batches, Submission(file=""), program)


@dataclass(frozen=True, slots=True)
class Driver:
    """A JVM that waits, or gets ready to."""

    held: Held
    machine: Machine
    #: By the monotonic clock.
    started: float

    @property
    def run_key(self) -> str:
        return self.held.directory.path.name


class WarmDrivers:
    """The drivers that this controller holds. `take` may be called beside the rest, which is one thread's at a time."""

    def __init__(
        self,
        cluster: Clusters,
        settings: JobsSettings,
        home: Home,
        *,
        making: Making,
        purpose: Purpose,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._cluster = cluster
        self._settings = settings
        self._home = home
        self._making = making
        self._purpose = purpose
        self._clock = clock
        self._lock = threading.Lock()
        self._waiting: dict[str, Driver] = {}
        self._taken: dict[str, Driver] = {}
        #: Those that were told to end, and have files left.
        self._leaving: list[Driver] = []
        self._known_ready: set[str] = set()
        self._tries = Tries()
        self._memory_told = False

    def tend(self, *, quiet: bool) -> None:
        """Bury the dead, and start another if one is missing and the machine has time for it."""
        self._bury()
        companion = self._making.companion
        if self._purpose.wanted == 0 or companion is None or companion.path is None:
            return
        free, driver = available(), of_driver(self._settings.driver_memory)
        if free is not None and free < _SHORT * driver:
            self._let_go(list(self._waiting.values()), "memory is short")
        with self._lock:
            missing = len(self._waiting) < self._purpose.wanted
        if not missing or self.under_way or not quiet or not self._tries.due(self._clock()):
            return
        if free is not None and free < _ENOUGH * driver:
            if not self._memory_told:
                _log.warning("driver.none", reason="memory is short", free=free, wanted=_ENOUGH * driver)
            self._memory_told = True
            return
        self._memory_told = False
        self._start()

    @property
    def under_way(self) -> bool:
        """Whether one is getting ready."""
        with self._lock:
            return any(not waiting.held.ready for waiting in self._waiting.values())

    def take(self, submission: Submission) -> str | None:
        """The run key of a driver for `submission`, which is its from now on. Where there is none, those that are
        still getting ready make way.
        """
        with self._lock:
            fitting = [driver for driver in self._waiting.values() if self._fits(driver, submission)]
            fitting.sort(key=lambda driver: (not driver.held.ready, driver.started))
            if fitting:
                first = fitting[0]
                if first.held.ready or self._clock() - first.started >= _WORTH:
                    self._taken[first.run_key] = self._waiting.pop(first.run_key)
                    return first.run_key
        self.make_way()
        return None

    def make_way(self) -> None:
        """Let go of those that are still getting ready: a job that starts on its own needs the processors."""
        with self._lock:
            unready = [driver for driver in self._waiting.values() if not driver.held.ready]
        self._let_go(unready, "a job needs the processors")

    def taken(self, run_key: str) -> Driver | None:
        """A driver that a job has taken and that was not told to go yet."""
        return self._taken.get(run_key)

    def give_back(self, run_key: str) -> None:
        """The job was not to be had, for certain."""
        with self._lock:
            self._waiting[run_key] = self._taken.pop(run_key)

    def give_up(self, run_key: str) -> None:
        """End a driver that a job has taken, and leave its directory."""
        driver = self._taken.get(run_key)
        if driver is not None:
            # With it the end of the pipe would be as good as the word.
            driver.held.directory.launch.unlink(missing_ok=True)
            driver.held.let_go()
            driver.held.gone()
            self._taken.pop(run_key, None)

    def handed_over(self, run_key: str) -> None:
        self._taken.pop(run_key, None)

    def close(self) -> None:
        """End all that no job has taken, and remove them. Those taken end too, unless their job is there."""
        with self._lock:
            waiting = [*self._waiting.values(), *self._leaving]
            self._waiting, self._leaving = {}, []
        for driver in [*waiting, *self._taken.values()]:
            driver.held.let_go()
        for driver in waiting:
            driver.held.gone()
            shutil.rmtree(driver.held.directory.path, ignore_errors=True)

    def _fits(self, driver: Driver, submission: Submission) -> bool:
        if driver.held.exit_code is not None:
            return False
        if self._settings.isolation != "none" and self._brings_packages(submission):
            return False  # its owner's folder of packages is not among what this driver sees
        try:
            return self._cluster.machine(submission, driver.held.directory) == driver.machine
        except ValueError:
            return False  # its options can't be split, which is said when it is planned

    def _brings_packages(self, submission: Submission) -> bool:
        return "spark.jars.packages" in {*self._settings.spark_conf, *submission.conf}

    def _start(self) -> None:
        companion = self._making.companion
        if companion is None or companion.path is None:
            return
        directory = RunDirectory(self._purpose.folder / secrets.token_hex(16))
        try:
            driver = self._start_in(directory, companion.path)
        except (OSError, IsolationError) as error:  # a full disk, or too many processes
            pause = self._tries.failed(self._clock())
            _log.warning("driver.lost", run=directory.path.name, said=str(error), again_in=pause)
            shutil.rmtree(directory.path, ignore_errors=True)
            return
        with self._lock:
            self._waiting[driver.run_key] = driver
        _log.info("driver.warming", run=driver.run_key, runner=driver.held.runner.pid)

    def _start_in(self, directory: RunDirectory, companion: Path) -> Driver:
        make_folders(directory)
        machine = self._cluster.machine(self._purpose.plain, directory)
        arguments = self._cluster.command(
            machine, WARM_DRIVER, *training(companion, directory, machine.lasting), last=companion
        )
        file = directory.path / "warm.args"
        write_private(file, argument_file(arguments))
        java = [str(self._cluster.tools.java), f"@{file}"]
        access = self._cluster.access
        if access is not None:
            # There to be seen from behind walls: the job's own go into the same file.
            write_private(directory.instances, "[]")
        walls = self._cluster.enclose(directory)
        held = Held(
            directory,
            *self._purpose.program(directory, walls, java, machine.environment),
            socket_address(self._home.controller_socket),
            patience=_PATIENCE,
            identity=access.endpoint if access is not None else None,
        )
        return Driver(held, machine, self._clock())

    def _bury(self) -> None:
        with self._lock:
            leaving, self._leaving = self._leaving, []
            dead = [driver for driver in self._waiting.values() if driver.held.exit_code is not None]
            for driver in dead:
                del self._waiting[driver.run_key]
            ready = {key for key, driver in self._waiting.items() if driver.held.ready}
        for driver in leaving:
            driver.held.gone()
            shutil.rmtree(driver.held.directory.path, ignore_errors=True)
        for key in ready - self._known_ready:
            self._tries.succeeded()
            _log.info("driver.warm", run=key)
        self._known_ready = ready
        for driver in dead:
            driver.held.let_go()
            driver.held.gone()
            pause = self._tries.failed(self._clock())
            _log.warning("driver.lost", run=driver.run_key, said=driver.held.last_words(), again_in=pause)
            shutil.rmtree(driver.held.directory.path, ignore_errors=True)

    def _let_go(self, drivers: list[Driver], reason: str) -> None:
        with self._lock:
            ours = [driver for driver in drivers if self._waiting.pop(driver.run_key, None) is not None]
            self._leaving += ours
        for driver in ours:
            driver.held.let_go()
            _log.info("driver.let_go", run=driver.run_key, reason=reason)
