"""Stores of the test's own."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.databases import SYSTEMS, StoresTemplate, made_once, shelf_at

from headland.farm.stores import Shelf, Stores


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "farm"


@pytest.fixture(scope="session", params=SYSTEMS)
def template(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> StoresTemplate:
    folder = tmp_path_factory.mktemp("farm")
    return made_once("farm", request.param, lambda: StoresTemplate(request.param, folder))


@pytest.fixture
def url(template: StoresTemplate, tmp_path: Path) -> Iterator[str]:
    with template.copied(tmp_path / "headland.db") as url:
        yield url


@pytest.fixture
def shelf(url: str, root: Path) -> Iterator[Shelf]:
    with shelf_at(url, root) as shelf:
        yield shelf


@pytest.fixture
def stores(shelf: Shelf) -> Iterator[Stores]:
    stores = Stores(shelf)
    yield stores
    stores.close()
