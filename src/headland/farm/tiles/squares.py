"""The squares that a map of the Earth is cut into: 4 to the power of a zoom, in spherical Mercator.

They are those of OGC's tile matrix set `WebMercatorQuad`, which all web maps use.
"""

import math
from typing import NamedTuple

from headland.farm.errors import InvalidInputError
from headland.farm.geometry.measuring import Box

#: Beyond it, clients enlarge what they have: a unit of a tile is then 15 cm at the equator.
LARGEST_ZOOM = 16

#: Units of a tile's own grid along an edge, and those beyond it, so that lines go on across edges.
EXTENT = 4096
BUFFER = 64


class Square(NamedTuple):
    """A tile's place; rows are counted from the north."""

    zoom: int
    column: int
    row: int

    @property
    def box(self) -> Box:
        """What of the Earth lies in it, in degrees."""
        return (
            self._longitude(self.column),
            self._latitude(self.row + 1),
            self._longitude(self.column + 1),
            self._latitude(self.row),
        )

    @property
    def drawn_box(self) -> Box:
        """The same with what is drawn beyond its edges."""
        beyond = BUFFER / EXTENT
        return (
            self._longitude(self.column - beyond),
            self._latitude(self.row + 1 + beyond),
            self._longitude(self.column + 1 + beyond),
            self._latitude(self.row - beyond),
        )

    def _longitude(self, column: float) -> float:
        return column / (1 << self.zoom) * 360 - 180

    def _latitude(self, row: float) -> float:
        # At the poles' edges of the map, all that lies beyond them is meant, too.
        share = row / (1 << self.zoom)
        if share <= 0:
            return 90.0
        if share >= 1:
            return -90.0
        return math.degrees(math.atan(math.sinh(math.pi * (1 - 2 * share))))


def square_of(zoom: int, column: int, row: int) -> Square:
    """
    Raises:
        InvalidInputError: there is no such square, or it is smaller than any that is drawn.
    """
    if not 0 <= zoom <= LARGEST_ZOOM:
        raise InvalidInputError(f"The zoom {zoom} is not between 0 and {LARGEST_ZOOM}.", "zoom")
    for name, number in (("column", column), ("row", row)):
        if not 0 <= number < 1 << zoom:
            raise InvalidInputError(
                f"The number {number} is not between 0 and {(1 << zoom) - 1}, as it is at zoom {zoom}.", name
            )
    return Square(zoom, column, row)
