"""Tiles that were drawn, for as long as nothing is written to their instance's store."""

import hashlib
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from typing import NamedTuple, TypeVar

from sqlalchemy import Connection

from headland.farm.stores import Store

T = TypeVar("T")

#: Bytes of all that are kept.
_MOST = 16 << 20


class Tile(NamedTuple):
    """A tile, or what is said of all of them."""

    content: bytes
    etag: str


class Remembered:
    """What one process has drawn of late. For one thread: the event loop's."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Hashable, tuple[Hashable, Tile]] = OrderedDict()
        self._size = 0

    async def tile(
        self,
        store: Store,
        key: Hashable,
        read: Callable[[Connection], T],
        draw: Callable[[T], Awaitable[bytes]],
    ) -> Tile:
        """What `draw` makes of what `read` returns, which is called in a thread; or has made under this key, of the
        same store.
        """
        # Looked up before anything is read: what is written meanwhile belongs to the next one.
        version = store.version()
        # A store that is opened anew counts its versions anew.
        key = (store, key)
        kept = self._kept.get(key)
        if kept is not None and kept[0] == version:
            self._kept.move_to_end(key)
            return kept[1]
        content = await draw(await store.read_in_thread(read))
        tile = Tile(content, hashlib.sha256(content).hexdigest()[:32])
        self._keep(key, version, tile)
        return tile

    def _keep(self, key: Hashable, version: Hashable, tile: Tile) -> None:
        self._forget(key)
        self._kept[key] = (version, tile)
        self._size += len(tile.content)
        while self._size > _MOST:
            self._forget(next(iter(self._kept)))

    def _forget(self, key: Hashable) -> None:
        before = self._kept.pop(key, None)
        if before is not None:
            self._size -= len(before[1].content)
