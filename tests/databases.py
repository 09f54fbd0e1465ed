"""The databases that tests run on."""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Generic, TypeVar

import pytest
from sqlalchemy import text

from headland.database.postgresql import PostgresServer
from headland.database.system import is_postgresql
from headland.farm import FileShelf, SchemaShelf, Shelf
from tests.copies import Copies
from tests.postgres import cluster

T = TypeVar("T")

#: Those that `database.url` takes.
SYSTEMS = ("sqlite", "postgresql")

#: For tests of what SQLite alone does, or that look into its file, where a fixture `template` is for all systems.
ON_SQLITE = pytest.mark.parametrize("template", ["sqlite"], indirect=True)

#: Where tests run that show the same on either: on one of them, unless all is to be tried (`make databases`).
EITHER = SYSTEMS if os.environ.get("EVERY_DATABASE") else SYSTEMS[:1]

#: For such tests, where a fixture `template` is for all systems.
ON_EITHER = pytest.mark.parametrize("template", EITHER, indirect=True)

#: For tests that are worth their while on both, where a fixture `template` is for SQLite unless they say so.
ON_BOTH = pytest.mark.parametrize("template", SYSTEMS, indirect=True)


def system_of(request: pytest.FixtureRequest) -> str:
    """What a fixture `template` is to be made of."""
    return str(getattr(request, "param", SYSTEMS[0]))


class Template(Generic[T]):
    """A database with something in it, to be copied: migrations and first starts take their time."""

    def __init__(self, system: str, folder: Path, prepare: Callable[[str], T]) -> None:
        """What `prepare` has made of the empty database with the URL that it is given."""
        server = cluster() if system == "postgresql" else None
        self._file = folder / "template.db"
        if server is None:
            self._file.touch()
        self.url = server.database() if server else f"sqlite:///{self._file}"
        self._copies = Copies(server, self.url) if server else None
        #: What it returned.
        self.made = prepare(self.url)

    @contextmanager
    def copied(self, file: Path) -> Iterator[str]:
        """The URL of a copy: in the file if it is SQLite's."""
        if self._copies is None:
            shutil.copy(self._file, file)
            yield f"sqlite:///{file}"
            return
        url = self._copies.take()
        try:
            yield url
        finally:
            self._copies.give_back(url)


def take_away(url: str) -> None:
    """Have a database be gone."""
    if is_postgresql(url):
        cluster().drop(url)
        return
    file = Path(url.removeprefix("sqlite:///"))
    for each in file.parent.glob(f"{file.name}*"):
        each.rename(each.with_name(f"away-{each.name}"))


_MADE: dict[tuple[str, str], Template[Any]] = {}


def made_once(name: str, system: str, make: Callable[[], Template[T]]) -> Template[T]:
    """This process's template of a name: a fixture is made anew each time that a test asks for another parameter."""
    if (name, system) not in _MADE:
        _MADE[name, system] = make()
    return _MADE[name, system]


@contextmanager
def shelf_at(url: str, folder: Path) -> Iterator[Shelf]:
    """Where a deployment with this database would have its farm stores: in it, or in the folder."""
    if not is_postgresql(url):
        yield FileShelf(folder)
        return
    server = PostgresServer(url, 10.0)
    yield SchemaShelf(server)
    server.close()


def laid_out_on(shelf: Shelf) -> set[str]:
    """Keys of the stores that there are."""
    if isinstance(shelf, FileShelf):
        return {path.name for path in shelf._root.iterdir()} if shelf._root.exists() else set()
    assert isinstance(shelf, SchemaShelf)
    found = text("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'farm\\_%'")
    names = shelf._server.main().read(lambda connection: connection.execute(found).scalars().all())
    return {name.removeprefix("farm_") for name in names}


class StoresTemplate(Template[None]):
    """Farm stores that are laid out, to be copied with the database beside which or in which they are."""

    def __init__(self, system: str, folder: Path, *keys: str) -> None:
        self._stores = folder / "farm"
        self._stores.mkdir()
        super().__init__(system, folder, partial(self._lay_out, keys))

    def _lay_out(self, keys: tuple[str, ...], url: str) -> None:
        with shelf_at(url, self._stores) as shelf:
            if isinstance(shelf, SchemaShelf):
                shelf.prepare()
            for key in keys:
                shelf.lay_out(key)

    @contextmanager
    def shelf(self, folder: Path) -> Iterator[Shelf]:
        """A copy, in the folder if it is SQLite's."""
        with self.copied(folder / "headland.db") as url:
            shutil.copytree(self._stores, folder / "farm")
            with shelf_at(url, folder / "farm") as shelf:
                yield shelf
