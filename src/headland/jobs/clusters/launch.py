"""How a submission becomes a program that can be started: `SparkSubmit` in a JVM that we start ourselves.

`spark-submit` is a shell script that starts a JVM to find out how to start a JVM. This does what those two
do. In client mode that JVM becomes the driver: the driver's memory, class path, libraries and JVM options are
those of the process. In cluster mode it only submits, and ends. All else becomes arguments of `SparkSubmit`.
"""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from headland.jobs.batches.submission import Submission
from headland.jobs.clusters.java import Toolchain, java_options, split_options
from headland.jobs.clusters.kind import Kind, Terms
from headland.jobs.clusters.machine import LASTING, Machine
from headland.jobs.clusters.service_access import ServiceAccess
from headland.jobs.clusters.startup import StartupCache
from headland.jobs.runner.run_directory import RunDirectory
from headland.settings import JobsSettings

#: Marks every process of a batch with its run key.
MARK = "HEADLAND_RUN"

#: The class that Spark's own scripts start.
SPARK_SUBMIT = "org.apache.spark.deploy.SparkSubmit"

#: Memory of a JVM that submits and ends.
SUBMITTER_MEMORY = "512m"

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
    # Where Spark looks for `spark.jars.packages` before anywhere else.
    "DEFAULT_ARTIFACT_REPOSITORY",
)

#: Configuration that is the deployment's to choose, and comes by options of its own.
_CHOSEN = frozenset({"spark.master", "spark.submit.deployMode"})


@dataclass(frozen=True, slots=True)
class Launch:
    """A program to start: `command` with `environment`, and the files it wants to find."""

    command: list[str]
    environment: dict[str, str]
    files: dict[Path, str]
    #: The arguments of SparkSubmit alone, for a JVM that runs already.
    arguments: list[str]


def machine_of(
    submission: Submission,
    directory: RunDirectory,
    terms: Terms,
    settings: JobsSettings,
    tools: Toolchain,
    *,
    python: str | None = None,
    access: ServiceAccess | None = None,
) -> Machine:
    """The JVM that `submission`, whose deploy mode is set, needs in `directory`; `python` is what runs its Python
    programs in the place of the deployment's own.

    Raises:
        ValueError: the submission's JVM options can't be split into words.
    """
    conf = _conf(submission, settings)
    here = submission.deploy_mode == "client"
    memory = conf["spark.driver.memory"] if here else SUBMITTER_MEMORY
    environment: dict[str, str | None] = {
        **_environment(directory, conf if here else {}, python or settings.python or sys.executable, tools),
        # The user's own folder is not to be seen from behind walls.
        **({"HOME": str(directory.temporary)} if settings.isolation != "none" else {}),
        **(access.environment(directory) if access is not None else {}),
        **terms.environment,
    }
    return Machine(
        first=conf.get("spark.driver.extraClassPath") if here else None,
        later=terms.class_path,
        options=[
            *java_options(memory, tools.java_version()),
            f"-Djava.io.tmpdir={directory.temporary}",
            *(access.java_options() if access is not None else ()),
            *(_driver_options(conf) if here else ()),
        ],
        environment={name: value for name, value in environment.items() if value is not None},
        lasting={key: value for key, value in conf.items() if key.startswith(LASTING)},
    )


def java_command(
    machine: Machine, tools: Toolchain, startup: StartupCache | None, *program: str, last: str = ""
) -> list[str]:
    """Arguments of Java that run `program`, a class and its arguments, with `last` at the class path's end."""
    cached = startup.use() if startup and not machine.first else []
    class_path = tools.class_path(machine.first, *machine.later, last)
    return [*cached, "-cp", class_path, *machine.options, *program]


def submit_arguments(
    submission: Submission,
    batch_name: str,
    kind: Kind,
    terms: Terms,
    settings: JobsSettings,
) -> list[str]:
    """Arguments of SparkSubmit for `submission`, whose paths are local by now or such that Spark fetches itself, and
    whose master and deploy mode are set.
    """
    conf = _conf(submission, settings)
    return [
        *("--master", terms.master),
        *(("--deploy-mode", submission.deploy_mode) if len(kind.modes) > 1 else ()),
        *("--name", submission.name or conf.get("spark.app.name") or batch_name),
        *_options(submission, {**terms.defaults, **conf, **_sizes(submission), **terms.demands}),
        submission.file,
        *submission.args,
    ]


def _conf(submission: Submission, settings: JobsSettings) -> dict[str, str]:
    conf = {**settings.spark_conf, **submission.conf}
    memory = submission.driver_memory or conf.get("spark.driver.memory") or settings.driver_memory
    return {**conf, "spark.driver.memory": memory}


def _driver_options(conf: Mapping[str, str]) -> list[str]:
    return [
        *split_options(conf.get("spark.driver.defaultJavaOptions", "")),
        *split_options(conf.get("spark.driver.extraJavaOptions", "")),
    ]


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
        if key not in _CHOSEN:
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


def _environment(
    directory: RunDirectory, conf: Mapping[str, str], python: str, tools: Toolchain
) -> dict[str, str]:
    environment = {name: os.environ[name] for name in _INHERITED if name in os.environ}
    environment |= {
        MARK: directory.path.name,
        # Java takes the encoding of arguments and file names from the locale.
        "LC_ALL": "C.UTF-8" if sys.platform.startswith("linux") else "en_US.UTF-8",
        "JAVA_HOME": str(tools.java_home),
        "SPARK_HOME": str(tools.spark_home),
        "SPARK_LOCAL_DIRS": str(directory.temporary),
        "TMPDIR": str(directory.temporary),
        "PYSPARK_PYTHON": python,
        "PYSPARK_DRIVER_PYTHON": python,
        "PYTHONUNBUFFERED": "1",
    }
    if libraries := conf.get("spark.driver.extraLibraryPath"):
        environment["DYLD_LIBRARY_PATH" if sys.platform == "darwin" else "LD_LIBRARY_PATH"] = libraries
    return environment
