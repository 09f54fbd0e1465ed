"""Which cluster, by master and deploy mode: the one table of kinds, and what is common to all."""

import dataclasses
import socket
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from headland.jobs.batches.submission import SHELL, Submission
from headland.jobs.clusters.companion import DRIVER
from headland.jobs.clusters.filesystem import StorageAccess
from headland.jobs.clusters.java import Toolchain, argument_file
from headland.jobs.clusters.kind import Kind, Terms
from headland.jobs.clusters.kubernetes import KUBERNETES
from headland.jobs.clusters.launch import SPARK_SUBMIT, Launch, java_command, machine_of, submit_arguments
from headland.jobs.clusters.local import LOCAL
from headland.jobs.clusters.machine import Machine
from headland.jobs.clusters.manager import ResourceManager, tag_of
from headland.jobs.clusters.service_access import ServiceAccess
from headland.jobs.clusters.standalone import STANDALONE
from headland.jobs.clusters.startup import StartupCache
from headland.jobs.clusters.yarn import YARN
from headland.jobs.environments.content import SHIPPED, Content, Contents
from headland.jobs.isolation.isolation import Isolation
from headland.jobs.runner.run_directory import RunDirectory
from headland.security import Principal
from headland.settings import DeployMode, JobsSettings

#: Every kind that there is.
KINDS: tuple[Kind, ...] = (LOCAL, STANDALONE, YARN, KUBERNETES)

#: How much of what SparkSubmit says is looked through for the manager's id of the application, in bytes.
LOOKED_THROUGH = 1 << 20


class ClusterError(ValueError):
    """A master and a deploy mode that don't go together. The message says why."""


def kind_of(master: str) -> Kind:
    """The kind that a master URL is of.

    Raises:
        ClusterError: there is none.
    """
    for kind in KINDS:
        if kind.masters.fullmatch(master):
            return kind
    raise ClusterError(f"'{master[:200]}' is not a master that Headland can submit to.")


def check_placement(master: str, mode: DeployMode, *, python: bool = False) -> None:
    """Refuse what can't be.

    Raises:
        ClusterError: as said.
    """
    kind = kind_of(master)
    if mode not in kind.modes:
        raise ClusterError(f"a {kind.name} master has no {mode} mode.")
    if python and mode not in kind.python_modes:
        raise ClusterError(f"a {kind.name} master takes no Python programs in {mode} mode.")


def check_clusters(settings: JobsSettings) -> None:
    """Refuse settings that can't be, before anything is started.

    Raises:
        ClusterError: the message names the setting.
    """
    try:
        check_placement(settings.master, settings.deploy_mode)
        make = kind_of(settings.master).manager
        if make is not None:
            make(settings, settings.master)
    except (ValueError, OSError) as error:
        raise ClusterError(f"jobs.master is '{settings.master}': {error}") from None
    for master in settings.allowed_masters:
        try:
            kind_of(master)
        except ClusterError as error:
            raise ClusterError(f"jobs.allowed_masters: {error}") from None


