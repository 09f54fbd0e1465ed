"""The chain of hashes: each entry's covers the one before it, so that none can be changed, taken out or put in
without every later one changing, too.

Whoever can write to the database file can forge the whole chain anew from some entry on. Against that, somebody
else keeps the last entry's number and hash, and has them looked for later on.
"""

import hashlib
from collections.abc import Iterable

import msgspec

from headland.audit.records import Entry

#: What the first entry's hash covers in place of an earlier one's.
BEGINNING = bytes(32)


class BrokenChainError(Exception):
    """An entry is not what was recorded, or is missing. The message says where."""


def digest(previous: bytes, *covered: int | str | None) -> bytes:
    """The hash of an entry with these fields (`Entry.covered`) after the one with hash `previous`."""
    return hashlib.sha256(previous + msgspec.json.encode(covered)).digest()


def follow(entries: Iterable[Entry], sequence: int, previous: bytes) -> tuple[int, bytes]:
    """Number and hash of the last of `entries`, which follow the one with these.

    Raises:
        BrokenChainError: they don't.
    """
    for entry in entries:
        if entry.sequence != sequence + 1:
            raise BrokenChainError(f"entry {sequence + 1} is missing")
        if digest(previous, *entry.covered) != entry.hash:
            raise BrokenChainError(f"entry {entry.sequence} is not what was recorded, or the one before it")
        sequence, previous = entry.sequence, entry.hash
    return sequence, previous
