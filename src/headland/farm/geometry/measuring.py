"""A boundary's area, centroid and bounding box, by the public service's own formulas.

They were recovered from what it answers, which they reproduce to the last digit (`farm.md` section 2.2). That is why
they go on as they do: another order of the same sums ends in other digits.
"""

import math

from headland.farm.geometry.geojson import Geometry, Point, Polygon, Ring, polygons_of

#: Metres; of the sphere that areas are taken on.
EARTH_RADIUS = 6_371_009.0
ACRES_A_SQUARE_METRE = 0.000247105

#: Of the areas that version C and later show, in acres.
DECIMALS = 3

#: West, south, east, north.
Box = tuple[float, float, float, float]


def acres(geometry: Geometry) -> float:
    """The area on a sphere, holes taken out."""
    total = 0.0
    for outer, *holes in polygons_of(geometry):
        inside = 0.0
        # Not by `sum`, which rounds otherwise from Python 3.12 on.
        for hole in holes:
            inside += abs(_square_metres(hole))
        total += abs(_square_metres(outer)) - inside
    return total * ACRES_A_SQUARE_METRE


def _square_metres(ring: Ring) -> float:
    """Signed: the sum of the triangles between each edge and the north pole."""
    radians, sin, cos, atan2, quarter = math.radians, math.sin, math.cos, math.atan2, math.pi / 2
    longitudes = [radians(position[0]) for position in ring]
    tans = [math.tan((quarter - radians(position[1])) / 2) for position in ring]
    total = 0.0
    tan_before, longitude_before = tans[-1], longitudes[-1]
    for tan, longitude in zip(tans, longitudes, strict=True):
        turn = longitude - longitude_before
        product = tan * tan_before
        total += 2 * atan2(product * sin(turn), 1 + product * cos(turn))
        tan_before, longitude_before = tan, longitude
    return total * (EARTH_RADIUS * EARTH_RADIUS)


def centroid(geometry: Geometry) -> Point:
    """The centre of the area, in degrees."""
    if isinstance(geometry, Point):
        return Point(geometry.coordinates[:2])
    box = box_of(geometry)
    found = _centre(geometry, 0.0, 0.0)
    if found is None or not _holds(box, found):
        # Far from the origin the sums lose what is as small as a garden; near it they don't.
        near = _centre(geometry, box[0], box[1])
        found = near if near is not None and _holds(box, near) else _middle(box)
    return Point(list(found))


def _centre(geometry: Geometry, west: float, south: float) -> tuple[float, float] | None:
    area = x = y = 0.0
    for rings in polygons_of(geometry):
        for number, ring in enumerate(rings):
            doubled, moment_x, moment_y = _moments(ring, west, south)
            # Whichever way round rings are written, holes are taken out.
            sign = 1.0 if (doubled < 0) == (number > 0) else -1.0
            area, x, y = area + sign * doubled, x + sign * moment_x, y + sign * moment_y
    return (west + x / (3 * area), south + y / (3 * area)) if area else None


def _moments(ring: Ring, west: float, south: float) -> tuple[float, float, float]:
    doubled = moment_x = moment_y = 0.0
    x, y = ring[0][0] - west, ring[0][1] - south
    for position in ring[1:]:
        next_x, next_y = position[0] - west, position[1] - south
        cross = x * next_y - next_x * y
        doubled += cross
        moment_x += (x + next_x) * cross
        moment_y += (y + next_y) * cross
        x, y = next_x, next_y
    return doubled, moment_x, moment_y


def _holds(box: Box, point: tuple[float, float]) -> bool:
    return box[0] <= point[0] <= box[2] and box[1] <= point[1] <= box[3]


def _middle(box: Box) -> tuple[float, float]:
    return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2


def box_of(geometry: Geometry) -> Box:
    """The least box that holds it."""
    if isinstance(geometry, Point):
        x, y = geometry.coordinates[:2]
        return x, y, x, y
    outer = [position for rings in polygons_of(geometry) for position in rings[0]]
    longitudes, latitudes = [p[0] for p in outer], [p[1] for p in outer]
    return min(longitudes), min(latitudes), max(longitudes), max(latitudes)


def bounding_polygon(box: Box) -> Polygon:
    """A box as the service shows it: four corners, and not the first one again."""
    west, south, east, north = box
    return Polygon([[[west, south], [west, north], [east, north], [east, south]]])
