"""Throttling: what an instance's requests cost, and how much they may cost in a while.

The model is the public service's: a read takes one unit, a write five, a job that deletes or rasterizes two of
another kind (`farm.md` section 6). So many units may be used at once, and as many more in each minute: who has
used them waits for what runs out of a bucket, some seconds, and not for the minute to end. All processes of a
machine count together, in memory that they share.
"""

import fcntl
import math
import mmap
import os
import struct
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from headland.farm.errors import ThrottledError

#: How full a bucket was when something was last added, and when that was (seconds since the epoch).
_LEVEL = struct.Struct("<dd")

#: Instances of which a process has the counts at hand.
_MOST_OPEN = 64


class Cost(NamedTuple):
    """What a request takes."""

    units: int
    #: Of which kind they are.
    of_jobs: bool


def cost_of(action: str) -> Cost:
    """What a request takes that does `action`."""
    if action.endswith("/write") and ("/deletionJobs/" in action or "/rasterizeJobs/" in action):
        return Cost(2, of_jobs=True)
    changes = action.endswith(("/write", "/delete", "/restore"))
    return Cost(5 if changes else 1, of_jobs=False)


class _Bucket(NamedTuple):
    """A limit, and its place among an instance's levels."""

    number: int
    seconds: int
    size: int
    of_jobs: bool


@dataclass(frozen=True, slots=True)
class Units:
    """Units that an instance's requests may use; 0 sets no limit."""

    #: Of reads and writes.
    a_minute: int = 0
    in_five_minutes: int = 0
    #: Of jobs, in five minutes.
    of_jobs: int = 0

    @property
    def buckets(self) -> list[_Bucket]:
        """The limits that are set."""
        every = (
            _Bucket(0, 60, self.a_minute, of_jobs=False),
            _Bucket(1, 300, self.in_five_minutes, of_jobs=False),
            _Bucket(2, 300, self.of_jobs, of_jobs=True),
        )
        return [bucket for bucket in every if bucket.size]


class Throttle:
    """Counts what instances' requests use. For one thread of each process."""

    def __init__(self, units: Units, folder: Path, clock: Callable[[], float] = time.time) -> None:
        """Nothing is touched unless there is a limit. Processes that count together name the same folder."""
        self._buckets = units.buckets
        self._folder = folder
        self._clock = clock
        self._open: OrderedDict[str, _Levels] = OrderedDict()

    def take(self, key: str, action: str) -> int | None:
        """Count a request of the store with this key; its units, or None where there is no limit for such.

        Raises:
            ThrottledError: there are not as many left. It is not counted.
        """
        cost = cost_of(action)
        buckets = [bucket for bucket in self._buckets if bucket.of_jobs == cost.of_jobs]
        if not buckets:
            return None
        with self._levels(key).locked() as levels:
            now = self._clock()
            found = [levels.read(bucket, now) for bucket in buckets]
            for bucket, level in zip(buckets, found, strict=True):
                # What takes more than there ever is waits for an empty bucket.
                over = level + min(cost.units, bucket.size) - bucket.size
                if over > 0:
                    wait = math.ceil(over * bucket.seconds / bucket.size)
                    raise ThrottledError(bucket.size, bucket.seconds, wait)
            for bucket, level in zip(buckets, found, strict=True):
                levels.write(bucket, level + cost.units, now)
        return cost.units

    def _levels(self, key: str) -> "_Levels":
        levels = self._open.get(key)
        if levels is None:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            levels = self._open[key] = _Levels(self._folder / key)
            if len(self._open) > _MOST_OPEN:
                self._open.popitem(last=False)[1].close()
        else:
            self._open.move_to_end(key)
        return levels


class _Levels:
    """An instance's levels, in a file that is mapped into memory, with a lock that the kernel takes from the dead."""

    def __init__(self, file: Path) -> None:
        self._file = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        size = 3 * _LEVEL.size
        if os.fstat(self._file).st_size < size:
            os.ftruncate(self._file, size)
        self._map = mmap.mmap(self._file, size)

    @contextmanager
    def locked(self) -> "Iterator[_Levels]":
        fcntl.flock(self._file, fcntl.LOCK_EX)
        try:
            yield self
        finally:
            fcntl.flock(self._file, fcntl.LOCK_UN)

    def read(self, bucket: _Bucket, now: float) -> float:
        """How full it is by now."""
        level, at = _LEVEL.unpack_from(self._map, bucket.number * _LEVEL.size)
        return float(max(0.0, level - max(0.0, now - at) * bucket.size / bucket.seconds))

    def write(self, bucket: _Bucket, level: float, now: float) -> None:
        _LEVEL.pack_into(self._map, bucket.number * _LEVEL.size, level, now)

    def close(self) -> None:
        self._map.close()
        os.close(self._file)
