"""Put together what starts applications faster, as far as settings, Java and Spark allow."""

import os
from pathlib import Path

import structlog

from headland.database import Database
from headland.jobs.clusters.cluster import Clusters
from headland.jobs.clusters.companion import Companion, source_digest
from headland.jobs.clusters.java import Toolchain
from headland.jobs.clusters.machine import LASTING
from headland.jobs.clusters.startup import StartupCache
from headland.jobs.controller.making import Making
from headland.jobs.controller.upkeep import Upkeep
from headland.jobs.controller.warm import WarmDrivers
from headland.settings import Home, JobsSettings

_log = structlog.get_logger("headland.jobs.controller")


def assemble(
    database: Database, jobs: JobsSettings, home: Home, tools: Toolchain
) -> tuple[Clusters, WarmDrivers, Upkeep]:
    """The cluster with its startup cache, the warm drivers, and what looks after both. What can't be is left out,
    and the log says why.
    """
    companion = startup = None
    if jobs.startup_cache or jobs.warm_drivers:
        companion = Companion.of(tools, home.cache)
        reason = None if companion else "this Spark comes without a Scala compiler"
        if os.pathsep in str(home.cache):
            companion, reason = None, f"a class path can't hold the home's name: {home.path}"
        if reason:
            _log.warning("startup.off", reason=reason)
    if jobs.startup_cache and companion is not None:
        startup = StartupCache.of(tools, home.cache, source_digest())
        if startup is None:
            _log.warning("startup.no_cache", reason=f"{tools.java} is too old for one")
    cluster = Clusters(jobs, tools, startup)
    making = Making(cluster, companion, home)
    wanted = jobs.warm_drivers
    if wanted and jobs.deploy_mode != "client":
        _log.warning("driver.none", reason="drivers run on the cluster")
        wanted = 0
    if wanted and _has_lasting(tools.spark_home / "conf" / "spark-defaults.conf"):
        _log.warning("driver.none", reason=f"spark-defaults.conf sets what lasts as long as a JVM: {LASTING}")
        wanted = 0
    warm = WarmDrivers(cluster, jobs, home, making=making, wanted=wanted)
    return cluster, warm, Upkeep(database, jobs, home, making=making, warm=warm)


def _has_lasting(defaults: Path) -> bool:
    try:
        lines = defaults.read_text("utf-8", "replace").splitlines()
    except OSError:
        return False
    return any(line.strip().startswith(LASTING) for line in lines)
