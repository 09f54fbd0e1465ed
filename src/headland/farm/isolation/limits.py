"""What a process may take, set by itself before it looks at anything."""

import os
import resource
import signal
from pathlib import Path


def surroundings() -> dict[str, str]:
    """The environment that such a process is started with: one thread each for libraries for matrices, which would take
    addresses for each processor.
    """
    return {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


def limit_memory(most: int) -> None:
    """Let this process have so many bytes of addresses at the most."""
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def limit_processor(seconds: int) -> None:
    """Let this process have so many seconds of a processor, until its end."""
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))


def end_after(seconds: float) -> None:
    """Have the kernel end this process when it has used so many more seconds of a processor; 0 for never."""
    signal.setitimer(signal.ITIMER_PROF, seconds)


def addresses_taken() -> int | None:
    """Bytes; None where the kernel doesn't tell (Linux alone does)."""
    return _told("VmSize")


def peak() -> int:
    """The most bytes of memory that this process ever had; 0 where the kernel doesn't tell."""
    return _told("VmHWM") or 0


def _told(name: str) -> int | None:
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith(f"{name}:")), None)
