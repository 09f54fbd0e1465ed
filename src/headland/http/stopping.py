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
    loop.call_soon(loop.add_signal_handler, signal.SIGTERM, _stop)


def _stop() -> None:
    _Stopping.told = True
    # For the server, which takes it as it would have taken the other.
    signal.raise_signal(signal.SIGINT)
