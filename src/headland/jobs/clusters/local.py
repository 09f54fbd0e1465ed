"""Spark on this node: driver and executors in one JVM, which we start ourselves.

`spark-submit` is a shell script that starts a JVM to find out how to start a JVM. This does what those two
do, for client mode on a local master: the driver's memory, class path, libraries and JVM options become
those of the process, all else becomes arguments of `SparkSubmit`.
"""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from headland.jobs.batches.submission import Submission
from headland.jobs.clusters.java import Toolchain, argument_file, java_options, split_options
from headland.jobs.clusters.machine import LASTING, Machine
from headland.jobs.clusters.startup import StartupCache
from headland.jobs.runner.run_directory import RunDirectory
from headland.settings import JobsSettings

#: Marks every process of a batch with its run key.
MARK = "HEADLAND_RUN"

#: What a batch gets of the service's own environment. All else, secrets above all, stays out.
_INHERITED = (
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "TZ",
    "HADOOP_CONF_DIR",
    "YARN_CONF_DIR",
    "KRB5_CONFIG",
    "KRB5CCNAME",
)


#: The class that Spark's own scripts start.
SPARK_SUBMIT = "org.apache.spark.deploy.SparkSubmit"


@dataclass(frozen=True, slots=True)
class Launch:
    """A program to start: `command` with `environment`, and the files it wants to find."""

    command: list[str]
    environment: dict[str, str]
    files: dict[Path, str]
    #: The arguments of SparkSubmit alone, for a JVM that runs already.
    arguments: list[str]


@dataclass(frozen=True, slots=True)
class LocalCluster:
    """Spark with a local master."""

    settings: JobsSettings
    tools: Toolchain
    startup: StartupCache | None = None

    def machine(self, submission: Submission, directory: RunDirectory) -> Machine:
        """The JVM that `submission` needs in `directory`.

        Raises:
            ValueError: the submission's JVM options can't be split into words.
        """
        conf = self._conf(submission)
        return Machine(
            first=conf.get("spark.driver.extraClassPath"),
            options=[
                *java_options(conf["spark.driver.memory"], self.tools.java_version()),
                f"-Djava.io.tmpdir={directory.temporary}",
                *split_options(conf.get("spark.driver.defaultJavaOptions", "")),
                *split_options(conf.get("spark.driver.extraJavaOptions", "")),
            ],
            environment=_environment(directory, conf, self.settings, self.tools),
            lasting={key: value for key, value in conf.items() if key.startswith(LASTING)},
        )

    def command(self, machine: Machine, *program: str, last: Path | None = None) -> list[str]:
        """Arguments of Java that run `program`, a class and its arguments, with `last` at the class path's end."""
        cached = self.startup.use() if self.startup and not machine.first else []
        class_path = self.tools.class_path(machine.first, last)
        return [*cached, "-cp", class_path, *machine.options, *program]

    def _conf(self, submission: Submission) -> dict[str, str]:
        conf = {**self.settings.spark_conf, **submission.conf}
        memory = submission.driver_memory or conf.get("spark.driver.memory") or self.settings.driver_memory
        return {**conf, "spark.driver.memory": memory}

    def plan(self, submission: Submission, batch_name: str, directory: RunDirectory) -> Launch:
        """How to run `submission`, whose paths are local by now or such that Spark fetches itself.

        Raises:
            ValueError: the submission's JVM options can't be split into words.
        """
        conf = self._conf(submission)
        machine = self.machine(submission, directory)
        arguments = [
            *("--master", self.settings.master),
            *("--name", submission.name or conf.get("spark.app.name") or batch_name),
            *_options(submission, {**_defaults(directory), **conf, **_sizes(submission)}),
            submission.file,
            *submission.args,
        ]
        file = directory.path / "java.args"
        return Launch(
            command=[str(self.tools.java), f"@{file}"],
            environment=machine.environment,
            files={file: argument_file(self.command(machine, SPARK_SUBMIT, *arguments))},
            arguments=arguments,
        )


def _options(submission: Submission, conf: Mapping[str, str]) -> list[str]:
    options = ["--class", submission.class_name] if submission.class_name and not submission.python else []
    for option, values in (
        ("--jars", submission.jars),
        ("--py-files", submission.py_files),
        ("--files", submission.files),
        ("--archives", submission.archives),
    ):
        if values:
            options += [option, ",".join(values)]
    if submission.proxy_user:
        options += ["--proxy-user", submission.proxy_user]
    for key, value in sorted(conf.items()):
        # The master is the deployment's to choose.
        if key != "spark.master":
            options += ["--conf", f"{key}={value}"]
    return options


def _sizes(submission: Submission) -> dict[str, str]:
    """The request's own fields for what is Spark configuration, under the names that Livy gives them."""
    chosen = {
        "spark.driver.cores": submission.driver_cores,
        "spark.executor.memory": submission.executor_memory,
        "spark.executor.cores": submission.executor_cores,
        "spark.executor.instances": submission.num_executors,
        "spark.yarn.queue": submission.queue,
    }
    return {key: str(value) for key, value in chosen.items() if value is not None}


def _defaults(directory: RunDirectory) -> dict[str, str]:
    """What a request may set otherwise."""
    return {
        # Our source of progress and of the application's identity.
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": directory.events.as_uri(),
        "spark.eventLog.rolling.enabled": "false",
        "spark.eventLog.compress": "false",
        # Small, so that tasks show while they run: Spark flushes at the ends of jobs and stages only.
        "spark.eventLog.buffer.kb": "1",
        # A driver on a local master has no business with the network.
        "spark.driver.host": "localhost",
        "spark.driver.bindAddress": "127.0.0.1",
        # It would take a port that nobody is told of, and half a second.
        "spark.ui.enabled": "false",
        "spark.sql.warehouse.dir": (directory.work / "spark-warehouse").as_uri(),
    }


def _environment(
    directory: RunDirectory, conf: Mapping[str, str], settings: JobsSettings, tools: Toolchain
) -> dict[str, str]:
    python = settings.python or sys.executable
    environment = {name: os.environ[name] for name in _INHERITED if name in os.environ}
    environment |= {
        MARK: directory.path.name,
        # Java takes the encoding of arguments and file names from the locale.
        "LC_ALL": "C.UTF-8" if sys.platform.startswith("linux") else "en_US.UTF-8",
        "JAVA_HOME": str(tools.java_home),
        "SPARK_HOME": str(tools.spark_home),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_LOCAL_DIRS": str(directory.temporary),
        "TMPDIR": str(directory.temporary),
        "PYSPARK_PYTHON": python,
        "PYSPARK_DRIVER_PYTHON": python,
        "PYTHONUNBUFFERED": "1",
    }
    if libraries := conf.get("spark.driver.extraLibraryPath"):
        environment["DYLD_LIBRARY_PATH" if sys.platform == "darwin" else "LD_LIBRARY_PATH"] = libraries
    return environment
