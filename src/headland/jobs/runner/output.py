"""Keep what a program writes: from a pipe into files, of which there is never more than a limit.

A program that wrote to a file itself would meet the disk's end, and could fill the disk. Here a full disk costs
lines of the log, and of a log that grows beyond the limit the middle goes:

| file | what is in it |
| --- | --- |
| `output.log` | the head: the first half of the limit; for most programs all there is |
| `output.tail/<bytes>.<lines>` | segments of what came after the head; the name says how much of that came before it |

The oldest segment goes when a new one begins. Files end where a line does, unless the line is very long; for
who reads, a file's end is always a line's. The names alone tell what is missing, so a kill at any moment leaves
a log that can be read.
"""

import _thread
import fcntl
import os
import select

#: Bytes taken from the pipe at once.
_PIECE = 65_536

#: What the pipe holds, where the system lets it: a burst of output should not have to wait for the disk.
_PIPE = 1 << 20

#: A file ends with a line unless that would make it longer than it should be by this many bytes.
_OVERSHOOT = 1 << 20

#: Bytes that are kept of what comes before the beginning.
_MOST_EARLY = 65_536

#: Segments that are kept, each an eighth of the limit.
SEGMENTS = 4


class Copier:
    """Copies from a pipe into a run directory, in a thread of its own."""

    def __init__(self, source: int, head: str, early: str) -> None:
        """`source` is the pipe's end, which is the copier's from here on; `head` the path of `output.log`; `early`
        the file of what comes before the beginning.
        """
        self._source = source
        os.set_blocking(source, False)
        self._head = head
        self._early = early
        self._folder = tail_folder(head)
        self._file = -1
        self._limit = self._room = 0
        #: Whether the file in use is as long as it should be.
        self._full = False
        #: Whether its last line goes on.
        self._open_line = False
        #: Bytes that could not be written since the last that could.
        self._missing = 0
        self._segments: list[str] = []
        self._tail_bytes = self._tail_lines = 0
        self._lock = _thread.allocate_lock()
        self._ended = _thread.allocate_lock()
        self._begun = self._closed = False

    def start(self) -> None:
        """Take what comes from now on."""
        try:  # noqa: SIM105 - contextlib is 300 kB in every runner
            fcntl.fcntl(self._source, fcntl.F_SETPIPE_SZ, _PIPE)
        except (AttributeError, OSError):
            pass  # it stays as long as it was
        self._ended.acquire()
        _thread.start_new_thread(self._run, ())

    def begin(self, limit: int) -> None:
        """Keep what is written from now on, and of that no more than `limit` bytes."""
        with self._lock:
            while select.select([self._source], [], [], 0)[0] and (data := os.read(self._source, _PIECE)):
                self._put_aside(data)
            self._begun = True
            self._limit, self._room = limit, limit // 2
            self._open_head()

    def finish(self, patience: float) -> None:
        """Wait until nobody can write any more, for `patience` seconds at most. From then on the files stay
        as they are, and are on disk as far as it took them.
        """
        self._ended.acquire(timeout=patience)
        with self._lock:
            self._closed = True
            self._tell_missing()
            if self._file >= 0:
                os.close(self._file)
            self._flush()

    def _flush(self) -> None:
        """Once, at the end: it costs nothing while the program runs, and what is on record as ended has its log."""
        tail = (
            [self._folder, *(f"{self._folder}/{name}" for name in self._segments)] if self._segments else []
        )
        for path in (self._head, *tail):
            try:
                file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
            except OSError:
                continue  # never made, on a full disk
            try:  # noqa: SIM105
                os.fsync(file)
            except OSError:
                pass  # a disk that fails costs lines, and not the record of the end
            os.close(file)

    def _run(self) -> None:
        try:
            while True:
                # Read within the lock, so that what was written before the beginning can be told from the rest.
                select.select([self._source], [], [])
                with self._lock:
                    try:
                        data = os.read(self._source, _PIECE)
                    except BlockingIOError:
                        continue  # the beginning has taken it
                    if not data or self._closed:
                        return
                    if self._begun:
                        self._keep(data)
                    else:
                        self._put_aside(data)
        finally:
            os.close(self._source)
            self._ended.release()

    def _put_aside(self, data: bytes) -> None:
        try:
            file = _open(self._early)
        except OSError:
            return
        room = _MOST_EARLY - os.lseek(file, 0, os.SEEK_END)
        _written(file, data[: max(0, room)])
        os.close(file)

    def _open_head(self) -> bool:
        """Whether there is a file to write to: on a full disk it may come late."""
        if self._file < 0:
            try:
                self._file = _open(self._head)
            except OSError:
                return False
        return True

    def _keep(self, data: bytes) -> None:
        while data:
            if self._full:
                self._next()
            part = data[: self._end_of_file(data)]
            self._write(part)
            self._room -= len(part)
            data = data[len(part) :]

    def _end_of_file(self, data: bytes) -> int:
        """How much of `data` goes into the file in use, which is full if that is not all."""
        if len(data) <= self._room:
            return len(data)
        end = data.find(b"\n", max(0, self._room - 1)) + 1
        self._full = end > 0 or len(data) - self._room >= _OVERSHOOT
        return end or len(data)

    def _next(self) -> None:
        """Go on in a new segment. One that can't be made leaves its bytes missing from the last."""
        self._tell_missing()
        if self._open_line:
            self._open_line = False
            self._tail_lines += bool(self._segments)
        name = f"{self._tail_bytes}.{self._tail_lines}"
        try:
            if not self._segments:
                os.makedirs(self._folder, mode=0o700, exist_ok=True)  # noqa: PTH103 - pathlib is 2 MB
            file = _open(f"{self._folder}/{name}")
        except OSError:
            # The file in use takes another segment's worth.
            self._full, self._room = False, self._limit // 8
            return
        if self._file >= 0:
            os.close(self._file)
        self._file = file
        self._segments.append(name)
        self._full, self._room = False, self._limit // 8
        for old in self._segments[:-SEGMENTS]:
            try:  # noqa: SIM105
                os.unlink(f"{self._folder}/{old}")  # noqa: PTH108
            except OSError:
                pass
        del self._segments[:-SEGMENTS]

    def _write(self, data: bytes) -> None:
        if not self._tell_missing():
            self._missing += len(data)
            return
        written = _written(self._file, data)
        self._took(data[:written])
        self._missing += len(data) - written

    def _tell_missing(self) -> bool:
        """Say in the log what is missing from it, once there is room; whether nothing is left to say."""
        if not self._open_head():
            return False
        if not self._missing:
            return True
        begin = b"\n" if self._open_line else b""
        notice = begin + f"[{self._missing} bytes of output are missing: the disk took no more]\n".encode()
        before = os.lseek(self._file, 0, os.SEEK_END)
        written = _written(self._file, notice)
        if written < len(notice):
            os.ftruncate(self._file, before)
            return False
        self._took(notice)
        self._missing = 0
        return True

    def _took(self, data: bytes) -> None:
        if data:
            self._open_line = not data.endswith(b"\n")
            if self._segments:
                self._tail_bytes += len(data)
                self._tail_lines += data.count(b"\n")


def tail_folder(head: str) -> str:
    """Where the segments of the output are whose head is in the file `head`."""
    return head.removesuffix(".log") + ".tail"


def _open(file: str) -> int:
    return os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)


def _written(file: int, data: bytes) -> int:
    """Write what can be written of `data`; how much that was."""
    written = 0
    try:
        while written < len(data):
            written += os.write(file, data[written:] if written else data)
    except OSError:
        return written
    return written
