"""Where instances' stores lie: each in a place of its own, so that none can reach another's data."""

from typing import Protocol

from headland.database import Database


class StoreKeyError(ValueError):
    """A key can't name a store."""


class NewerStoreError(Exception):
    """The store was written by a later Headland, which this one can't read."""


class Shelf(Protocol):
    """Stores by key. A key is used for one instance and never again. Each method may be cut short and done again.

    Each raises StoreKeyError where the key can't name a store.
    """

    def lay_out(self, key: str) -> None:
        """Make a store, whole or not at all; one that is there is brought up to date.

        Raises:
            OSError, DatabaseUnavailableError: it could not be made.
            NewerStoreError: a later Headland has written it.
        """
        ...

    def has(self, key: str) -> bool:
        """Whether there is a store. Raises DatabaseUnavailableError where nobody knows."""
        ...

    def remove(self, key: str) -> None:
        """Remove a store with all that is in it. From the first moment on it can't be opened any more.

        Raises:
            OSError, DatabaseUnavailableError: it could not be removed, or not wholly: call again.
        """
        ...

    def open(self, key: str, most_remembered: int) -> Database:
        """The rows of a store that is there, brought up to date.

        Raises:
            DatabaseUnavailableError: it is not there, or can't be read now.
            NewerStoreError: a later Headland has written it.
        """
        ...
