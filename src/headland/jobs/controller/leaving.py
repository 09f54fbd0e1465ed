"""Have a cluster let go of what an application had there whose driver was on this node."""

import structlog

from headland.jobs.batches.submission import Submission
from headland.jobs.clusters.cluster import Clusters
from headland.jobs.clusters.manager import ManagerUnreachableError
from headland.jobs.runner.run_directory import RunDirectory

_log = structlog.get_logger("headland.jobs.controller")


def leave(cluster: Clusters, request: Submission, directory: RunDirectory) -> None:
    """To be called when its driver has ended, or is about to be killed. A manager that does not answer then is not
    asked again: what is left of an application without a driver gives up by itself, if later.
    """
    if not directory.launched.exists():
        return
    try:
        cluster.clear_away(request, directory)
    except ManagerUnreachableError as error:
        _log.warning("cluster.not_cleared", run=directory.path.name, reason=str(error))