@dataclass(slots=True)
class Clusters:
    """The clusters of one deployment: plans launches, and keeps the managers that are asked."""

    settings: JobsSettings
    tools: Toolchain
    startup: StartupCache | None = None
    environments: Contents | None = None
    #: None where jobs are told nothing of the service.
    access: ServiceAccess | None = None
    #: None where applications can't reach cluster storage.
    storage: StorageAccess | None = None
    #: None where jobs run as the user that Headland runs as, and see what it sees.
    isolation: Isolation | None = None
    _managers: dict[str, ResourceManager] = field(default_factory=dict)

    def plan(self, submission: Submission, batch_name: str, directory: RunDirectory) -> Launch:
        """How to run `submission`, whose paths are local by now or such that Spark fetches itself.

        Raises:
            ValueError: the submission's JVM options can't be split into words.
            ClusterError: its master is of no kind that there is.
            NotReadyError: what it needs is still being made.
        """
        placed = self._equipped(self.placed(submission))
        kind = kind_of(placed.master)
        terms = self._terms(placed, directory)
        if self.storage is not None:
            conf = {**self.settings.spark_conf, **placed.conf}
            terms = self.storage.added(terms, kind, placed.deploy_mode, conf)
        machine = self._machine(placed, directory, terms)
        arguments = submit_arguments(placed, batch_name, kind, terms, self.settings)
        file = directory.path / "java.args"
        # What runs Spark's class is in the archive that applications reach cluster storage by.
        program = SPARK_SUBMIT if self.storage is None else DRIVER
        return Launch(
            command=[str(self.tools.java), f"@{file}"],
            environment=machine.environment,
            files={file: argument_file(self.command(machine, program, *arguments))},
            arguments=arguments,
        )

    def machine(self, submission: Submission, directory: RunDirectory) -> Machine:
        """The JVM that `submission` needs in `directory`. Raises as `plan`."""
        placed = self.placed(submission)
        machine = self._machine(placed, directory, self._terms(placed, directory))
        if self.storage is None:
            return machine
        conf = self.storage.conf_of(kind_of(placed.master))
        return dataclasses.replace(machine, lasting={**conf, **machine.lasting})

    def _terms(self, placed: Submission, directory: RunDirectory) -> Terms:
        return kind_of(placed.master).terms(self.settings, placed, directory)

    def _machine(self, placed: Submission, directory: RunDirectory, terms: Terms) -> Machine:
        python = self._python_of(placed)
        return machine_of(
            placed, directory, terms, self.settings, self.tools, python=python, access=self.access
        )

    def enclose(
        self, directory: RunDirectory, packages: Path | None = None, submitter: Principal | None = None
    ) -> list[str]:
        """Have a job in `directory` see its own alone: what goes before its programs (see `Isolation.enclose`). It may
        write to `packages`, and to accounts of cluster storage that are folders here. Where too few walls stand, jobs
        of administrators run without.

        Raises:
            IsolationError: too few walls stand, and `submitter` does not administer the deployment.
        """
        if self.isolation is None:
            return []
        if self.isolation.problem and self._administers(submitter):
            # Who administers the deployment has the machine already.
            return []
        files = (
            self.startup.file if self.startup is not None else None,
            self.storage.archive if self.storage is not None else None,
        )
        cached = [file.path for file in files if file is not None and file.path is not None]
        writable = [packages] if packages is not None else []
        if self.storage is not None:
            writable += self.storage.folders
        return self.isolation.enclose(directory, writable, cached)

    def _administers(self, submitter: Principal | None) -> bool:
        return submitter is not None and self.access is not None and self.access.administers(submitter)

    def driver_host(self, submission: Submission, directory: RunDirectory) -> str:
        """The name or address by which others know the host of a driver on this node. Raises as `plan`."""
        placed = self.placed(submission)
        conf = {**self._terms(placed, directory).defaults}
        conf |= {**self.settings.spark_conf, **submission.conf}
        return conf.get("spark.driver.host") or socket.gethostname()

    def command(self, machine: Machine, *program: str, last: Path | None = None) -> list[str]:
        """Arguments of Java that run `program`, a class and its arguments, with `last` at the class path's end, else
        the archive for cluster storage.
        """
        if last is None and self.storage is not None:
            last = self.storage.archive.path
        return java_command(machine, self.tools, self.startup, *program, last=str(last or ""))

    def placed(self, submission: Submission) -> Submission:
        """With master and deploy mode: those of the settings for what was accepted before it kept its own."""
        if submission.master:
            return submission
        return msgspec.structs.replace(
            submission, master=self.settings.master, deploy_mode=self.settings.deploy_mode
        )

    def manager(self, submission: Submission) -> ResourceManager | None:
        """Who knows how the application does; None where that is the program that we start ourselves."""
        placed = self.placed(submission)
        return None if placed.deploy_mode == "client" else self._manager_of(placed.master)

    def clear_away(self, submission: Submission, directory: RunDirectory) -> None:
        """Have stopped what a cluster still has of an application whose driver was on this node and has ended.

        Raises:
            ManagerUnreachableError: its manager does not take the wish.
        """
        placed = self.placed(submission)
        manager = self._manager_of(placed.master) if placed.deploy_mode == "client" else None
        if manager is not None:
            manager.clear_away(tag_of(directory.path.name))

    def handle(self, submission: Submission, output: Path) -> str | None:
        """The manager's id of the application, if SparkSubmit has said it."""
        pattern = kind_of(self.placed(submission).master).handle
        if pattern is None:
            return None
        found = pattern.search(head(output, LOOKED_THROUGH))
        return found[1] if found else None

    def _equipped(self, submission: Submission) -> Submission:
        """With the Python of its environment, for the driver and for executors, wherever these are.

        Raises:
            ClusterError: the environment is gone.
        """
        content = self._content_of(submission)
        if content is None:
            return submission
        if content.describe() is None:
            raise ClusterError("The environment of this job has been removed since it was submitted.")
        here = str(content.python)
        if kind_of(submission.master) is LOCAL:
            pythons = {"spark.pyspark.python": here, "spark.pyspark.driver.python": here}
            return msgspec.structs.replace(submission, conf={**submission.conf, **pythons})
        # Unpacked in the working folder of whoever gets it.
        there = f"./{SHIPPED}/bin/python"
        driver = here if submission.deploy_mode == "client" else there
        pythons = {"spark.pyspark.python": there, "spark.pyspark.driver.python": driver}
        return msgspec.structs.replace(
            submission,
            conf={**submission.conf, **pythons},
            archives=(*submission.archives, f"{content.archive().as_uri()}#{SHIPPED}"),
        )

    def _python_of(self, submission: Submission) -> str | None:
        """The Python of a session's interpreters, where that is its environment's. Other programs are told by
        configuration, which a driver that stands ready can be given as well.
        """
        content = self._content_of(submission)
        return None if content is None or submission.file != SHELL else str(content.python)

    def _content_of(self, submission: Submission) -> Content | None:
        if not submission.environment or self.environments is None:
            return None
        return self.environments.content(submission.environment)

    def _manager_of(self, master: str) -> ResourceManager | None:
        make = kind_of(master).manager
        if make is None:
            return None
        if master not in self._managers:
            self._managers[master] = make(self.settings, master)
        return self._managers[master]


def head(file: Path, size: int) -> str:
    """The first `size` bytes of a file, as text; empty where there is none."""
    try:
        with file.open("rb") as opened:
            return opened.read(size).decode("utf-8", "replace")
    except FileNotFoundError:
        return ""
