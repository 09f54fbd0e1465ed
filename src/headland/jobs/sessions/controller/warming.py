"""Sessions' drivers that stand ready: host, JVM and interpreter, which know all but what session they are for."""

import sys
from pathlib import Path

import headland
from headland.jobs.batches.submission import SHELL, Submission
from headland.jobs.clusters.java import Toolchain
from headland.jobs.clusters.launch import MARK
from headland.jobs.controller.warm import Purpose
from headland.jobs.isolation.isolation import behind
from headland.jobs.runner.run_directory import RunDirectory
from headland.jobs.sessions.run_folder import SessionFolder
from headland.settings import Home, JobsSettings


def for_sessions(wanted: int, settings: JobsSettings, home: Home, tools: Toolchain) -> Purpose:
    """Drivers for sessions, whose JVM is their host's to start."""

    def program(
        directory: RunDirectory, walls: list[str], java: list[str], environment: dict[str, str]
    ) -> tuple[list[str], dict[str, str]]:
        folder = SessionFolder(directory.path)
        folder.uploads.mkdir(mode=0o700)
        folder.write(folder.plan, processes(settings, tools, walls, java, environment))
        return [*host_command(folder), "wait"], host_environment(folder)

    # The driver of a session runs on this node, whatever is said of batches.
    plain = Submission(file=SHELL, master=settings.master, deploy_mode="client")
    return Purpose(wanted, home.sessions, plain, program)


def processes(
    settings: JobsSettings, tools: Toolchain, walls: list[str], java: list[str], environment: dict[str, str]
) -> dict[str, object]:
    """What a host's plan says of the processes that it starts, each behind `walls` (see `Isolation.enclose`)."""
    python = environment["PYSPARK_DRIVER_PYTHON"]
    if settings.spark_home or python != sys.executable:
        # A Spark or Python of the deployment's own choice brings PySpark from the Spark: that of the Python, if it has
        # one, may be of another version.
        library = tools.spark_home / "python" / "lib"
        archives = [str(library / "pyspark.zip"), *map(str, sorted(library.glob("py4j-*-src.zip")))]
        environment = {**environment, "PYTHONPATH": ":".join(archives)}
    return {"walls": walls, "jvm": behind(walls, java), "environment": environment, "python": python}


def host_command(folder: SessionFolder) -> list[str]:
    """Without `site`, as the runner: the host needs the standard library."""
    return [sys.executable, "-S", "-m", "headland.jobs.sessions.host", str(folder.path)]


def host_environment(folder: SessionFolder) -> dict[str, str]:
    return {"PYTHONPATH": str(Path(headland.__file__).parent.parent), MARK: folder.path.name}
