"""YARN: applications that its resource manager runs, and what it says of them over its REST API.

https://hadoop.apache.org/docs/stable/hadoop-yarn/hadoop-yarn-site/ResourceManagerRest.html. In cluster mode the
driver is the application master; its log is that of its container, which the node manager gives, and after it
has aggregated logs the log server.
"""

import getpass
import os
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TypeVar
from urllib.parse import quote, urlencode, urlsplit

import msgspec

from headland.jobs.batches.submission import Submission
from headland.jobs.clusters.exchange import LARGEST, REDIRECTS, exchange, pieces
from headland.jobs.clusters.kind import Kind, Terms, driver_here, on_class_path
from headland.jobs.clusters.manager import Application, ManagerUnreachableError, Phase, tag_of
from headland.jobs.clusters.yarn_logs import FILES, container_of, contents
from headland.jobs.clusters.yarn_site import YarnSite, YarnSiteError
from headland.jobs.runner.run_directory import RunDirectory
from headland.settings import DeployMode, JobsSettings

_Answer = TypeVar("_Answer")

#: Seconds for which the log of an ended application is not read while its driver is still there to write to it.
LEAVE = 30.0

_WAITING = frozenset({"NEW", "NEW_SAVING", "SUBMITTED", "ACCEPTED"})


def phase_of(state: str, final_status: str) -> Phase:
    """What a state of an application and its own final status come to.

    While it is `RUNNING`, its own word is not yet the end: `RUNNING` with `SUCCEEDED` is an application master
    that has said how it ended and is still there. Only `FINISHED` with `SUCCEEDED` is a success: `FINISHED`
    says no more than that the application master took its leave, and one that did so without a word
    (`UNDEFINED`) was cut short.
    """
    if state in _WAITING:
        return Phase.WAITING
    if state == "FINISHED":
        ends = {"SUCCEEDED": Phase.SUCCEEDED, "KILLED": Phase.KILLED}
        return ends.get(final_status, Phase.FAILED)
    return {"FAILED": Phase.FAILED, "KILLED": Phase.KILLED}.get(state, Phase.RUNNING)


