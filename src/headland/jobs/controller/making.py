"""What starts applications faster is made in the background: the companion, then the startup cache.

Applications need the companion to reach cluster storage, so it is made at once; the cache by programs of the least
priority, while nothing runs. One at a time; they end when the controller does, and what they leave half done is
nobody's. One that fails is tried again some times, with growing pauses.
"""

import secrets
import shutil
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import structlog

from headland.jobs.batches.submission import Submission
from headland.jobs.clusters.cluster import Clusters
from headland.jobs.clusters.companion import Companion, training
from headland.jobs.clusters.java import argument_file
from headland.jobs.clusters.launch import SPARK_SUBMIT
from headland.jobs.clusters.startup import MadeFile, StartupCache
from headland.jobs.controller.held import Held, make_folders, sweep, write_private
from headland.jobs.controller.tries import Tries
from headland.jobs.runner.run_directory import RunDirectory
from headland.jobs.wakeup import socket_address
from headland.settings import Home

_log = structlog.get_logger("headland.jobs.controller")

#: Seconds after which a program that makes something is given up.
_PATIENCE = 900.0

#: The least priority there is (nice(2)). Jobs wait for the companion, but not for the cache.
_NICE = 19

#: Runs Java with each argument file in turn, as long as it goes well.
_IN_TURN = 'java=$1; shift; for file do "$java" "@$file" || exit; done'


class Making:
    """Makes what is missing in the cache folder. Called from one thread at a time."""

    def __init__(self, cluster: Clusters, companion: Companion | None, home: Home) -> None:
        self._cluster = cluster
        self._companion = companion
        self._home = home
        self._looked = False
        self._held: tuple[Held, MadeFile] | None = None
        self._tries: dict[str, Tries] = {}

    @property
    def companion(self) -> MadeFile | None:
        """The companion's archive, once it is there."""
        return self._companion.file if self._companion and self._companion.file.path else None

    @property
    def cache_missing(self) -> bool:
        """Whether there is to be a startup cache that is not there yet, and has not failed to be made."""
        startup = self._cluster.startup
        if startup is None or self._companion is None or startup.file.path is not None:
            return False
        return startup.file.stem not in self._tries or self._tries[startup.file.stem].failures == 0

    def tend(self, *, cache: bool) -> None:
        """Take in what has been made, and begin with what is missing: the companion, and if it is wanted now the
        cache.
        """
        if not self._looked:
            self._look()
        if self._held is not None:
            held, file = self._held
            if held.exit_code is None:
                return
            self._held = None
            self._take_in(held, file)
        if self._companion is None:
            return
        startup, archive = self._cluster.startup, self._companion.file.path
        if archive is None:
            if self._due(self._companion.file):
                self._make(self._companion.file, partial(_companion_steps, self._companion), nice=0)
        elif startup is not None and startup.file.path is None and cache and self._due(startup.file):
            self._make(startup.file, partial(self._cache_steps, startup, archive), nice=_NICE)

    def close(self) -> None:
        """End what is being made."""
        if self._held is not None:
            self._held[0].let_go()
            self._held[0].gone()
            shutil.rmtree(self._held[0].directory.path, ignore_errors=True)

    def _look(self) -> None:
        """What do earlier controllers leave us?"""
        self._home.cache.mkdir(mode=0o700, exist_ok=True)
        left = [folder for folder in self._home.cache.glob("making-*") if not sweep(RunDirectory(folder))]
        self._looked = not left
        if self._companion is None:
            return
        startup = self._cluster.startup
        for file in (self._companion.file, startup.file) if startup else (self._companion.file,):
            if file.look():
                _log.info("startup.found", file=str(file.path))

    def _due(self, file: MadeFile) -> bool:
        return self._tries.setdefault(file.stem, Tries()).due(time.monotonic())

    def _make(self, file: MadeFile, steps_in: Callable[[RunDirectory], list[list[str]]], nice: int) -> None:
        directory = RunDirectory(self._home.cache / f"making-{secrets.token_hex(8)}")
        try:
            self._held = (self._start_in(directory, steps_in, nice), file)
        except OSError as error:  # a full disk, or too many processes
            pause = self._tries[file.stem].failed(time.monotonic())
            _log.warning("startup.failed", what=file.stem, reason=str(error), again_in=pause)
            shutil.rmtree(directory.path, ignore_errors=True)
            return
        _log.info("startup.making", what=file.stem)

    def _start_in(
        self, directory: RunDirectory, steps_in: Callable[[RunDirectory], list[list[str]]], nice: int
    ) -> Held:
        make_folders(directory)
        steps = steps_in(directory)
        files = [directory.path / f"java{number}.args" for number, _ in enumerate(steps)]
        for args, step in zip(files, steps, strict=True):
            write_private(args, argument_file(step))
        tools = self._cluster.tools
        return Held(
            directory,
            ["/bin/sh", "-c", _IN_TURN, "sh", str(tools.java), *map(str, files)],
            self._cluster.machine(Submission(file=""), directory).environment,
            socket_address(self._home.controller_socket),
            patience=_PATIENCE,
            nice=nice,
        )

    def _cache_steps(
        self, startup: StartupCache, companion: Path, directory: RunDirectory
    ) -> list[list[str]]:
        machine = self._cluster.machine(Submission(file=""), directory)
        arguments = training(companion, directory, machine.lasting, sessions=True)
        return startup.making([SPARK_SUBMIT, *arguments], machine.options, directory.work)

    def _take_in(self, held: Held, file: MadeFile) -> None:
        directory = held.directory
        held.let_go()
        held.gone()
        tries = self._tries[file.stem]
        try:
            problem = held.last_words() if held.exit_code else ""
            if not problem:
                made = directory.work / f"made{file.suffix}"
                if self._companion is not None and file is self._companion.file:
                    self._companion.adopt(made)
                else:
                    file.adopt(made)
        except OSError as error:
            problem = str(error)
        if problem:
            pause = tries.failed(time.monotonic())
            _log.warning("startup.failed", what=file.stem, reason=problem, again_in=pause)
        else:
            tries.succeeded()
            _log.info("startup.made", what=file.stem, file=str(file.path))
        shutil.rmtree(directory.path, ignore_errors=True)


def _companion_steps(companion: Companion, directory: RunDirectory) -> list[list[str]]:
    return [companion.making(directory.work)]
