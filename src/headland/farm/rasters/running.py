"""Run the program, within limits."""

import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import structlog

from headland.farm.rasters import program
from headland.farm.rasters.errors import RasterError
from headland.farm.rasters.program import Raster, Told

#: Seconds that it may take, however busy the machine is.
_PATIENCE = 600.0

#: Seconds between looks whether it may go on.
_LOOK = 0.5

_log = structlog.get_logger("headland.farm")


def run(archive: Path, output: Path, columns: Sequence[str], go_on: Callable[[], None]) -> list[Raster]:
    """What it makes, in a folder. It ends with whatever `go_on` raises, which is asked now and then.

    Raises:
        RasterError: it can't make anything of what was sent, or takes too much for it.
    """
    pipe = subprocess.PIPE
    with subprocess.Popen(command(archive, output), stdin=pipe, stdout=pipe, stderr=pipe) as process:
        try:
            said, complaint = _awaited(process, msgspec.json.encode(columns), go_on)
        finally:
            process.kill()
    if process.returncode != 0:
        text = complaint[-2000:].decode("utf-8", "replace")
        _log.warning("rasters.broke", code=process.returncode, said=text)
        most = f"{program.MOST_MEMORY >> 30} GiB of memory or {program.MOST_SECONDS} seconds"
        raise RasterError("ShapefileTooLarge", f"The shapefile takes more than {most}.")
    told = msgspec.json.decode(said, type=Told)
    if told.code:
        raise RasterError(told.code, told.message)
    return told.rasters


def command(archive: Path, output: Path) -> list[str]:
    """What is run."""
    return [sys.executable, "-P", "-m", program.__name__, str(archive), str(output)]


def _awaited(
    process: "subprocess.Popen[bytes]", asked: bytes | None, go_on: Callable[[], None]
) -> tuple[bytes, bytes]:
    """What it says in the end, on standard output and error; it is killed where it takes too long."""
    deadline = time.monotonic() + _PATIENCE
    while True:
        try:
            return process.communicate(asked, timeout=_LOOK)
        except subprocess.TimeoutExpired:
            asked = None
            go_on()
            if time.monotonic() > deadline:
                process.kill()
