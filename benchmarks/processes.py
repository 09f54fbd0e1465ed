"""What the processes of a server use, as Linux tells it of each."""

import os
from collections.abc import Iterator
from pathlib import Path

from benchmarks.harness import SkippedError

_TICKS = os.sysconf("SC_CLK_TCK")


def megabytes(session: int) -> float:
    """Memory of a session's processes, what they share counted once (PSS).

    Raises:
        SkippedError: this system does not tell.
    """
    total = 0
    for process, _ in _processes(session):
        try:
            rollup = (process / "smaps_rollup").read_text()
        except (FileNotFoundError, ProcessLookupError):
            continue
        total += next(int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:"))
    return total / 1024


def resident_megabytes(pid: int) -> float:
    """Memory of one process, with all that it shares with others (RSS).

    Raises:
        SkippedError: this system does not tell.
    """
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except FileNotFoundError:
        raise SkippedError("this system does not tell what a process uses (/proc)") from None
    return pages * os.sysconf("SC_PAGE_SIZE") / 1_048_576


def cpu_seconds(session: int) -> float:
    """Processor time that a session's processes have taken, in user and kernel.

    Raises:
        SkippedError: this system does not tell.
    """
    return sum(int(fields[11]) + int(fields[12]) for _, fields in _processes(session)) / _TICKS


def family_cpu_seconds(pid: int) -> float:
    """Processor time that a process has taken, and all that descend from it and live.

    Raises:
        SkippedError: this system does not tell.
    """
    parents, taken = {}, {}
    for process, fields in _processes(None):
        parents[int(process.name)] = int(fields[1])
        taken[int(process.name)] = int(fields[11]) + int(fields[12])
    total = 0
    for each, ticks in taken.items():
        above: int | None = each
        while above is not None and above != pid:
            above = parents.get(above)
        if above == pid:
            total += ticks
    return total / _TICKS


def _processes(session: int | None) -> Iterator[tuple[Path, list[str]]]:
    """Those of a session, or all. Each with the fields of its `stat`, from its state on."""
    if not Path("/proc/self/smaps_rollup").exists():
        raise SkippedError("this system does not tell what a process uses (/proc)")
    for process in Path("/proc").glob("[0-9]*"):
        try:
            fields = (process / "stat").read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if session is None or int(fields[3]) == session:
            yield process, fields
