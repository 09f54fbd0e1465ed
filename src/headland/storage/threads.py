"""Blocking work in threads, for callers that may be cancelled."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


async def finish_in_thread(function: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
    """`function`'s result. A caller that is cancelled meanwhile is so only once `function` has returned.

    A thread can't be stopped. If its caller went ahead and closed the file it writes to, the file's
    descriptor could by then be another file's.
    """
    # Not `asyncio.to_thread`: as the loop ends it would be cancelled itself, and the thread left behind.
    work = asyncio.get_running_loop().run_in_executor(None, partial(function, *arguments, **named))
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        while not work.done():
            try:
                await asyncio.wait([work])
            except asyncio.CancelledError:
                continue
        work.exception()  # looked at, or asyncio would complain that nobody had
        raise
