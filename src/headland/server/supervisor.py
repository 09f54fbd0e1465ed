"""Start the processes of a deployment, watch them, stop them. Jobs belong to their runners and go on."""

import multiprocessing
import os
import signal
import socket
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from multiprocessing.process import BaseProcess

import structlog

from headland.server import processes
from headland.server.home import held
from headland.server.prepare import Prepared

_log = structlog.get_logger("headland.server")

#: Seconds after which a process that ends is started again, and within which it may do so how often.
RESTART_PAUSE = 1.0
RESTART_WINDOW = 30.0
MOST_RESTARTS = 5

#: What a deployment is ended with.
_ENDING = (signal.SIGTERM, signal.SIGINT)

#: Seconds within which everything has to be up.
START_PATIENCE = 30.0

#: Seconds between looks, until everything is up and afterwards. One costs some 100 microseconds.
_LOOK_STARTING = 0.004
_LOOK = 0.2


class StartError(Exception):
    """A process of the deployment does not come up, or does not stay up."""


@dataclass(frozen=True, slots=True)
class Target:
    """A process to run: what it does, and whether it is at that by now."""

    run: Callable[[], None]
    is_up: Callable[[], bool]


@dataclass(slots=True)
class _Watched:
    """A process, and when it had to be started anew."""

    name: str
    target: Target
    process: BaseProcess
    up: bool = False
    restarts: list[float] = field(default_factory=list)


class Supervisor:
    """The parent of listeners and controller."""

    def __init__(self, prepared: Prepared, targets: dict[str, Target]) -> None:
        # Forked, they share what this process has imported; where forking is not safe they start afresh.
        linux = sys.platform.startswith("linux")
        self._context = multiprocessing.get_context("fork") if linux else multiprocessing.get_context("spawn")
        self._prepared = prepared
        self._stopping = False
        end_forked_by_signals()
        for number in _ENDING:
            signal.signal(number, self._stop)
        self._watched = [_Watched(name, target, self._start(target)) for name, target in targets.items()]

    def run(self, ready: Callable[[], None]) -> None:
        """Until SIGTERM or SIGINT. `ready` is called when every process answers.

        Raises:
            StartError: one of them does not come up, or ends again and again.
        """
        deadline = time.monotonic() + START_PATIENCE
        told = False
        try:
            while not self._stopping:
                self._watch()
                if not told and self._all_up():
                    told = True
                    _log.info("server.ready", public=self._prepared.settings.server.public_url)
                    ready()
                if not told and time.monotonic() > deadline:
                    raise StartError(f"not everything was up after {START_PATIENCE:.0f} seconds")
                time.sleep(_LOOK if told else _LOOK_STARTING)
        finally:
            self._end()

    def _start(self, target: Target) -> BaseProcess:
        process: BaseProcess = self._context.Process(target=target.run)
        process.start()
        return process

    def _stop(self, *_: object) -> None:
        self._stopping = True

    def _watch(self) -> None:
        for watched in self._watched:
            if watched.process.is_alive() or self._stopping:
                continue
            now = time.monotonic()
            watched.restarts = [at for at in watched.restarts if now - at < RESTART_WINDOW] + [now]
            _log.error("process.ended", process=watched.name, exit_code=watched.process.exitcode)
            if len(watched.restarts) > MOST_RESTARTS:
                raise StartError(f"the {watched.name} ended {MOST_RESTARTS} times; the log says why")
            time.sleep(RESTART_PAUSE)
            watched.process, watched.up = self._start(watched.target), False

    def _all_up(self) -> bool:
        """Whoever was up and has not ended since is not asked again."""
        for watched in self._watched:
            watched.up = watched.up or watched.target.is_up()
        return all(watched.up for watched in self._watched)

    def _end(self) -> None:
        _log.info("server.stopping")
        for watched in self._watched:
            watched.process.terminate()
        deadline = time.monotonic() + self._prepared.settings.server.shutdown_grace
        for watched in self._watched:
            watched.process.join(max(0.1, deadline - time.monotonic()))
            if watched.process.is_alive():
                _log.warning("process.killed", process=watched.name)
                watched.process.kill()
                watched.process.join()
        _log.info("server.stopped")


def end_forked_by_signals() -> None:
    """Have whatever this process forks, and what that forks in turn, end by a signal until it has a handler of its own.

    A handler that it inherits tells a copy of its parent, where nobody listens: a listener's worker that was told to
    stop while it was loading took no notice, and was waited for as long as requests under way get. A signal that
    comes between the fork and the first line in the child waits for that.
    """

    def wait() -> None:
        signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)

    def go_on() -> None:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)

    def begin() -> None:
        for number in _ENDING:
            signal.signal(number, signal.SIG_DFL)
        go_on()

    os.register_at_fork(before=wait, after_in_parent=go_on, after_in_child=begin)


def targets_of(prepared: Prepared) -> dict[str, Target]:
    """The processes that the settings ask for."""
    server = prepared.settings.server
    wanted = {
        "public listener": Target(
            partial(processes.public_listener, server, prepared.certificate),
            partial(_answers, server.host, server.port),
        ),
        "private listener": Target(
            partial(processes.private_listener, server),
            partial(_answers, server.private_host, server.private_port),
        ),
    }
    if "jobs" in server.services:
        wanted["controller"] = Target(processes.controller, partial(held, prepared.home.controller_lock))
    return wanted


def _answers(host: str, port: int) -> bool:
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - the address to ask instead
    try:
        with socket.create_connection((host, port), timeout=0.5):
            return True
    except OSError:
        return False
