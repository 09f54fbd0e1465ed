"""Where an instance's store lies, and how its folder comes and goes. Either may be cut short and done again."""

import os
import re
import shutil
from pathlib import Path

from headland.farm.stores.schema import upgrade

#: Keys of stores become names of folders.
_KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9_\-]{0,99}")

#: Seconds that a store's making waits for another process's.
_BUSY_TIMEOUT = 30.0


class StoreKeyError(ValueError):
    """A key can't name a store."""


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


def lay_out(root: Path, key: str) -> None:
    """Make a store, whole or not at all; one that is there is brought up to date.

    Raises:
        StoreKeyError, OSError, sqlalchemy.exc.OperationalError: it could not be made.
    """
    folder = folder_of(root, key)
    if folder.exists():
        upgrade(_url(folder), _BUSY_TIMEOUT)
        return
    root.mkdir(mode=0o700, parents=True, exist_ok=True)
    # No key begins with a dot. What an earlier try has left is of no use.
    making = root / f".{key}.making"
    shutil.rmtree(making, ignore_errors=True)
    making.mkdir(mode=0o700)
    upgrade(_url(making), _BUSY_TIMEOUT, create=True)
    _flush(database_of(making))
    _flush(making)
    making.rename(folder)
    _flush(root)


def remove(root: Path, key: str) -> None:
    """Remove a store with all that is in it. From the first moment on it can't be opened any more.

    Raises:
        StoreKeyError, OSError: it could not be removed, or not wholly: call again.
    """
    folder = folder_of(root, key)
    going = root / f".{key}.going"
    if going.exists():
        shutil.rmtree(going)
    if folder.exists():
        folder.rename(going)
        _flush(root)
        shutil.rmtree(going)
    shutil.rmtree(root / f".{key}.making", ignore_errors=True)


def _url(folder: Path) -> str:
    return f"sqlite:///{database_of(folder)}"


def _flush(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
