"""One standalone cluster for all tests of this folder, and Headlands that submit to it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.clusters.environments import with_index
from tests.clusters.standalone.cluster import StandaloneCluster
from tests.serving import Served


@pytest.fixture(scope="package")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StandaloneCluster]:
    cluster = StandaloneCluster(tmp_path_factory.mktemp("standalone"))
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.stop()


@pytest.fixture(scope="package")
def detached(cluster: StandaloneCluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A Headland that submits in cluster mode. Tests may kill and start it; they leave it started."""
    served = Served(
        tmp_path_factory.mktemp("detached") / "home",
        **cluster.settings(jobs_deploy_mode="cluster", jobs_max_running="1"),
    )
    try:
        served.start()
        yield served
    finally:
        served.close()


@pytest.fixture(scope="package")
def attached(cluster: StandaloneCluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A Headland that submits in client mode."""
    folder = tmp_path_factory.mktemp("attached")
    served = Served(folder / "home", **cluster.settings())
    with_index(served, folder / "index")
    try:
        served.start()
        yield served
    finally:
        served.close()


@pytest.fixture
def mark(tmp_path: Path) -> Path:
    """Where an application leaves a line each time that it is run."""
    return tmp_path / "mark"
