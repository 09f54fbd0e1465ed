"""A folder to work in, of which nothing stays: a process that was killed leaves it to whoever takes its work over."""

import hashlib
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def scratch(store: str, job: str) -> Iterator[Path]:
    """An empty folder for one attempt at a job of a store. Those of earlier attempts are removed: a job is done by one
    process at a time.
    """
    name = hashlib.sha256(f"{store}\n{job}".encode()).hexdigest()[:32]
    prefix = f"headland-rasters-{name}-"
    for left in Path(tempfile.gettempdir()).glob(f"{prefix}*"):
        shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=prefix, ignore_cleanup_errors=True) as path:
        yield Path(path)
