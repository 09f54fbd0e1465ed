"""A Headland that takes client id and secret on its private port, and the program that clients submit to it.

The clients live in environments of their own: `make clients` installs them. Without them these tests are
skipped, except where `REQUIRE_PEERS=1` says that they must run.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.clients.livy.program import HERE
from tests.serving import Served


@pytest.fixture(scope="session")
def livy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A Headland for all tests here that don't stop it."""
    running = Served(tmp_path_factory.mktemp("livy") / "home", server_private_authentication="basic")
    try:
        running.start()
        yield running
    finally:
        running.close()


@pytest.fixture(scope="session")
def field(livy: Served) -> str:
    """The URL of what clients submit."""
    return livy.put(HERE / "field.py", "programs/field.py")


@pytest.fixture
def mark(tmp_path: Path) -> Path:
    """The file that lets an application go which stays."""
    return tmp_path / "mark"
