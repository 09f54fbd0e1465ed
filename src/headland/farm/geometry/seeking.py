"""What a search goes by: GEOS decides whether a geometry meets it, edges that touch included."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from headland.farm.geometry.engine import shapely
from headland.farm.geometry.measuring import Box


class Sought:
    """A geometry that others are held against."""

    def __init__(self, shape: Any) -> None:
        """As GEOS has it."""
        self._shape = shape

    @classmethod
    def of_wkb(cls, wkb: bytes) -> "Sought":
        """From well-known binary."""
        return cls(shapely.from_wkb(wkb))

    @property
    def wkb(self) -> bytes:
        """As well-known binary."""
        made: bytes = shapely.to_wkb(self._shape)
        return made

    @cached_property
    def box(self) -> Box:
        """The least box that holds it."""
        west, south, east, north = self._shape.bounds
        return west, south, east, north

    @property
    def sides(self) -> dict[str, float]:
        """The box as parameters."""
        return dict(zip(("west", "south", "east", "north"), self.box, strict=True))

    def meets(self, others: Sequence[bytes]) -> list[bool]:
        """Of each geometry in well-known binary, whether it has a point in common with this one."""
        if not others:
            return []
        shapely.prepare(self._shape)
        met: list[bool] = shapely.intersects(self._shape, shapely.from_wkb(others)).tolist()
        return met
