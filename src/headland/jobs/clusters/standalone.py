"""Spark's own cluster manager: a master, and workers that run executors and, in cluster mode, drivers.

In cluster mode an application is submitted to the master's REST server. What becomes of its driver is asked of
the master's web UI (`/json/`), a kill goes to the REST server, and the driver's log is read through the web
UI of the worker that runs it. (`org.apache.spark.deploy`: `master.ui`, `rest`, `worker.ui.LogPage`.)
"""

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from headland.jobs.batches.paths import local_path
from headland.jobs.batches.submission import Submission
from headland.jobs.clusters.driver_output import SAID_WITHIN, DriverFacts, driver_facts
from headland.jobs.clusters.kind import Kind, Terms, driver_here, event_log, on_class_path
from headland.jobs.clusters.manager import (
    Application,
    ManagerUnreachableError,
    Phase,
    UndecidedError,
    tag_of,
)
from headland.jobs.clusters.web import ask, ask_json
from headland.jobs.runner.run_directory import RunDirectory
from headland.settings import DeployMode, JobsSettings

#: Where the master's web UI listens unless told otherwise.
WEB_PORT = 8080

#: Configuration that carries the tag: it is part of the driver's command line, which heads its log.
TAG = "spark.headland.tag"

#: Seconds for which an answer of the master's is good: all that is asked in one round gets the same one.
FRESH = 1.0

#: Bytes of a log that are asked for at a time.
PIECE = 1 << 20

_PHASES = {
    "SUBMITTED": Phase.WAITING,
    "RUNNING": Phase.RUNNING,
    "RELAUNCHING": Phase.RUNNING,
    # The master has been restarted, and the worker has not yet said what it runs.
    "UNKNOWN": Phase.RUNNING,
    "FINISHED": Phase.SUCCEEDED,
    "FAILED": Phase.FAILED,
    "ERROR": Phase.FAILED,
    "KILLED": Phase.KILLED,
}

_LOG_HEAD = re.compile(r"==== Bytes (\d+)-(\d+) of (\d+) of [^\n]* ====\n")
_TAG_IN_COMMAND = re.compile(re.escape(f'"-D{TAG}=') + r'([^"]*)"')


