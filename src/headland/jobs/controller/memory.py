"""How much memory is free, and how much a driver takes."""

from pathlib import Path

_UNITS = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}


def available(meminfo: Path = Path("/proc/meminfo")) -> int | None:
    """Bytes that programs could have now; None where the system does not tell."""
    try:
        for line in meminfo.read_text("ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except OSError:
        return None
    return None


def of_driver(setting: str) -> int:
    """Bytes of a memory setting such as `1g`; without a unit it counts mebibytes, as everywhere in Spark."""
    text = setting.lower()
    if text.endswith("b"):
        text = text[:-1]
        if text.isdigit():
            return int(text)
    return int(text[:-1]) * _UNITS[text[-1]] if text[-1] in _UNITS else int(text) << 20
