"""Lines of the log on their way to standard error.

To write a line takes as long as a short request, most of it since Python's lock is let go for it and other threads
take their turn. So what only informs waits for some more, where requests are answered; what warns is never kept
waiting.
"""

import asyncio
import sys
import threading

from headland.http.gathering import Gathering


class Lines:
    """A logger of structlog's, the same for whoever asks; and its factory."""

    def __init__(self) -> None:
        #: Whether lines that inform wait. Then `flush` is called at the process's end.
        self.gathers = False
        self._lock = threading.Lock()
        self._waiting: Gathering[bytes] = Gathering(self._write_all)

    def __call__(self, *_: object) -> "Lines":
        return self

    def info(self, line: bytes) -> None:
        """Write it, now or soon."""
        if self.gathers and _in_event_loop():
            self._waiting.add(line)
        else:
            self.write(line + b"\n")

    def error(self, line: bytes) -> None:
        """Write it now, after what has waited for longer."""
        if self.gathers and _in_event_loop():
            self._waiting.flush()
        self.write(line + b"\n")

    def flush(self) -> None:
        """Write what waits. Called in the thread of the event loop, or after its end."""
        self._waiting.flush()

    debug = info
    warning = critical = exception = error

    def write(self, lines: bytes) -> None:
        """Write whole lines now."""
        # As standard error is now: it may have been exchanged.
        file = sys.stderr.buffer
        with self._lock:
            file.write(lines)
            file.flush()

    def _write_all(self, lines: list[bytes]) -> None:
        self.write(b"\n".join([*lines, b""]))


def _in_event_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


#: This process's.
LINES = Lines()
