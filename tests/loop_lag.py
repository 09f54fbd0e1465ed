"""Event loop lag: how long one piece of work keeps a loop from everything else, and how much memory it takes.

In a process of its own making a test has `longest_lag`; of a served Headland `served_lag` tells the same from outside.
Another program's turn on the processor is not the work's fault: what a thread waited for one is taken off, and both do
the work a few times and take the best, while a loop that is held up is held up each time.
"""

import asyncio
import contextlib
import gc
import threading
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator
from pathlib import Path

import httpx

#: Seconds that no single request of up to 1 MB may hold up the others, and bytes that it may take.
MOST_LAG = 0.05
MOST_MEMORY = 100 << 20

#: Seconds between two beats of the heart.
_BEAT = 0.002


@contextlib.contextmanager
def collecting_as_served() -> Iterator[None]:
    """Garbage is collected as `headland serve` has it: what was there before is looked through no more, and what is new
    not all the time.
    """
    before = gc.get_threshold()
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


def waited(process: int | str = "self") -> float:
    """Seconds that the main thread of a process, which runs its loop, was ready and without a processor. Linux alone
    tells.
    """
    try:
        return int(Path("/proc", str(process), "schedstat").read_text().split()[1]) / 1e9
    except OSError:
        return 0.0


def processor_time(work: Callable[[], object], attempts: int = 5) -> float:
    """Seconds of the processor that `work` takes of this thread, in the best of its attempts: beside other programs the
    same work takes more of them.
    """
    best = float("inf")
    for _ in range(attempts):
        before = time.thread_time()
        work()
        best = min(best, time.thread_time() - before)
        if best < MOST_LAG:
            break
    return best


class Heartbeat:
    """Beats in the running loop, as an asynchronous context; `longest` is the longest pause beyond a beat."""

    def __init__(self) -> None:
        self.longest = 0.0
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> "Heartbeat":
        self._task = asyncio.create_task(self._beat())
        await asyncio.sleep(3 * _BEAT)
        self.longest = 0.0
        return self

    async def __aexit__(self, *_: object) -> None:
        # A pause at the very end is seen by the beat that follows it.
        await asyncio.sleep(3 * _BEAT)
        assert self._task is not None
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._task

    async def _beat(self) -> None:
        last = time.monotonic() - waited()
        while True:
            await asyncio.sleep(_BEAT)
            now = time.monotonic() - waited()
            self.longest = max(self.longest, now - last - _BEAT)
            last = now


async def longest_lag(work: Callable[[], Awaitable[object]], attempts: int = 10) -> float:
    """Seconds that `work` holds up the running loop at the longest, in the best of its attempts."""
    best = float("inf")
    for _ in range(attempts):
        async with Heartbeat() as heart:
            await work()
        best = min(best, heart.longest)
        if best < MOST_LAG:
            break
    return best


def served_lag(
    client: httpx.Client, work: Callable[[], object], processes: Iterable[int], attempts: int = 6
) -> float:
    """The same of the process that answers `client`, one of `processes`, which is asked for its health all the while:
    seconds that the slowest answer took. `work` must not use `client`.
    """
    threads = [*processes, "thread-self"]

    def now() -> float:
        return time.monotonic() - sum(map(waited, threads))

    best = float("inf")
    for _ in range(attempts):
        slowest, done, ready = [0.0], threading.Event(), threading.Event()

        def ask(
            slowest: list[float] = slowest, done: threading.Event = done, ready: threading.Event = ready
        ) -> None:
            client.get("/health")
            ready.set()
            while not done.is_set():
                before = now()
                client.get("/health")
                slowest[0] = max(slowest[0], now() - before)
                time.sleep(_BEAT)

        asking = threading.Thread(target=ask)
        asking.start()
        try:
            ready.wait(10)
            work()
        finally:
            done.set()
            asking.join()
        best = min(best, slowest[0])
        if best < MOST_LAG:
            break
    return best


class PeakMemory:
    """Bytes that a process takes more at its peak than when this was made. Linux alone tells."""

    def __init__(self, pid: int | str = "self") -> None:
        self._process = Path("/proc") / str(pid)
        # The peak begins anew (proc(5)).
        (self._process / "clear_refs").write_text("5")
        self._before = self._read("VmRSS")

    def more(self) -> int:
        """So far."""
        return max(0, self._read("VmHWM") - self._before)

    def _read(self, name: str) -> int:
        for line in (self._process / "status").read_text().splitlines():
            if line.startswith(name + ":"):
                return int(line.split()[1]) * 1024
        raise AssertionError(f"{name} is not told")
