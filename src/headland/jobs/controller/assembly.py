"""Put together what starts applications faster, as far as settings, Java and Spark allow."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import structlog

from headland.database import Database
from headland.jobs.clusters.cluster import Clusters
from headland.jobs.clusters.companion import Companion, training_digest
from headland.jobs.clusters.filesystem import StorageAccess
from headland.jobs.clusters.java import Toolchain
from headland.jobs.clusters.machine import LASTING
from headland.jobs.clusters.service_access import ServiceAccess
from headland.jobs.clusters.startup import StartupCache
from headland.jobs.controller.making import Making
from headland.jobs.controller.upkeep import Upkeep
from headland.jobs.controller.warm import WarmDrivers, for_batches
from headland.jobs.environments.content import Contents
from headland.jobs.isolation.isolation import Isolation, described
from headland.jobs.sessions.controller.warming import for_sessions
from headland.settings import Home, JobsSettings

_log = structlog.get_logger("headland.jobs.controller")


@dataclass(frozen=True, slots=True)
class Assembled:
    """What a controller starts applications with."""

    cluster: Clusters
    #: Drivers for batches, and for sessions.
    drivers: WarmDrivers
    sessions: WarmDrivers
    upkeep: Upkeep


def assemble(
    database: Database,
    jobs: JobsSettings,
    home: Home,
    tools: Toolchain,
    access: ServiceAccess,
    *,
    storage: Mapping[str, str],
    default_url: str | None,
) -> Assembled:
    """The cluster with its startup cache, the warm drivers, and what looks after both. What can't be is left out,
    and the log says why. Jobs have `access` to the service, and find cluster storage by the configuration `storage`;
    `default_url` is what paths without a scheme mean to them, if not files of the machine.
    """
    companion = Companion.of(tools, home.cache)
    reason = None if companion else "this Spark comes without a Scala compiler"
    if os.pathsep in str(home.cache):
        companion, reason = None, f"a class path can't hold the home's name: {home.path}"
    if reason:
        _log.warning(
            "startup.off", reason=reason, lost="fast starts, and cluster storage inside applications"
        )
    reached = StorageAccess(companion.file, storage, default_url) if companion else None
    startup = None
    if jobs.startup_cache and companion is not None:
        startup = StartupCache.of(tools, home.cache, training_digest())
        if startup is None:
            _log.warning("startup.no_cache", reason=f"{tools.java} is too old for one")
    isolation = Isolation.of(jobs, home, tools)
    if isolation.problem or not isolation.walls:
        why = {"reason": isolation.problem} if isolation.problem else {}
        _log.warning("isolation.weak", isolation=described(jobs), **why)
    else:
        _log.info("isolation", walls=isolation.walls)
    cluster = Clusters(jobs, tools, startup, Contents(home.environments), access, reached, isolation)
    making = Making(cluster, companion, home)
    drivers, sessions = jobs.warm_drivers, jobs.warm_sessions
    if drivers and jobs.deploy_mode != "client":
        _log.warning("driver.none", reason="drivers run on the cluster")
        drivers = 0
    if (drivers or sessions) and _has_lasting(tools.spark_home / "conf" / "spark-defaults.conf"):
        _log.warning("driver.none", reason=f"spark-defaults.conf sets what lasts as long as a JVM: {LASTING}")
        drivers = sessions = 0
    of_batches, of_sessions = (
        WarmDrivers(cluster, jobs, home, making=making, purpose=purpose)
        for purpose in (for_batches(drivers, home), for_sessions(sessions, jobs, home, tools))
    )
    upkeep = Upkeep(database, jobs, home, making=making, pools=(of_batches, of_sessions))
    return Assembled(cluster, of_batches, of_sessions, upkeep)


def _has_lasting(defaults: Path) -> bool:
    try:
        lines = defaults.read_text("utf-8", "replace").splitlines()
    except OSError:
        return False
    return any(line.strip().startswith(LASTING) for line in lines)
