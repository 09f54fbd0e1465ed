"""A runner that starts its program before there is a job for it, and waits for the word.

The controller holds the other end of this process's standard input. "go" means that the job is there: it is
described in `launch.json`. The end of the input without the word means that the controller is gone: then
`launch.json`, complete or not there at all, tells whether there is a job. Without one, the program is ended and
nothing of it is left but files.

The program shares a socket with its runner, its standard input. It writes a byte there when it is ready, and
reads the job's arguments from there: their number, then each one's length in bytes and its UTF-8, numbers in four
bytes, most significant first. A program that ends before all of that was written has run nothing of the job,
which is then started as any other. So is a job whose program does not get ready in time.
"""

import _socket as socket
import os
import select
import signal
import time

from headland.jobs.runner import children
from headland.jobs.runner.run_directory import RECORD_SIZE
from headland.jobs.runner.runner import Runner, as_list, ended

#: Seconds between looks for a kill while a program that is wanted already gets ready.
_LOOK = 0.05

#: Seconds after which a process that was sent SIGKILL is not waited for any more.
_GOING = 5.0

#: Seconds that a program which is ready may take to read its arguments, where they are more than a socket holds.
_READING = 10.0


class _State:
    """What has become of a program and its runner while they waited."""

    __slots__ = ("ended", "ready", "wanted")

    def __init__(self) -> None:
        #: There is a job.
        self.wanted = False
        #: The program has said that it is ready.
        self.ready = False
        #: The program has ended by itself.
        self.ended = False


class WaitingRunner(Runner):
    """Holds one program ready in one run directory, and runs at most one job in it."""

    def run(self) -> int:
        """0 if there was a job, or the program ended by itself and well; else 1."""
        directory = self._directory
        self._take_signals()
        lock = directory.take_lock()
        # This program is for a new directory: whatever was launched here is none of its business.
        if lock is None or directory.launch.exists() or directory.launched.exists():
            return 1
        record = directory.read(directory.warm)
        if record is None:
            return 1
        self._notify_path = str(record["notify"])
        os.nice(int(str(record["nice"])))
        children.adopt_orphans()
        self._introduce(record)
        ours, theirs = socket.socketpair()
        try:
            pid = self._start(record, theirs.fileno(), early=True)
        except OSError:
            return 1
        finally:
            theirs.close()
        deadline = time.monotonic() + float(str(record["patience"]))
        state = self._wait_for_the_word(ours, deadline)
        launch = directory.read(directory.launch) if state.wanted else None
        if launch is None:
            return self._give_up(pid, ended_by_itself=state.ended)
        reserved = directory.reserve(directory.exit, RECORD_SIZE)
        directory.commit(reserved, directory.exit, self._hand_over(launch, pid, ours, state.ready, deadline))
        self._notify()
        return 0

    def _wait_for_the_word(self, program: socket.socket, deadline: float) -> "_State":
        """Until there is a job, or is not going to be one in this program."""
        state = _State()
        while True:
            patience = None if state.ready else max(0.0, deadline - time.monotonic())
            select.select([0, program.fileno()], [], [], patience)
            # Looked at anew, the word first: it counts even where the program has ended or is too slow.
            heard, _, _ = select.select([0, program.fileno()], [], [], 0)
            if 0 in heard:
                state.wanted = bool(os.read(0, 16)) or self._directory.launch.exists()
                return state
            if program.fileno() not in heard:
                return state
            if not program.recv(1):
                state.ended = True
                return state
            state.ready = True
            self._directory.write(self._directory.warmed, {})
            self._notify()

    def _give_up(self, pid: int, *, ended_by_itself: bool) -> int:
        """End the program, if it has not ended by itself; 0 if it has, and well."""
        status = _status(pid) if ended_by_itself else None
        self._discard()
        self._notify()
        return int(status != 0)

    def _hand_over(
        self, launch: dict[str, object], pid: int, program: socket.socket, ready: bool, deadline: float
    ) -> dict[str, object]:
        """Run the job in the program that waits, or else as any other; the record of how it ended."""
        # A controller that wants the job stopped says so by the mark first. This one was for nothing that runs now.
        if signal.SIGTERM in signal.sigpending():
            signal.sigwait([signal.SIGTERM])
        while not ready and not self._directory.kill.exists() and time.monotonic() < deadline:
            heard, _, _ = select.select([program], [], [], _LOOK)
            if heard:
                ready = bool(program.recv(1))
                break
        if self._directory.kill.exists():
            self._discard()
            return ended(killed=True)
        if not ready or not _alive(program):
            return self._start_cold(launch)
        self._mark_launched()
        self._keep_output(launch)
        program.settimeout(_READING)
        try:
            program.sendall(_message([str(part) for part in as_list(launch["arguments"])]))
        except OSError:
            # It has ended with less than all of its arguments: nothing of the job has run.
            return self._start_cold(launch)
        program.close()
        return self._follow(pid, launch)

    def _start_cold(self, launch: dict[str, object]) -> dict[str, object]:
        self._discard()
        return self._program(launch)

    def _discard(self) -> None:
        """Kill the program and all that descends from it: nothing that it does is of value to anybody."""
        deadline = time.monotonic() + _GOING
        while children.signal_all(signal.SIGKILL) and time.monotonic() < deadline:
            children.collect()
            time.sleep(0.002)
        children.collect()


def _status(pid: int) -> int | None:
    """The wait status of a program that is just ending."""
    deadline = time.monotonic() + _GOING
    while time.monotonic() < deadline:
        if (status := children.collect().get(pid)) is not None:
            return status
        time.sleep(0.002)
    return None


def _alive(program: socket.socket) -> bool:
    """Whether a program that has said all that it had to say still has its end open."""
    return not select.select([program], [], [], 0)[0]


def _message(arguments: list[str]) -> bytes:
    encoded = [argument.encode() for argument in arguments]
    return b"".join(
        [
            len(encoded).to_bytes(4, "big"),
            *(part for each in encoded for part in (len(each).to_bytes(4, "big"), each)),
        ]
    )
