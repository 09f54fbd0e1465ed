"""Spark on this node: driver and executors in one JVM."""

import re

from headland.jobs.batches.submission import Submission
from headland.jobs.clusters.kind import Kind, Terms, driver_here
from headland.jobs.runner.run_directory import RunDirectory
from headland.settings import JobsSettings


def _terms(_settings: JobsSettings, submission: Submission, directory: RunDirectory) -> Terms:
    defaults = {
        **driver_here(directory),
        # A driver on a local master has no business with the network.
        "spark.driver.host": "localhost",
        "spark.driver.bindAddress": "127.0.0.1",
    }
    return Terms(submission.master, defaults, environment={"SPARK_LOCAL_IP": "127.0.0.1"})


LOCAL = Kind("local", re.compile(r"local(\[(\*|[1-9]\d*)(,[1-9]\d*)?\])?"), ("client",), _terms)
