"""The program: `python -m headland.farm.rasters.program ARCHIVE FOLDER`, names of columns as JSON on standard input.

It writes files into the folder, and says on standard output which is which column's, or what is the matter.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from headland.farm.isolation.limits import limit_memory, limit_processor
from headland.farm.rasters.archives import unpacked
from headland.farm.rasters.errors import RasterError

#: Bytes of memory, and seconds of a processor, that it may take.
MOST_MEMORY, MOST_SECONDS = 2 << 30, 120


class Raster(Struct):
    """A file in the folder."""

    column: str
    file: str


class Told(Struct, omit_defaults=True):
    """What has become of it."""

    rasters: list[Raster] = []
    #: Where there are none: what is the matter.
    code: str = ""
    message: str = ""


def main(archive: Path, folder: Path, columns: Sequence[str]) -> Told:
    """Make a raster of each column."""
    try:
        return Told(_made(archive, folder, columns))
    except RasterError as error:
        return Told(code=error.code, message=error.message)


def _made(archive: Path, folder: Path, columns: Sequence[str]) -> list[Raster]:
    parts = unpacked(archive, folder)
    # Only what is an archive with a shapefile is worth the time that these take to import.
    from headland.farm.rasters.drawing import draw  # noqa: PLC0415
    from headland.farm.rasters.grids import grid_over  # noqa: PLC0415
    from headland.farm.rasters.shapes import read  # noqa: PLC0415

    shapes = read(parts, columns)
    grid = grid_over(shapes.geometries)
    made = []
    for number, (column, values) in enumerate(shapes.columns.items()):
        file = f"{number}.tif"
        draw(column, shapes.geometries, values, grid, folder / file)
        made.append(Raster(column, file))
    return made


if __name__ == "__main__":
    limit_memory(MOST_MEMORY)
    limit_processor(MOST_SECONDS)
    asked = msgspec.json.decode(sys.stdin.buffer.read(), type=list[str])
    sys.stdout.buffer.write(msgspec.json.encode(main(Path(sys.argv[1]), Path(sys.argv[2]), asked)))
