"""Fixtures for every kind of test: a served Headland, and the archive that it is given to run."""

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.serving import APPLICATIONS, HEADLAND, Served


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
