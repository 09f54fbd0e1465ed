"""Stores in a folder of the test's own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from headland.farm.stores import Stores


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "farm"


@pytest.fixture
def stores(root: Path) -> Iterator[Stores]:
    stores = Stores(root)
    yield stores
    stores.close()
