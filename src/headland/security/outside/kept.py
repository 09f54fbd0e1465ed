"""Key sets on disk, so that tokens are verified while their issuer is away, and after a restart.

Worker processes share them: what one has fetched the others need not.
"""

import os
import secrets
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec

from headland.security.outside.keys import KeySetError, PublishedKeys, published_keys


class _Content(msgspec.Struct):
    issuer: str
    #: Seconds since 1970.
    fetched_at: float
    keys: list[dict[str, Any]]


class KeptKeys:
    """The keys of one issuer in a file of its own."""

    def __init__(self, folder: Path, issuer: str) -> None:
        self._file = folder / f"{sha256(issuer.encode()).hexdigest()[:32]}.json"
        self._issuer = issuer

    def read(self) -> tuple[float, PublishedKeys] | None:
        """When they were fetched, and the keys; None where there are none, or the file is damaged."""
        try:
            content = msgspec.json.decode(self._file.read_bytes(), type=_Content)
            keys = published_keys({"keys": content.keys})
        except (OSError, ValueError, msgspec.DecodeError, KeySetError):
            return None
        return (content.fetched_at, keys) if content.issuer == self._issuer else None

    def write(self, fetched_at: float, keys: PublishedKeys) -> None:
        """Whole or not at all.

        Raises:
            OSError: the disk is full or can't be written.
        """
        content = msgspec.json.encode(_Content(self._issuer, fetched_at, list(keys.entries)))
        self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # A name of its own: another process may be writing, too.
        draft = self._file.with_name(f"{self._file.name}.{secrets.token_hex(8)}")
        try:
            descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            with os.fdopen(descriptor, "wb") as opened:
                opened.write(content)
                opened.flush()
                os.fsync(opened.fileno())
            draft.replace(self._file)
        finally:
            draft.unlink(missing_ok=True)
