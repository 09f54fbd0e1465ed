"""Stores of instances as folders."""

import os
import shutil
from pathlib import Path


class FolderStores:
    """`headland.control.InstanceStores`: a folder for each store."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def lay_out(self, store_key: str) -> None:
        """Make the folder.

        Raises:
            OSError: it can't be made.
        """
        (self._folder / store_key).mkdir(mode=0o700, parents=True, exist_ok=True)
        self._flush()

    def remove(self, store_key: str) -> None:
        """Remove the folder with all that is in it.

        Raises:
            OSError: it can't be removed.
        """
        path = self._folder / store_key
        if path.exists():
            shutil.rmtree(path)
            self._flush()

    def _flush(self) -> None:
        """What was made or removed must be so after a power cut, too: a row says it is."""
        descriptor = os.open(self._folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