class YarnManager:
    """A resource manager, or several of which one is active."""

    def __init__(
        self,
        addresses: Sequence[str],
        *,
        user: str | None = None,
        log_server: str | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Addresses are of web services, without a slash at the end; `user` is who Hadoop's simple
        authentication takes us for: without one it answers questions, and takes no kill.
        """
        self._addresses = tuple(addresses)
        self._log_server = log_server
        self._query = {"user.name": user} if user else {}
        self._clock = clock
        self._active: str | None = None
        self._ending: dict[str, float] = {}

    def find(self, tag: str, handle: str | None) -> Application | None:
        """By the application id where it is known, else by the tag, of which YARN keeps lower case only."""
        report = self._lookup(tag, handle)
        if report is None:
            # One that has just been started answers before it has read what it was running: that it knows
            # nothing counts only when it said before that it is active.
            self._active = None
            report = self._lookup(tag, handle)
        return None if report is None else _application(report)

    def kill(self, application: Application) -> None:
        """Have it killed; one that has ended or is forgotten is left alone."""
        path = f"/ws/v1/cluster/apps/{quote(application.handle)}/state"
        self._ask(path, method="PUT", body=b'{"state":"KILLED"}')

    def clear_away(self, tag: str) -> None:
        """An application that waits for its place would get one, and look for its driver until it gives up."""
        application = self.find(tag, None)
        if application is not None and not application.phase.final:
            self.kill(application)

    def driver_log(self, application: Application) -> Iterator[bytes]:
        """Its output, then its errors; one that never had a driver has none."""
        container = container_of(application.driver_log_url or "")
        if container is None:
            return
        ended = application.phase.final and not self._overdue(application.handle)
        for file in FILES:
            last = b"\n"
            for last in self._container_log(*container, file, ended=ended):
                yield last
            if not last.endswith(b"\n"):
                yield b"\n"
        self._ending.pop(application.handle, None)

    def _overdue(self, handle: str) -> bool:
        """Whether a driver has had its time to go, after it said how it ended."""
        return self._clock() - self._ending.setdefault(handle, self._clock()) > LEAVE

    def _lookup(self, tag: str, handle: str | None) -> "_Report | None":
        if handle is not None:
            answer = self._ask(f"/ws/v1/cluster/apps/{quote(handle)}")
            return None if answer is None else _decode(answer, _OneApp).app
        answer = self._ask("/ws/v1/cluster/apps", {"applicationTags": tag.lower()})
        apps = _decode(answer or b"{}", _ManyApps).apps
        return min(apps.app, key=lambda app: app.started_time, default=None) if apps else None

    def _ask(
        self,
        path: str,
        query: Mapping[str, str] | None = None,
        *,
        method: str = "GET",
        body: bytes | None = None,
    ) -> bytes | None:
        """The active resource manager's answer; None for 404."""
        base = self._active = self._active or self._elect()
        try:
            return self._fetch(base, path, query, method=method, body=body)
        except ManagerUnreachableError:
            self._active = None
            raise

    def _fetch(
        self,
        base: str,
        path: str,
        query: Mapping[str, str] | None = None,
        *,
        method: str = "GET",
        body: bytes | None = None,
    ) -> bytes | None:
        headers = {"Accept": "application/json", "Content-Type": "application/json"}
        url = self._url(base, path, query)
        with exchange(url, method, body=body, headers=headers) as answer:
            if answer.status == 404:
                return None
            said = answer.read(LARGEST)
            if answer.status not in {200, 202}:
                raise ManagerUnreachableError(f"{base}{path}: HTTP status {answer.status}: {said[:200]!r}")
            return said

    def _elect(self) -> str:
        """The address of the one that is active, by its own word."""
        said = []
        for base in self._addresses:
            try:
                info = _decode(self._fetch(base, "/ws/v1/cluster/info") or b"", _Info).cluster_info
            except ManagerUnreachableError as error:
                said.append(str(error))
                continue
            if info.state == "STARTED" and info.ha_state == "ACTIVE":
                return base
            said.append(f"{base} is {info.state}, {info.ha_state}")
        raise ManagerUnreachableError("; ".join(said))

    def _container_log(self, node: str, container: str, file: str, *, ended: bool) -> Iterator[bytes]:
        """A file of a container's, from whoever has it: the node as long as it does, then the log server."""
        lost: ManagerUnreachableError | None = None
        with ExitStack() as stack:
            for base in (f"{node}/ws/v1/node", self._log_server):
                if base is None:
                    continue
                url = self._url(base, f"/containers/{quote(container)}/logs/{file}")
                try:
                    answer = stack.enter_context(exchange(url, redirects=REDIRECTS))
                except ManagerUnreachableError as error:
                    lost = lost or error
                    continue
                if answer.status == 200:
                    yield from contents(pieces(answer), ended=ended)
                    return
                # What the log server does not have is perhaps still being aggregated.
                if answer.status != 404 or base == self._log_server:
                    lost = lost or ManagerUnreachableError(f"{url}: HTTP status {answer.status}")
        if lost is not None:
            raise lost
        yield f"(The driver's {file} can't be shown: its node no longer has the log of {container}.)\n".encode()

    def _url(self, base: str, path: str, query: Mapping[str, str] | None = None) -> str:
        asked = urlencode({**(query or {}), **self._query})
        return f"{base}{path}" + (f"?{asked}" if asked else "")


def _application(report: "_Report") -> Application:
    return Application(
        handle=report.id,
        phase=phase_of(report.state, report.final_status),
        app_id=report.id,
        driver_log_url=report.am_container_logs,
        spark_ui_url=report.tracking_url,
        host=urlsplit(f"//{report.am_host_http_address or ''}").hostname,
        user=report.user,
        started_at=report.started_time or None,
        finished_at=report.finished_time or None,
        diagnostics=report.diagnostics.strip(),
    )


class _Report(msgspec.Struct, frozen=True, rename="camel"):
    id: str
    user: str
    state: str
    final_status: str
    tracking_url: str | None = None
    diagnostics: str = ""
    am_container_logs: str | None = None
    am_host_http_address: str | None = None
    started_time: int = 0
    finished_time: int = 0


class _Apps(msgspec.Struct, frozen=True):
    app: list[_Report] = []


class _ManyApps(msgspec.Struct, frozen=True):
    # Null or empty where there are none, by Hadoop's version.
    apps: _Apps | None = None


class _OneApp(msgspec.Struct, frozen=True):
    app: _Report


class _ClusterInfo(msgspec.Struct, frozen=True, rename="camel"):
    state: str
    ha_state: str = msgspec.field(name="haState")


class _Info(msgspec.Struct, frozen=True, rename="camel"):
    cluster_info: _ClusterInfo


def _decode(said: bytes, shape: type[_Answer]) -> _Answer:
    # A standby that knows of no active one answers 200, with a page.
    try:
        return msgspec.json.decode(said, type=shape)
    except msgspec.DecodeError as error:
        raise ManagerUnreachableError(f"not a resource manager's answer ({error}): {said[:80]!r}") from None


def _conf_dir(settings: JobsSettings) -> Path:
    named = settings.hadoop_conf_dir or os.environ.get("YARN_CONF_DIR") or os.environ.get("HADOOP_CONF_DIR")
    if not named:
        raise YarnSiteError(
            "yarn-site.xml is needed: name its folder in jobs.hadoop_conf_dir, or by HADOOP_CONF_DIR in the environment"
        )
    return Path(named)


def _manager(settings: JobsSettings, master: str) -> YarnManager:
    """The manager that yarn-site.xml names, unless the settings name addresses.

    Raises:
        YarnSiteError: it names none.
    """
    site = YarnSite.read(_conf_dir(settings))
    user = settings.yarn_user
    if user is None:
        # Some containers run as a user that has no name.
        with suppress(OSError, KeyError):
            user = getpass.getuser()
    own = settings.manager_url if master == settings.master else ()
    return YarnManager(own or site.resource_managers, user=user, log_server=site.log_server)


def _near(settings: JobsSettings) -> Sequence[str]:
    """URLs of resource managers, as far as yarn-site.xml names any."""
    try:
        return YarnSite.read(_conf_dir(settings)).resource_managers
    except YarnSiteError:
        return ()


def _terms(settings: JobsSettings, submission: Submission, directory: RunDirectory) -> Terms:
    folder = str(_conf_dir(settings))
    conf = {**settings.spark_conf, **submission.conf}
    tags = [tag.strip() for tag in conf.get("spark.yarn.tags", "").split(",") if tag.strip()]
    tagged = {"spark.yarn.tags": ",".join([*tags, tag_of(directory.path.name)])}
    environment: dict[str, str | None] = {"HADOOP_CONF_DIR": folder, "YARN_CONF_DIR": folder}
    if settings.yarn_user:
        environment["HADOOP_USER_NAME"] = settings.yarn_user
    if submission.deploy_mode == "client":
        return Terms(
            submission.master,
            driver_here(directory, _near(settings)),
            tagged,
            environment=environment,
            class_path=(folder,),
        )
    # Spark hands these on to the driver, whose node knows nothing of this one's Python.
    environment |= {"PYSPARK_PYTHON": settings.python, "PYSPARK_DRIVER_PYTHON": settings.python}
    return Terms(
        submission.master,
        # YARN would start the driver anew when it fails, and the application would have run twice. Who asks for
        # that by `conf` gets it.
        {"spark.yarn.maxAppAttempts": "1"},
        demands={**tagged, "spark.yarn.submit.waitAppCompletion": "false"},
        environment=environment,
        class_path=(folder,),
    )


def _shipping(archive: Path, mode: DeployMode, conf: Mapping[str, str]) -> dict[str, str]:
    """YARN puts it into the folder of each container, before anything is started there."""
    jars = ",".join(filter(None, (conf.get("spark.yarn.dist.jars"), archive.as_uri())))
    return {"spark.yarn.dist.jars": jars, **on_class_path(f"{{{{PWD}}}}/{archive.name}", mode, conf)}


YARN = Kind(
    "yarn",
    re.compile(r"yarn"),
    ("client", "cluster"),
    _terms,
    _manager,
    re.compile(r"Submitted application (application_\d+_\d+)"),
    own_file_system=True,
    shipping=_shipping,
)
