"""How the system shares processors among the threads of a listener."""

import contextlib
import os


def let_threads_finish() -> None:
    """Have this thread, and all that it starts, take the processor when it comes to them, and not from each other.

    A request goes through several threads of which one at a time can run Python: one that is woken, and takes the
    processor from the one that holds Python's lock, waits for just that, with the caches emptied. Linux alone can be
    told so; shares of the processor are as everybody's.
    """
    # Absent elsewhere, and forbidden in some containers: then it takes a tenth longer.
    with contextlib.suppress(AttributeError, OSError):
        os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
