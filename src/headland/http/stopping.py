"""Whether this worker process has been told to stop: answers without an end have to know.

The server waits for the answers that are under way, and has no word for those that give them.
"""

import asyncio
import signal


class _Stopping:
    told = False


def is_stopping() -> bool:
    """Whether the process has been told to stop."""
    return _Stopping.told


def notice_stopping(loop: asyncio.AbstractEventLoop) -> None:
    """Have `is_stopping` tell, from when `loop` runs."""
    # Later than the server, which sets its own handler for both signals before it runs the loop.
    loop.call_soon(_listen, loop)


def _listen(loop: asyncio.AbstractEventLoop) -> None:
    loop.add_signal_handler(signal.SIGTERM, _stop)
    # What came after the server's handlers and before the loop ran, uvloop looks at when the next signal comes. Without
    # one the worker went on, and was waited for as long as requests under way get.
    loop.add_signal_handler(signal.SIGWINCH, int)
    signal.raise_signal(signal.SIGWINCH)


def _stop() -> None:
    _Stopping.told = True
    # For the server, which takes it as it would have taken the other.
    signal.raise_signal(signal.SIGINT)
