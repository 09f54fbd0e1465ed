"""Geometries that are read together are what each would be by itself."""

import math
import random
from typing import Any

import msgspec
import pytest

from headland.farm.geometry import Geometry, checked
from headland.farm.geometry.together import placed_together
from headland.http.validation import BodyInvalidError

SQUARE = [[0.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, 0.0], [0.0, 0.0]]
HOLE = [[0.2, 0.2], [0.4, 0.2], [0.4, 0.4], [0.2, 0.2]]
OUTSIDE = [[5.0, 5.0], [6.0, 5.0], [6.0, 6.0], [5.0, 5.0]]
BOW = [[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]

GOOD = [[SQUARE], [SQUARE, HOLE], [SQUARE[:-1]], [SQUARE, HOLE[:-1]], [[SQUARE[0], *SQUARE]]]
ODD: list[Any] = [
    {"type": "Polygon", "coordinates": [BOW]},
    {"type": "Polygon", "coordinates": [SQUARE, OUTSIDE]},
    {"type": "Polygon", "coordinates": [[[0, 0], [181, 0], [1, 1], [0, 0]]]},
    {"type": "Polygon", "coordinates": [[[0, 0], [1, 91], [1, 1], [0, 0]]]},
    {"type": "Polygon", "coordinates": [[[-170, 0], [170, 0], [170, 1], [-170, 0]]]},
    {"type": "Polygon", "coordinates": [[[0, 0], [1, 1], [0, 0]]]},
    {"type": "Polygon", "coordinates": [[[0, 0, 9], [0, 1, 9], [1, 1, 9], [0, 0, 9]]]},
    {"type": "Polygon", "coordinates": [[[0, 0], [0, 1, 9], [1, 1], [0, 0]]]},
    {"type": "Point", "coordinates": [1, 2]},
    {"type": "MultiPolygon", "coordinates": [[SQUARE], [OUTSIDE]]},
]


def read(value: Any) -> Any:
    return msgspec.convert(value, Geometry, strict=False)


def by_itself(value: Any) -> Any:
    try:
        return checked(read(value), "geometry")
    except BodyInvalidError as error:
        return str(error)


def test_good_polygons_are_read_as_each_by_itself() -> None:
    values = [{"type": "Polygon", "coordinates": rings} for rings in GOOD]
    found = placed_together([read(value) for value in values])
    assert found == [by_itself(value) for value in values]
    assert None not in found


@pytest.mark.parametrize("odd", ODD, ids=range(len(ODD)))
def test_what_is_left_to_be_asked_spoils_no_other(odd: Any) -> None:
    good = {"type": "Polygon", "coordinates": [SQUARE, HOLE]}
    found = placed_together([read(value) for value in (good, odd, good)])
    assert found == [by_itself(good), None, by_itself(good)]


def test_random_rings() -> None:
    dice = random.Random(7)
    values = [
        {
            "type": "Polygon",
            "coordinates": [
                [[dice.choice((dice.uniform(-1, 1), 179.0, -179.0)), dice.uniform(-1, 1)] for _ in range(n)]
            ],
        }
        for n in (3, 4, 5, 6) * 60
    ]
    found = placed_together([read(value) for value in values])
    known = [by_itself(value) for value in values]
    assert any(each is None for each in found)
    assert any(each is not None for each in found)
    for one, other in zip(found, known, strict=True):
        assert one == other or (one is None and isinstance(other, str))


def test_they_are_measured_to_the_same_last_digit() -> None:
    dice = random.Random(11)
    values = []
    for _ in range(300):
        reach = 10 ** dice.uniform(-9, 0)
        x, y = dice.choice([(0.0, 0.0), (dice.uniform(-170, 170), dice.uniform(-85, 85))])
        outer = [[x + reach * dx, y + reach * dy] for dx, dy in star(dice)]
        hole = [[x + reach / 9 * dx, y + reach / 9 * dy] for dx, dy in star(dice)]
        values.append({"type": "Polygon", "coordinates": [outer, hole][: dice.randint(1, 2)]})
    found = placed_together([read(value) for value in values])
    assert found.count(None) < 30
    for one, value in zip(found, values, strict=True):
        assert one is None or one == by_itself(value)


def star(dice: random.Random) -> list[tuple[float, float]]:
    """Corners around the origin, between a half and one away from it, either way round."""
    corners = dice.randint(5, 12)
    turns = [2 * math.pi * number / corners for number in range(corners)][:: dice.choice((1, -1))]
    return [
        (math.cos(turn) * reach, math.sin(turn) * reach) for turn in turns for reach in [dice.uniform(0.5, 1)]
    ]


def test_nothing() -> None:
    assert placed_together([]) == []
