"""What a cell prints: kept up to a limit, and beyond it cut in the middle, with a notice."""

import io
import os
import threading
from collections import deque

#: Descriptor of the session's log.
_LOG = 2


class Capture(io.RawIOBase):
    """The sink behind `sys.stdout` and `sys.stderr`. What is printed while no cell runs goes to the session's log."""

    def __init__(self, limit: int) -> None:
        """`limit` counts bytes."""
        super().__init__()
        self._half = limit // 2
        self._lock = threading.RLock()
        self._open = False
        self._head = bytearray()
        self._tail: deque[bytes] = deque()
        self._tail_size = self._cut = 0

    def begin(self) -> None:
        """What is printed from now on belongs to a cell."""
        with self._lock:
            self._head.clear()
            self._tail.clear()
            self._tail_size = self._cut = 0
            self._open = True

    def end(self) -> str:
        """What the cell has printed."""
        with self._lock:
            self._open = False
            tail = b"".join(self._tail)
            if excess := max(0, len(tail) - self._half):
                tail, self._cut = tail[excess:], self._cut + excess
            notice = _notice(self._cut).encode() if self._cut else b""
            whole = bytes(self._head) + notice + tail
            self.begin()
            self._open = False
        return whole.decode("utf-8", "replace")

    def writable(self) -> bool:
        return True

    def write(self, data: "bytes | bytearray | memoryview") -> int:  # type: ignore[override]
        written = bytes(data)
        with self._lock:
            if self._open:
                self._keep(written)
                return len(written)
        os.write(_LOG, written)
        return len(written)

    def _keep(self, data: bytes) -> None:
        room = self._half - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        if not data:
            return
        self._tail.append(data)
        self._tail_size += len(data)
        while self._tail_size - len(self._tail[0]) >= self._half:
            dropped = self._tail.popleft()
            self._tail_size -= len(dropped)
            self._cut += len(dropped)


def cut(text: str, limit: int) -> str:
    """Text that is no longer than `limit` bytes, but for a notice where its middle is left out."""
    data = text.encode("utf-8", "backslashreplace")
    if len(data) <= limit:
        return text
    half = limit // 2
    missing = len(data) - 2 * half
    return "".join(
        [data[:half].decode("utf-8", "ignore"), _notice(missing), data[-half:].decode("utf-8", "ignore")]
    )


def _notice(missing: int) -> str:
    return f"\n[{missing} bytes of output were cut here]\n"


def text_stream(capture: Capture) -> io.TextIOWrapper:
    """What `sys.stdout` is to be."""
    # Unbuffered: what a cell prints has arrived when the cell has ended.
    return io.TextIOWrapper(
        capture,  # type: ignore[arg-type]
        encoding="utf-8",
        errors="backslashreplace",
        write_through=True,
    )
