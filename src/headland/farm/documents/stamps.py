"""What the service writes into a document by itself."""

from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from random import getrandbits


@dataclass(frozen=True)
class Stamp:
    """Who writes, and when."""

    #: Seconds since the epoch: documents show no less.
    at: int
    #: Object id of the caller.
    by: str

    @cached_property
    def moment(self) -> datetime:
        return datetime.fromtimestamp(self.at, UTC)


def new_etag(at: int, before: str | None) -> str:
    """Another one than `before`, in the public service's form: the second of the change in the last group."""
    while True:
        bits = getrandbits(48)
        etag = f"{bits >> 16:08x}-0000-{bits & 0xFFFF:04x}-0000-{at & 0xFFFFFFFF:08x}0000"
        if etag != before:
            return etag
