"""Fixtures for every kind of test: a served Headland, and the archive that it is given to run."""

import fcntl
import gc
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests import startup, watchdog
from tests.serving import APPLICATIONS, HEADLAND, Served

#: Tests that are run one after another by one process, as they share a fixture that takes long to make: a folder, a
#: file or a test each; all else is shared out file by file. The first take longest, and are begun with.
TOGETHER = (
    "tests/clusters/yarn",
    "tests/clients/livy/test_airflow.py",
    "tests/clusters/standalone",
    "tests/clusters/storage",
    "tests/served/test_fast_starts.py",
    "tests/served/test_processes.py",
    "tests/clients/livy",
    "tests/browser",
    "tests/faults",
)

_WATCHDOG: pytest.StashKey["subprocess.Popen[bytes]"] = pytest.StashKey()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Two processes more than processors: tests wait for what they have started, which keeps the processors busy."""
    return min((os.cpu_count() or 1) + 2, 8)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    """Share out what `together` says, in the order of the collection."""
    from xdist.scheduler import LoadScopeScheduling

    class Scheduling(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return together(nodeid)[1]

    config.option.loadscopereorder = False
    return Scheduling(config, log)


def pytest_sessionstart(session: pytest.Session) -> None:
    """What the run starts ends with it."""
    config = session.config
    # What jobs of a served Headland may write, its home excepted.
    os.environ["TESTS_FOLDER"] = str(config._tmp_path_factory.getbasetemp())  # type: ignore[attr-defined]
    if not hasattr(config, "workerinput") and not config.option.collectonly and sys.platform == "linux":
        # The folder below which all processes of a run have theirs, as xdist asks for it.
        config.stash[_WATCHDOG] = watchdog.begin(config._tmp_path_factory.getbasetemp())  # type: ignore[attr-defined]


def pytest_unconfigure(config: pytest.Config) -> None:
    if (started := config.stash.get(_WATCHDOG, None)) is not None and started.stdin is not None:
        started.stdin.close()
        started.wait()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: together(item.nodeid)[0])


def together(nodeid: str) -> tuple[int, str]:
    """Rank and name of what a test is run together with."""
    file, _, test = nodeid.partition("::")
    rank = next((n for n, prefix in enumerate(TOGETHER) if file.startswith(prefix)), len(TOGETHER))
    # A scene of the fault matrix is set for all of its tests at once, and is the first of their parameters.
    scene = test.partition("[")[2].rstrip("]").partition("-")[0] if file.endswith("test_matrix.py") else ""
    return rank, f"{file} {scene}" if scene or rank == len(TOGETHER) else TOGETHER[rank]


def pytest_collection_finish(session: pytest.Session) -> None:
    """The startup cache is made before any test's time is taken. And what is there by now stays: nobody need go through
    it again for what each test leaves.
    """
    gc.collect()
    gc.freeze()
    if not session.config.option.collectonly and any(
        item.get_closest_marker("spark") for item in session.items
    ):
        startup.files()


@pytest.fixture(scope="session")
def probe(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The archive that tests run, built from its source by the product's own command: once, whoever needs it first."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    archive = folder / "probe.jar"
    with (folder / "probe.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not archive.exists():
            made = folder / "probe.new.jar"
            command = [str(HEADLAND), "archive", "build", str(APPLICATIONS / "Probe.scala"), "-o", str(made)]
            subprocess.run(command, check=True, capture_output=True)
            made.rename(archive)
    return archive


@pytest.fixture(scope="session")
def soil(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An archive of classes."""
    archive = tmp_path_factory.mktemp("soil") / "soil.jar"
    command = [str(HEADLAND), "archive", "build", str(APPLICATIONS / "Soil.scala"), "-o", str(archive)]
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
