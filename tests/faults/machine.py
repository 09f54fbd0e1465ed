"""The processes of a served Headland and of its batches, as the kernel tells of them (Linux)."""

import contextlib
import os
import signal
from pathlib import Path

from tests.serving import Served, eventually

_PROC = Path("/proc")


def stat(pid: int) -> list[str]:
    """Fields of proc_pid_stat(5) from the third on: state, parent, …; empty where there is no such process."""
    try:
        return (_PROC / str(pid) / "stat").read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return []


def ended(pid: int) -> bool:
    """Whether a process has ended, be it collected or not."""
    return (stat(pid) or ["Z"])[0] in "ZX"


def children(pid: int) -> list[int]:
    return [child for child in _pids() if (stat(child) or ["", "0"])[1] == str(pid)]


def command(pid: int) -> str:
    try:
        return (_PROC / str(pid) / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def bearers(run_key: str) -> list[int]:
    """Processes that bear a batch's mark in their environment."""
    wanted = f"HEADLAND_RUN={run_key}".encode()
    found = []
    for pid in _pids():
        with contextlib.suppress(OSError):
            if wanted in (_PROC / str(pid) / "environ").read_bytes().split(b"\0"):
                found.append(pid)
    return found


def runner(run_key: str) -> int | None:
    """A live runner of a batch."""
    return next((pid for pid in bearers(run_key) if "headland.jobs.runner" in command(pid)), None)


def program(run_key: str) -> int | None:
    """The process of a batch that stands where the JVM stands: its runner's first child."""
    found = runner(run_key)
    return min((c for c in children(found) if not ended(c)), default=None) if found else None


def controller(served: Served) -> int:
    """The child of `serve` that holds the controller's lock."""
    lock = served.home / "run" / "controller.lock"

    def holder() -> int | None:
        return next((pid for pid in children(_supervisor(served)) if _has_open(pid, lock)), None)

    return int(eventually(holder, "there is a controller"))


def web(served: Served) -> list[int]:
    """Listeners and their workers."""
    found = [pid for pid in children(_supervisor(served)) if pid != controller(served)]
    for pid in found:
        found += children(pid)
    return found


def uncollected(pid: int) -> list[int]:
    """Children of a process that have ended without its taking note."""
    return [child for child in children(pid) if stat(child)[:1] == ["Z"]]


def kill(*pids: int) -> None:
    """End processes at once, and see them gone."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    eventually(lambda: all(ended(pid) for pid in pids), f"{pids} are dead")


def freeze(pid: int) -> None:
    """Have a process stand still, and see it do so."""
    os.kill(pid, signal.SIGSTOP)
    eventually(lambda: (stat(pid) or ["Z"])[0] in "TZX", f"{pid} stands still")


def thaw(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGCONT)


def _supervisor(served: Served) -> int:
    assert served.process is not None
    return served.process.pid


def _has_open(pid: int, file: Path) -> bool:
    with contextlib.suppress(OSError):
        return any(_is(link, file) for link in (_PROC / str(pid) / "fd").iterdir())
    return False


def _is(link: Path, file: Path) -> bool:
    with contextlib.suppress(OSError):
        return link.samefile(file)
    return False


def _pids() -> list[int]:
    return [int(name) for name in os.listdir(_PROC) if name.isdigit()]  # noqa: PTH208 - often, and in a hurry
