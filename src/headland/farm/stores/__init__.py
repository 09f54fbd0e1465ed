"""Stores: each instance has a folder with a database of its own, so that none can reach another's data."""

from collections import OrderedDict
from pathlib import Path

from sqlalchemy.exc import OperationalError

from headland.database import DatabaseUnavailableError
from headland.farm.stores import layout
from headland.farm.stores.layout import StoreKeyError
from headland.farm.stores.schema import NewerStoreError, upgrade
from headland.farm.stores.store import Store

__all__ = ["NewerStoreError", "Store", "StoreKeyError", "Stores"]

#: Stores that a process keeps open. Each holds a writer's thread and some file descriptors.
MOST_OPEN = 64


class Stores:
    """The stores below a folder, by key. A key is used for one instance and never again.

    `open` is for one thread: the event loop's.
    """

    def __init__(self, root: Path, busy_timeout: float = 10.0, most_open: int = MOST_OPEN) -> None:
        """Nothing is touched before something is asked for."""
        self._root = root
        self._busy_timeout = busy_timeout
        self._most_open = most_open
        self._open: OrderedDict[str, Store] = OrderedDict()

    def lay_out(self, key: str) -> None:
        """See `headland.farm.stores.layout.lay_out`."""
        layout.lay_out(self._root, key)

    def has(self, key: str) -> bool:
        """Whether a store with this key has been laid out, and was not removed."""
        return layout.folder_of(self._root, key).exists()

    def remove(self, key: str) -> None:
        """See `headland.farm.stores.layout.remove`. Other processes that have it open see a store that nobody
        asks for any more.
        """
        store = self._open.pop(key, None)
        if store is not None:
            store.close()
        layout.remove(self._root, key)

    def open(self, key: str) -> Store:
        """A store that has been laid out, brought up to date. It stays open until others are wanted more.

        Raises:
            StoreKeyError: no store has such a key.
            headland.database.DatabaseUnavailableError: it can't be read now.
            NewerStoreError: a later Headland has written it.
        """
        store = self._open.get(key)
        if store is None:
            store = self._open[key] = self._opened(key)
            self._close_some()
        else:
            self._open.move_to_end(key)
        return store

    def close(self) -> None:
        """Close all."""
        while self._open:
            self._open.popitem()[1].close()

    def _opened(self, key: str) -> Store:
        folder = layout.folder_of(self._root, key)
        try:
            upgrade(f"sqlite:///{layout.database_of(folder)}", self._busy_timeout)
        except OperationalError as error:
            raise DatabaseUnavailableError(str(error.orig)) from error
        return Store(folder, self._busy_timeout)

    def _close_some(self) -> None:
        spare = len(self._open) - self._most_open
        if spare > 0:
            *others, _newest = self._open
            for key in [key for key in others if self._open[key].idle][:spare]:
                self._open.pop(key).close()
