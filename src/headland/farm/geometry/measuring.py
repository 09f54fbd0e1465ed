"""A boundary's area, centroid and bounding box, by the public service's own formulas.

They were recovered from what it answers, which they reproduce to the last digit (`farm.md` section 2.2). That is why
they go on as they do: another order of the same sums ends in other digits.
"""

import math

from headland.farm.geometry.geojson import Geometry, Point, Polygon, Ring, Rings, polygons_of

#: Metres; of the sphere that areas are taken on.
EARTH_RADIUS = 6_371_009.0
ACRES_A_SQUARE_METRE = 0.000247105

#: Of the areas that version C and later show, in acres.
DECIMALS = 3

#: Radians; of an edge that goes half around the Earth, as near as degrees tell.
HALF_WAY = math.pi * (1 - 1e-12)

#: By how much of its box a centroid may be beside the exact one.
TOLERANCE = 1e-4

#: Square degrees.
NO_AREA = 1e-250

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
    before = len(ring) - 1
    for number, (tan, longitude) in enumerate(zip(tans, longitudes, strict=True)):
        turn = longitude - longitudes[before]
        if -HALF_WAY < turn < HALF_WAY:
            product = tan * tans[before]
            total += 2 * atan2(product * sin(turn), 1 + product * cos(turn))
        else:
            total += beyond_edge(turn, ring[before][1], ring[number][1])
        before = number
    return total * (EARTH_RADIUS * EARTH_RADIUS)


def beyond_edge(turn: float, latitude_before: float, latitude: float) -> float:
    """What lies between an edge that goes half around the Earth or all around it and the north pole, on a sphere of
    radius 1. `turn` in radians, latitudes in degrees.

    No arc of a great circle says which way such an edge goes. It is a straight line of longitude and latitude, as in
    RFC 7946 section 3.1.1: the edge of a map.
    """
    south, north = math.radians(latitude_before), math.radians(latitude)
    middle = math.sin(south) if south == north else (math.cos(south) - math.cos(north)) / (north - south)
    return turn * (1 - middle)


def centroid(geometry: Geometry) -> Point:
    """The centre of the area, in degrees.

    The public service's sums, from longitude and latitude 0 on, lose what is small and far from there. Its digits are
    given where they are right: where they are those of sums from each ring's own beginning on, but for `TOLERANCE`.
    """
    if isinstance(geometry, Point):
        return Point(geometry.coordinates[:2])
    parts = _in_one_piece(polygons_of(geometry))
    box = _box_of(parts)
    exact = _centre(parts, box[:2])
    if exact is None:
        return Point([(box[0] + box[2]) / 2, (box[1] + box[3]) / 2])
    found = _centre(parts)
    if found is None or not is_right(box, found, exact):
        found = exact
    longitude, latitude = found
    return Point([longitude - 360 if longitude > 180 else longitude, latitude])


def is_right(box: Box, found: tuple[float, float], exact: tuple[float, float]) -> bool:
    """Whether a centroid is the exact one, but for `TOLERANCE`."""
    west, south, east, north = box
    return (
        abs(found[0] - exact[0]) <= TOLERANCE * (east - west)
        and abs(found[1] - exact[1]) <= TOLERANCE * (north - south)
        and west <= found[0] <= east
        and south <= found[1] <= north
    )


def _in_one_piece(parts: list[Rings]) -> list[Rings]:
    """Polygons that were cut in two at the antimeridian (RFC 7946 section 3.1.9) put together east of it."""
    sides = [(min(p[0] for p in rings[0]), max(p[0] for p in rings[0])) for rings in parts]
    if not any(west == -180 for west, _ in sides) or not any(east == 180 for _, east in sides):
        return parts
    if any(west < 0 < east for west, east in sides):
        return parts
    return [
        [[[p[0] + 360, p[1]] for p in ring] for ring in rings] if east <= 0 else rings
        for rings, (_, east) in zip(parts, sides, strict=True)
    ]


def _centre(parts: list[Rings], corner: tuple[float, float] | None = None) -> tuple[float, float] | None:
    """By sums from each ring's own beginning on, put together at a corner; without one, from 0 on."""
    west, south = corner or (0.0, 0.0)
    area = x = y = 0.0
    for rings in parts:
        for number, ring in enumerate(rings):
            from_x, from_y = (ring[0][0], ring[0][1]) if corner else (0.0, 0.0)
            doubled, moment_x, moment_y = _moments(ring, from_x, from_y)
            moment_x += 3 * doubled * (from_x - west)
            moment_y += 3 * doubled * (from_y - south)
            # Whichever way round rings are written, holes are taken out.
            sign = 1.0 if (doubled < 0) == (number > 0) else -1.0
            area, x, y = area + sign * doubled, x + sign * moment_x, y + sign * moment_y
    # What is lost below the least number there is has no area, either.
    return (west + x / (3 * area), south + y / (3 * area)) if abs(area) > NO_AREA else None


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


def box_of(geometry: Geometry) -> Box:
    """The least box that holds it."""
    if isinstance(geometry, Point):
        x, y = geometry.coordinates[:2]
        return x, y, x, y
    return _box_of(polygons_of(geometry))


def _box_of(parts: list[Rings]) -> Box:
    outer = [position for rings in parts for position in rings[0]]
    longitudes, latitudes = [p[0] for p in outer], [p[1] for p in outer]
    return min(longitudes), min(latitudes), max(longitudes), max(latitudes)


def bounding_polygon(box: Box) -> Polygon:
    """A box as the service shows it: four corners, and not the first one again."""
    west, south, east, north = box
    return Polygon([[[west, south], [west, north], [east, north], [east, south]]])
