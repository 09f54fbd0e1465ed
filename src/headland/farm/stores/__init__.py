"""Stores: each instance has a database of its own, so that none can reach another's data."""

from collections import OrderedDict

from headland.farm.stores.files import FileShelf
from headland.farm.stores.schemas import SchemaShelf
from headland.farm.stores.shelf import NewerStoreError, Shelf, StoreKeyError
from headland.farm.stores.store import Store

__all__ = ["FileShelf", "NewerStoreError", "SchemaShelf", "Shelf", "Store", "StoreKeyError", "Stores"]

#: Stores that a process keeps open. Each holds a writer's thread and, in a file, some descriptors.
MOST_OPEN = 64


class Stores:
    """The stores of a shelf, by key. A key is used for one instance and never again.

    `open` is for one thread: the event loop's.
    """

    def __init__(self, shelf: Shelf, most_open: int = MOST_OPEN) -> None:
        """Nothing is touched before something is asked for."""
        self._shelf = shelf
        self._most_open = most_open
        self._open: OrderedDict[str, Store] = OrderedDict()
        #: See `Shelf`.
        self.has = shelf.has

    def lay_out(self, key: str) -> None:
        """See `Shelf.lay_out`."""
        self._shelf.lay_out(key)

    def remove(self, key: str) -> None:
        """See `Shelf.remove`. Other processes that have it open see a store that nobody asks for any more."""
        store = self._open.pop(key, None)
        if store is not None:
            store.close()
        self._shelf.remove(key)

    def open(self, key: str) -> Store:
        """A store that has been laid out, brought up to date. It stays open until others are wanted more.

        Raises:
            StoreKeyError: no store has such a key.
            headland.database.DatabaseUnavailableError: it can't be read now.
            NewerStoreError: a later Headland has written it.
        """
        store = self._open.get(key)
        if store is None:
            store = self._open[key] = Store.open(self._shelf, key)
            self._close_some()
        else:
            self._open.move_to_end(key)
        return store

    def close(self) -> None:
        """Close all."""
        while self._open:
            self._open.popitem()[1].close()

    def _close_some(self) -> None:
        spare = len(self._open) - self._most_open
        if spare > 0:
            *others, _newest = self._open
            for key in [key for key in others if self._open[key].idle][:spare]:
                self._open.pop(key).close()
