"""Fields for benchmarks: irregular outlines on a grid, and windows that meet ten of them each."""

import random
from collections.abc import Iterator

import msgspec

#: Fields in a row, and degrees from one to the next.
_ROW = 1000
_STEP = 0.01
_WEST, _SOUTH = 5.0, 44.0

#: Half of a field's width, in degrees, at the most; its centre is always inside.
_RADIUS = 0.0045
#: Corners: east, a bit to the north, and so on around the centre.
_CORNERS = (
    (1.0, 0.0),
    (0.7, 0.7),
    (0.0, 1.0),
    (-0.7, 0.7),
    (-1.0, 0.0),
    (-0.7, -0.7),
    (0.0, -1.0),
    (0.7, -0.7),
)

HITS = 10
#: Fields that a window is wide and high.
_WIDE, _HIGH = 5, 2

Ring = list[list[float]]


def outline(number: int) -> Ring:
    """The closed ring of one field, always the same."""
    dice = random.Random(number)  # noqa: S311 - no secret
    x, y = _centre(number % _ROW, number // _ROW)
    ring = []
    for east, north in _CORNERS:
        reach = _RADIUS * dice.uniform(0.6, 1.0)
        ring.append([round(x + east * reach, 7), round(y + north * reach, 7)])
    return [*ring, ring[0]]


def lines(party: str, first: int, last: int) -> Iterator[bytes]:
    """Boundaries as lines of JSON."""
    encode = msgspec.json.Encoder().encode
    for number in range(first, last):
        yield (
            encode(
                {
                    "id": f"field-{number}",
                    "partyId": party,
                    "name": f"Field {number}",
                    "geometry": {"type": "Polygon", "coordinates": [outline(number)]},
                }
            )
            + b"\n"
        )


Window = tuple[float, float, float, float]


def windows(fields: int, count: int) -> list[Window]:
    """Boxes from a field's centre to another's: west, south, east, north. Each meets `HITS` of so many fields."""
    dice = random.Random(fields)  # noqa: S311 - no secret
    rows = fields // _ROW
    found = []
    for _ in range(count):
        column, row = dice.randrange(_ROW - _WIDE), dice.randrange(rows - _HIGH)
        west, south = _centre(column, row)
        east, north = _centre(column + _WIDE - 1, row + _HIGH - 1)
        found.append((west, south, east, north))
    return found


def ring_of(window: Window) -> Ring:
    """A window as a closed ring."""
    west, south, east, north = window
    return [[west, south], [east, south], [east, north], [west, north], [west, south]]


def _centre(column: int, row: int) -> tuple[float, float]:
    return round(_WEST + column * _STEP, 7), round(_SOUTH + row * _STEP, 7)
