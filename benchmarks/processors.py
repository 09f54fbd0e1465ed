"""Which processors what is measured may run on."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from benchmarks.harness import SkippedError


def one() -> set[int]:
    """A processor for what is measured.

    Raises:
        SkippedError: this system keeps nobody to a processor.
    """
    if not hasattr(os, "sched_getaffinity"):
        raise SkippedError("this system keeps no process to a processor")
    return {min(os.sched_getaffinity(0))}


@contextmanager
def kept_to(processors: set[int]) -> Iterator[None]:
    """This process, and those that it starts meanwhile, run on these."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, processors)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
