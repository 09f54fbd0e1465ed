"""Fixtures for every kind of test: a served Headland, and the archive that it is given to run."""

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests import startup
from tests.serving import APPLICATIONS, HEADLAND, Served

#: Tests that are run one after another by one process, as they share a fixture that takes long to make: a folder, a
#: file or a test each; all else is shared out file by file. The first take longest, and are begun with.
TOGETHER = (
    "tests/clusters/yarn",
    "tests/clients/livy/test_airflow.py",
    "tests/clusters/standalone",
    "tests/served/test_fast_starts.py",
    "tests/served/test_processes.py",
    "tests/clients/livy",
    "tests/faults",
)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Twice as many processes as processors: tests spend half of their time waiting for what they have started."""
    return min(2 * (os.cpu_count() or 1), 8)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Say what belongs together, and put what takes longest first."""
    if not hasattr(config, "workerinput"):
        return
    order = {}
    for item in items:
        file = item.nodeid.partition("::")[0]
        rank = next((n for n, prefix in enumerate(TOGETHER) if file.startswith(prefix)), len(TOGETHER))
        scene = item.callspec.params.get("struck", "") if hasattr(item, "callspec") else ""
        group = file if rank == len(TOGETHER) else TOGETHER[rank] if not scene else f"{file}:{scene}"
        item.add_marker(pytest.mark.xdist_group(group))
        order[item] = rank
    items.sort(key=order.__getitem__)


def pytest_collection_finish(session: pytest.Session) -> None:
    """The startup cache is made before any test's time is taken."""
    if not session.config.option.collectonly and any(
        item.get_closest_marker("spark") for item in session.items
    ):
        startup.files()


@pytest.fixture(scope="session")
def probe(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The archive that tests run, built from its source by the product's own command."""
    archive = tmp_path_factory.mktemp("probe") / "probe.jar"
    command = [str(HEADLAND), "archive", "build", str(APPLICATIONS / "Probe.scala"), "-o", str(archive)]
    subprocess.run(command, check=True, capture_output=True)
    return archive


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A Headland on embedded defaults but for impersonation, shared by all tests that don't stop it."""
    # A home's path is its owner's to choose, and on some systems the default one has a space.
    running = Served(tmp_path_factory.mktemp("served") / "my farm ü 100%", jobs_impersonation="true")
    try:
        running.start()
        yield running
    finally:
        running.close()


@pytest.fixture
def make_served(tmp_path: Path) -> Iterator[Callable[..., Served]]:
    """Make a Headland with settings of its own; the test starts it."""
    made: list[Served] = []

    def make(**settings: str) -> Served:
        made.append(Served(tmp_path / f"home{len(made)}", **settings))
        return made[-1]

    yield make
    for each in made:
        each.close()
