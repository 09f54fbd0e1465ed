"""Recognise a process for certain, and find what descends from one.

A pid alone proves nothing: it is given again to another process, after a reboot even to the same kind of
process. A process is recognised by pid, its start time as the kernel counts it (no clock that anybody can
set), and the boot it was started in.
"""

import os
import signal
import sys
from pathlib import Path

_LINUX = sys.platform.startswith("linux")


class ProcessIdentity:
    """What recognises one process for ever."""

    __slots__ = ("boot", "pid", "start")

    def __init__(self, pid: int, start: str, boot: str) -> None:
        self.pid = pid
        self.start = start
        self.boot = boot

    @classmethod
    def of(cls, pid: int) -> "ProcessIdentity":
        """The identity of a process that runs now.

        Raises:
            ProcessLookupError: there is none.
        """
        start = _start(pid)
        if start is None:
            raise ProcessLookupError(pid)
        return cls(pid, start, boot_id())

    @classmethod
    def from_record(cls, record: dict[str, object]) -> "ProcessIdentity":
        return cls(int(str(record["pid"])), str(record["start"]), str(record["boot"]))

    def record(self) -> dict[str, object]:
        return {"pid": self.pid, "start": self.start, "boot": self.boot}

    def alive(self) -> bool:
        """Whether this very process still runs; one that has ended and was not collected does not."""
        return self.boot == boot_id() and _start(self.pid) == self.start

    def send(self, number: signal.Signals) -> bool:
        """Send a signal if it is still this very process; whether it was."""
        if not self.alive():
            return False
        try:
            os.kill(self.pid, number)
        except ProcessLookupError:
            return False
        return True


def boot_id() -> str:
    """What tells this boot of the machine from every other."""
    if _LINUX:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    return _said("/usr/sbin/sysctl", "-n", "kern.boottime").strip()


def descendants(pid: int) -> list[int]:
    """Processes that descend from `pid` now, without itself, children before their own."""
    parents: dict[int, list[int]] = {}
    for child, parent in _parents():
        parents.setdefault(parent, []).append(child)
    found = list(parents.get(pid, ()))
    for child in found:
        found += parents.get(child, ())
    return found


def marked(variable: str, value: str) -> list[int]:
    """Processes whose environment had `variable` set to `value` when they were started (Linux only).

    This finds what a dead process left behind, when nothing else connects the two any more.
    """
    if not _LINUX:
        return []
    wanted = f"{variable}={value}".encode()
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                if wanted in (folder / "environ").read_bytes().split(b"\0"):
                    found.append(int(folder.name))
            except OSError:
                continue  # it has ended, or is somebody else's
    return found


def _start(pid: int) -> str | None:
    if not _LINUX:
        shown = _said("/bin/ps", "-o", "lstart=,state=", "-p", str(pid)).split()
        return " ".join(shown[:-1]) if shown and not shown[-1].startswith("Z") else None
    stat = _stat(f"/proc/{pid}/stat")
    # Fields 3 (state) and 22 (start time in clock ticks since boot) of proc_pid_stat(5).
    return stat[19] if stat and stat[0] not in "ZX" else None


def _parents() -> list[tuple[int, int]]:
    if not _LINUX:
        listed = _said("/bin/ps", "-axo", "pid=,ppid=").splitlines()
        return [(int(p), int(pp)) for p, pp in (line.split() for line in listed)]
    found = []
    for name in os.listdir("/proc"):  # noqa: PTH208 - a Path for each process of the machine is waste here
        stat = _stat(f"/proc/{name}/stat") if name.isdigit() else None
        if stat:
            found.append((int(name), int(stat[1])))
    return found


def _stat(file: str) -> list[str] | None:
    try:
        with open(file, encoding="utf-8", errors="replace") as stat:  # noqa: PTH123 - likewise
            # The second field is the program's name in parentheses, and may hold anything.
            return stat.read().rpartition(")")[2].split()
    except OSError:
        return None


def _said(*command: str) -> str:
    """What a program printed. Its module is a tenth of a runner's memory, and Linux has no need of it."""
    import subprocess  # noqa: PLC0415

    return subprocess.run(command, capture_output=True, text=True, check=False).stdout