class StandaloneManager:
    """A standalone master, or several of which one is active."""

    def __init__(
        self, web: Sequence[str], rest: Sequence[str], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._web = [url.rstrip("/") for url in web]
        self._rest = [url.rstrip("/") for url in rest]
        self._clock = clock
        self._answer: dict[str, Any] = {}
        self._answered_at: float | None = None
        self._facts: dict[str, DriverFacts] = {}
        self._tags: dict[str, str | None] = {}

    def find(self, tag: str, handle: str | None) -> Application | None:
        """The driver `handle`; where that is not known, the one whose command line bears `tag`."""
        drivers = self._drivers()
        driver = drivers.get(handle) if handle else self._tagged(tag, drivers)
        return None if driver is None else self._application(driver)

    def kill(self, application: Application) -> None:
        """Have the active master kill a driver. The others refuse, as it does for one that has ended."""
        self._answered_at = None
        lost: ManagerUnreachableError | None = None
        for url in self._rest:
            try:
                answer = ask_json(f"{url}/v1/submissions/kill/{quote(application.handle)}", "POST")
            except ManagerUnreachableError as error:
                lost = error
                continue
            if answer.get("success"):
                return
        if lost is not None:
            raise lost

    def clear_away(self, tag: str) -> None:
        """Nothing is left: a master lets an application go as soon as its driver's connection has ended."""

    def driver_log(self, application: Application) -> Iterator[bytes]:
        """Its output, then its errors."""
        drivers = self._drivers()
        driver = drivers.get(application.handle)
        page = driver and self._log_page(driver)
        if not page:
            raise ManagerUnreachableError(f"the worker that ran {application.handle} is not there")
        for log in ("stdout", "stderr"):
            last = b"\n"
            for last in self._pieces(page, log):
                yield last
            if not last.endswith(b"\n"):
                yield b"\n"

    def _drivers(self) -> dict[str, dict[str, Any]]:
        """All drivers that the active master knows, by id."""
        self._ask()
        found = (*self._answer.get("activedrivers", ()), *self._answer.get("completeddrivers", ()))
        return {driver["id"]: driver for driver in found}

    def _ask(self) -> None:
        """Have an answer of the active master's that is fresh enough."""
        if self._answered_at is None or self._clock() - self._answered_at > FRESH:
            said = []
            for url in self._web:
                try:
                    answer = ask_json(f"{url}/json/")
                except ManagerUnreachableError as error:
                    said.append(str(error))
                    continue
                if answer.get("status") == "ALIVE":
                    self._answer, self._answered_at = answer, self._clock()
                    break
                said.append(f"{urlsplit(url).netloc} is {answer.get('status')}")
            else:
                raise ManagerUnreachableError("; ".join(said))

    def _tagged(self, tag: str, drivers: dict[str, dict[str, Any]]) -> dict[str, Any] | None:
        """By the head of each driver's log. A driver that no worker has yet has none, and may be the one."""
        self._tags = {driver_id: found for driver_id, found in self._tags.items() if driver_id in drivers}
        undecided = None
        for driver_id, driver in drivers.items():
            if driver_id not in self._tags:
                page = self._log_page(driver)
                command = next(self._pieces(page, "stderr", SAID_WITHIN), None) if page else None
                if command is not None:
                    found = _TAG_IN_COMMAND.search(command.decode("utf-8", "replace"))
                    self._tags[driver_id] = found[1] if found else None
                elif not _PHASES.get(driver["state"], Phase.RUNNING).final:
                    undecided = driver_id
            if self._tags.get(driver_id) == tag:
                return driver
        if undecided:
            raise UndecidedError(f"whose {undecided} is can be told when a worker has started it")
        return None

    def _application(self, driver: dict[str, Any]) -> Application:
        driver_id: str = driver["id"]
        phase = _PHASES.get(driver["state"], Phase.RUNNING)
        page = self._log_page(driver)
        facts = self._facts_of(driver_id, page) if phase is not Phase.WAITING else DriverFacts()
        apps = (*self._answer.get("activeapps", ()), *self._answer.get("completedapps", ()))
        worker = self._worker(driver)
        return Application(
            handle=driver_id,
            phase=phase,
            app_id=facts.app_id,
            driver_log_url=f"{page[0]}/logPage/?{page[1]}&logType=stdout" if page else None,
            spark_ui_url=facts.ui_url(worker["host"]) if worker else None,
            host=worker["host"] if worker else None,
            user=next((app["user"] for app in apps if app["id"] == facts.app_id), None),
            started_at=int(driver["starttime"]),
            diagnostics="Its worker could not start the driver, or was lost with it."
            if driver["state"] == "ERROR"
            else "",
        )

    def _facts_of(self, driver_id: str, page: tuple[str, str] | None) -> DriverFacts:
        known = self._facts.get(driver_id, DriverFacts())
        if known.app_id is None and page is not None:
            try:
                head = next(self._pieces(page, "stderr", SAID_WITHIN), b"")
            except ManagerUnreachableError:
                return known  # the worker is busy or gone: the master's word is enough for now
            known = self._facts[driver_id] = driver_facts(head.decode("utf-8", "replace"))
        return known

    def _worker(self, driver: dict[str, Any]) -> dict[str, Any] | None:
        """The worker that has a driver; when it was restarted since, the one that is now in its place."""
        workers: list[dict[str, Any]] = self._answer.get("workers", [])
        name = str(driver.get("worker"))
        same = [worker for worker in workers if worker["id"] == name]
        place = [worker for worker in workers if name.endswith(f"-{worker['host']}-{worker['port']}")]
        return next((worker for worker in (*same, *reversed(place)) if worker["state"] == "ALIVE"), None)

    def _log_page(self, driver: dict[str, Any]) -> tuple[str, str] | None:
        """Address of the worker's web UI, and the query that names the driver there."""
        worker = self._worker(driver)
        if worker is None:
            return None
        return str(worker["webuiaddress"]).rstrip("/"), f"driverId={quote(driver['id'])}"

    def _pieces(self, page: tuple[str, str], log: str, size: int = PIECE) -> Iterator[bytes]:
        """A log from its beginning. The worker gives text, and counts bytes: a piece ends with a line, lest a
        character be cut in two.
        """
        offset = 0
        while True:
            query = f"{page[1]}&logType={log}&offset={offset}&byteLength={size}"
            text = ask(f"{page[0]}/log/?{query}").decode("utf-8", "replace")
            found = _LOG_HEAD.match(text)
            if found is None:
                raise ManagerUnreachableError(f"{page[0]}: no log but: {text[:80]}")
            end, total = int(found[2]), int(found[3])
            if total == 0 or end <= offset:
                return
            piece = text[found.end() :]
            whole_lines = piece[: piece.rfind("\n") + 1]
            # Where the log has bytes that are no text, they can't be counted in the text.
            if end < total and whole_lines and "\ufffd" not in whole_lines:
                piece, end = whole_lines, offset + len(whole_lines.encode())
            yield piece.encode()
            offset = end


def _hosts(master: str) -> list[str]:
    return [address.rpartition(":")[0] for address in master.removeprefix("spark://").split(",")]


def _manager(settings: JobsSettings, master: str) -> StandaloneManager:
    """The manager of `master`: the settings' addresses are those of the settings' master."""
    own = settings.manager_url if master == settings.master else ()
    web = own or [f"http://{host}:{WEB_PORT}" for host in _hosts(master)]
    return StandaloneManager(web, [f"http://{host}:{settings.rest_port}" for host in _hosts(master)])


def _terms(settings: JobsSettings, submission: Submission, directory: RunDirectory) -> Terms:
    if submission.deploy_mode == "client":
        masters = submission.master.removeprefix("spark://").split(",")
        return Terms(submission.master, driver_here(directory, [f"spark://{each}" for each in masters]))
    rest = ",".join(f"{host}:{settings.rest_port}" for host in _hosts(submission.master))
    return Terms(
        # The REST server, since it alone passes on no environment, and knows the options that today's Java needs.
        f"spark://{rest}",
        # Who can read an archive in the run directory can write an event log there.
        event_log(directory) if local_path(submission.file) is not None else {},
        demands={
            "spark.master.rest.enabled": "true",
            "spark.standalone.submit.waitAppCompletion": "false",
            TAG: tag_of(directory.path.name),
        },
        # Of the environment, what begins with SPARK_ is passed on to the driver, to whom this node's are nothing.
        environment={"SPARK_LOCAL_DIRS": None},
    )


def _shipping(archive: Path, mode: DeployMode, conf: Mapping[str, str]) -> dict[str, str]:
    """Who can read an archive in the run directory can read this one, too."""
    return on_class_path(str(archive), mode, conf)


STANDALONE = Kind(
    "standalone",
    re.compile(r"spark://[^\s:,/]+:\d+(,[^\s:,/]+:\d+)*"),
    ("client", "cluster"),
    _terms,
    _manager,
    re.compile(r"(?:submitted|created) as ([\w-]*\w)"),
    python_modes=("client",),
    shipping=_shipping,
)
