"""What differs between database systems, and what `Database` makes of either."""

import re
from collections.abc import Callable, Hashable, Sequence
from contextlib import AbstractContextManager
from typing import Protocol, TypeVar

from sqlalchemy import Connection, Engine

from headland.database.changes import Changes

T = TypeVar("T")

#: Beginnings of the URLs of PostgreSQL's databases (libpq-connect, section 34.1.1.2).
_POSTGRESQL = ("postgresql", "postgres")


_USER = re.compile("//[^/]*@")


class System(Protocol):
    """A database, as one process uses it. Its methods may be called by any thread."""

    #: The mark that other processes' commits change, where there is one.
    changes: Changes

    @property
    def engines(self) -> Sequence[Engine]:
        """Whatever is executed is executed by one of these, for those who watch."""
        ...

    def read(self, query: Callable[[Connection], T]) -> T:
        """See `Database.read`."""
        ...

    def read_snapshot(self, query: Callable[[Connection], T]) -> T:
        """See `Database.read_snapshot`."""
        ...

    def snapshot(self) -> AbstractContextManager[Connection]:
        """See `Database.snapshot`."""
        ...

    def version(self) -> Hashable:
        """Another one after each commit, by whatever process. Raises as `read`."""
        ...

    def write(self, work: Callable[[Connection], T]) -> T:
        """What `work` returns, once its transaction is committed and on disk. No other writer's transaction is
        open meanwhile, in whatever process: what `work` reads is so until it has written.

        Raises:
            Exception: whatever made it fail; nothing of it was kept.
        """
        ...

    def lives(self, connection: Connection) -> bool:
        """Whether a transaction in which a statement has failed can be gone on with, from a savepoint."""
        ...

    def told(self, error: Exception) -> Exception:
        """The error as callers are told of it: `DatabaseUnavailableError` for what is not their doing."""
        ...

    def forget(self) -> None:
        """Let go of what is open for writing: after a failure, it may not be what is there next time."""
        ...

    def close(self) -> None:
        """Close every connection."""
        ...


def is_postgresql(url: str) -> bool:
    """Whether a database's URL names PostgreSQL."""
    return url.partition(":")[0] in _POSTGRESQL


def shown(url: str) -> str:
    """A database's URL for messages: without the user, the password, or anything else that may be secret."""
    return _USER.sub("//", url.partition("?")[0])
