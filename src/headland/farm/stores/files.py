"""Stores as folders, each with an SQLite database of its own."""

import os
import re
import shutil
from pathlib import Path

from sqlalchemy.exc import OperationalError

from headland.database import Database, DatabaseUnavailableError
from headland.database.sqlite import sqlite_engine
from headland.farm.stores.schema import bring_in_line, is_current
from headland.farm.stores.shelf import StoreKeyError

#: Keys of stores become names of folders.
_KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9_\-]{0,99}")

#: Seconds that a store's making waits for another process's.
_BUSY_TIMEOUT = 30.0


class FileShelf:
    """`headland.farm.stores.shelf.Shelf`: folders below one."""

    def __init__(self, root: Path, busy_timeout: float = 10.0) -> None:
        """Nothing is touched before something is asked for."""
        self._root = root
        self._busy_timeout = busy_timeout

    def lay_out(self, key: str) -> None:
        folder = folder_of(self._root, key)
        if folder.exists():
            upgrade(database_of(folder), _BUSY_TIMEOUT)
            return
        self._root.mkdir(mode=0o700, parents=True, exist_ok=True)
        # No key begins with a dot. What an earlier try has left is of no use.
        making = self._root / f".{key}.making"
        shutil.rmtree(making, ignore_errors=True)
        making.mkdir(mode=0o700)
        upgrade(database_of(making), _BUSY_TIMEOUT, create=True)
        _flush(database_of(making))
        _flush(making)
        making.rename(folder)
        _flush(self._root)

    def has(self, key: str) -> bool:
        return folder_of(self._root, key).exists()

    def remove(self, key: str) -> None:
        folder = folder_of(self._root, key)
        going = self._root / f".{key}.going"
        if going.exists():
            shutil.rmtree(going)
        if folder.exists():
            folder.rename(going)
            _flush(self._root)
            shutil.rmtree(going)
        shutil.rmtree(self._root / f".{key}.making", ignore_errors=True)

    def open(self, key: str, most_remembered: int) -> Database:
        file = database_of(folder_of(self._root, key))
        upgrade(file, self._busy_timeout)
        return Database.at(file, self._busy_timeout, most_remembered)


def folder_of(root: Path, key: str) -> Path:
    """The folder of a store.

    Raises:
        StoreKeyError: the key could lead elsewhere.
    """
    if _KEY.fullmatch(key) is None:
        raise StoreKeyError(f"{key!r} can't name a store")
    return root / key


def database_of(folder: Path) -> Path:
    """The file of a store's documents."""
    return folder / "farm.db"


def upgrade(file: Path, busy_timeout: float, *, create: bool = False) -> None:
    """Bring a store's database in line with what this Headland knows, in one transaction.

    Raises:
        DatabaseUnavailableError: it can't be read or written, or is not there and `create` is not said.
        NewerStoreError: the store is ahead of this Headland.
    """
    engine = sqlite_engine(f"sqlite:///{file}", busy_timeout, writer=True, create=create)
    try:
        with engine.begin() as connection:
            if not is_current(connection):
                bring_in_line(connection)
    except OperationalError as error:
        raise DatabaseUnavailableError(str(error.orig)) from error
    finally:
        engine.dispose()


def _flush(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
