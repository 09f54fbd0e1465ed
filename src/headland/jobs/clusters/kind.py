"""A kind of cluster: by which masters it is known, and what a submission to it needs."""

import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from headland.jobs.batches.submission import Submission
from headland.jobs.clusters.addresses import address_towards
from headland.jobs.clusters.manager import ResourceManager
from headland.jobs.runner.run_directory import RunDirectory
from headland.settings import DeployMode, JobsSettings

#: Of what is in that archive.
PACKAGE = "headland.filesystem"


@dataclass(frozen=True, slots=True)
class Terms:
    """What a kind of cluster adds to one submission."""

    #: The master, as SparkSubmit is to be told.
    master: str
    #: Configuration that a request or the deployment may set otherwise.
    defaults: Mapping[str, str]
    #: Configuration that nobody may.
    demands: Mapping[str, str] = field(default_factory=dict)
    #: Variables that the program gets besides what every program gets; None takes one away.
    environment: Mapping[str, str | None] = field(default_factory=dict)
    #: Folders that Spark has to find on its class path besides its own.
    class_path: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of cluster. To have another one, add it to `cluster.KINDS`."""

    #: What people call it.
    name: str
    #: Master URLs of this kind.
    masters: re.Pattern[str]
    #: Deploy modes that it has; the first one where nobody says which.
    modes: tuple[DeployMode, ...]
    #: What a submission, whose master and deploy mode are set, needs.
    terms: Callable[[JobsSettings, Submission, RunDirectory], Terms]
    #: Who is asked after applications in cluster mode, for a master of this kind.
    manager: Callable[[JobsSettings, str], ResourceManager] | None = None
    #: Finds, as its first group, the manager's id of an application in what SparkSubmit says.
    handle: re.Pattern[str] | None = None
    #: Deploy modes in which it takes Python programs.
    python_modes: tuple[DeployMode, ...] = ("client", "cluster")
    #: Whether such a cluster's own configuration says what paths without a scheme mean.
    own_file_system: bool = False
    #: Configuration, in the place of what is given, that brings an archive of this node's onto the class path of what
    #: does not run in the JVM that we start ourselves (executors, and in cluster mode drivers), and tokens with it.
    shipping: Callable[[Path, DeployMode, Mapping[str, str]], Mapping[str, str]] = lambda *_: {}


def on_class_path(entry: str, mode: DeployMode, conf: Mapping[str, str]) -> dict[str, str]:
    """`conf` with `entry` behind what class paths on the cluster have, and with the plugin in it by which executors ask
    their driver for tokens: Spark spreads some of itself on YARN alone, and only if its connections are encrypted.
    """
    plugins = ",".join(filter(None, (conf.get("spark.plugins"), f"{PACKAGE}.TokenPlugin")))
    roles = ("driver", "executor") if mode == "cluster" else ("executor",)
    keys = [f"spark.{role}.extraClassPath" for role in roles]
    paths = {key: os.pathsep.join(filter(None, (conf.get(key), entry))) for key in keys}
    return {"spark.plugins": plugins, **paths}


def driver_here(directory: RunDirectory, cluster: Iterable[str] = ()) -> dict[str, str]:
    """Defaults for a driver that runs on this node, on a cluster of whatever kind. Where executors run on other nodes,
    `cluster` are URLs of services that are near to them.
    """
    address = address_towards(cluster)
    return {
        **event_log(directory),
        # Executors call the driver back.
        **({"spark.driver.host": address} if address else {}),
        # It would take half a second and a port that every user of the machine reaches; the History Server shows the
        # same from the event log, while the application is at work, too.
        "spark.ui.enabled": "false",
        # Whoever stops something does it through the service, which knows who may.
        "spark.ui.killEnabled": "false",
        "spark.sql.warehouse.dir": (directory.work / "spark-warehouse").as_uri(),
    }


def event_log(directory: RunDirectory) -> dict[str, str]:
    """Our source of progress and of the application's identity."""
    return {
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": directory.events.as_uri(),
        "spark.eventLog.rolling.enabled": "false",
        "spark.eventLog.compress": "false",
        # Small, so that tasks show while they run: Spark flushes at the ends of jobs and stages only.
        "spark.eventLog.buffer.kb": "1",
    }
