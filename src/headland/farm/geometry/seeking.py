"""What a search goes by: GEOS decides whether a geometry meets it, edges that touch included."""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from headland.farm.geometry.engine import shapely
from headland.farm.geometry.measuring import Box

#: Products of the number of positions of what is sought and of all that it is held against, up to which that takes less
#: than 10 ms, whatever they are.
_LIGHT = 2_000_000


class HeavyError(Exception):
    """To hold a geometry against others would take long: `Sought.ask` has to be set."""

    def __init__(self, sought: "Sought") -> None:
        super().__init__()
        self.sought = sought


class Sought:
    """A geometry that others are held against."""

    #: What tells which of others meet it, if that takes long.
    ask: Callable[[Sequence[bytes]], list[bool]] | None = None

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
    def _positions(self) -> int:
        return int(shapely.get_num_coordinates(self._shape))

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
        """Of each geometry in well-known binary, whether it has a point in common with this one.

        Raises:
            HeavyError: that takes long, and there is nobody to ask.
        """
        if not others:
            return []
        if self.ask is not None:
            return self.ask(others)
        if self._positions * sum(map(len, others)) // 16 > _LIGHT:
            raise HeavyError(self)
        return self.met(others)

    def met(self, others: Sequence[bytes]) -> list[bool]:
        """The same, however long it takes."""
        shapely.prepare(self._shape)
        met: list[bool] = shapely.intersects(self._shape, shapely.from_wkb(others)).tolist()
        return met
