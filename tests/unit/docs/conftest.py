"""The generator of the pages, which lies beside them and not among the packages."""

import importlib
from pathlib import Path
from types import ModuleType

import pytest

REPOSITORY = Path(__file__).parents[3]


@pytest.fixture(scope="session")
def repository() -> Path:
    return REPOSITORY


@pytest.fixture
def docs(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """`docs/generate.py`; what it imports can be imported, too."""
    monkeypatch.syspath_prepend(str(REPOSITORY / "docs"))
    return importlib.import_module("generate")
