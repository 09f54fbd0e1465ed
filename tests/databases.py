"""The databases that tests run on."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Generic, TypeVar

import pytest

from tests.postgres import Cluster, cluster

T = TypeVar("T")

#: Those that `database.url` takes.
SYSTEMS = ("sqlite", "postgresql")

#: For tests of what SQLite alone does, or that look into its file, where a fixture `template` is for all systems.
ON_SQLITE = pytest.mark.parametrize("template", ["sqlite"], indirect=True)


class Template(Generic[T]):
    """A database with something in it, to be copied: migrations and first starts take their time."""

    def __init__(self, system: str, folder: Path, prepare: Callable[[str], T]) -> None:
        """What `prepare` has made of the empty database with the URL that it is given."""
        self._server: Cluster | None = cluster() if system == "postgresql" else None
        self._file = folder / "template.db"
        self.url = self._server.database() if self._server else f"sqlite:///{self._file}"
        #: What it returned.
        self.made = prepare(self.url)

    @contextmanager
    def copied(self, file: Path) -> Iterator[str]:
        """The URL of a copy: in the file if it is SQLite's."""
        if self._server is None:
            shutil.copy(self._file, file)
            yield f"sqlite:///{file}"
            return
        url = self._server.database(self.url)
        try:
            yield url
        finally:
            self._server.drop(url)
