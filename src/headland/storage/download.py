"""Bring a blob into a file of this machine."""

import contextlib
import os
import uuid
from pathlib import Path
from typing import BinaryIO

from headland.storage.blobs import BlobInfo, BlobReader
from headland.storage.threads import finish_in_thread


async def download(reader: BlobReader, target: Path) -> BlobInfo:
    """Write what `reader` has to `target`, and close it.

    It is written beside its target and moved there once it is whole and on disk, so a crash leaves no part
    of an archive by a name that somebody might run.

    Raises:
        OSError: `target` can't be written.
        StorageUnavailableError: the store gave up half-way.
    """
    partial = target.with_name(f".{uuid.uuid4().hex}.part")
    try:
        with partial.open("xb", buffering=0) as file:
            async for chunk in reader:
                await finish_in_thread(_write, file, chunk)
            await finish_in_thread(os.fsync, file.fileno())
        await finish_in_thread(_move, partial, target)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            partial.unlink()
        raise
    finally:
        await reader.close()
    return reader.info


def _write(file: BinaryIO, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[file.write(rest) :]


def _move(partial: Path, target: Path) -> None:
    partial.replace(target)
    folder = os.open(target.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
