"""Tasks: what a worker is asked, and answers. Each knows how it is done; the worker calls `answer`."""

from typing import Any, ClassVar

import msgspec
from msgspec import Struct

from headland.farm.documents.json_schemas import Problem, problem_of_member, problem_of_schema
from headland.farm.geometry.geojson import Geometry, Point
from headland.farm.geometry.measuring import Box
from headland.farm.geometry.overlapping import Overlap, geodesic_square_metres, overlap
from headland.farm.geometry.reading import Limits, Placed, checked, shaped, typed
from headland.farm.geometry.seeking import Sought
from headland.farm.tiles.drawing import Outline, Place, drawn
from headland.farm.tiles.squares import Square


class Measured(Struct, array_like=True):
    """`Placed`, of which the geometry stays JSON."""

    geometry: bytes
    wkb: bytes
    box: Box
    acres: float
    centroid: list[float]

    def placed(self) -> Placed:
        return Placed(msgspec.Raw(self.geometry), self.wkb, self.box, self.acres, Point(self.centroid))


class Measure(Struct, tag=True, array_like=True):
    """Check and measure a geometry: `reading.placed`."""

    #: JSON.
    geometry: bytes
    field: str
    limits: Limits

    def answer(self) -> Measured:
        found = checked(typed(msgspec.json.decode(self.geometry), self.field), self.field, self.limits)
        text = msgspec.json.encode(found.geometry)
        return Measured(text, found.wkb, found.box, found.acres, found.centroid.coordinates)


class Shape(Struct, tag=True, array_like=True):
    """Check a geometry that is searched by; it becomes well-known binary."""

    geometry: Geometry
    field: str
    limits: Limits

    def answer(self) -> bytes:
        return Sought(shaped(self.geometry, self.field, self.limits)).wkb


class Meet(Struct, tag=True, array_like=True):
    """Which of others meet a geometry; all in well-known binary."""

    sought: bytes
    others: list[bytes]

    def answer(self) -> list[bool]:
        return Sought.of_wkb(self.sought).met(self.others)


class Overlay(Struct, tag=True, array_like=True):
    """What two geometries in well-known binary have in common."""

    one: bytes
    other: bytes

    def answer(self) -> Overlap:
        return overlap(self.one, self.other)


class GeodesicArea(Struct, tag=True, array_like=True):
    """The area of a geometry in well-known binary, on the ellipsoid, in square metres."""

    wkb: bytes

    def answer(self) -> float:
        return geodesic_square_metres(self.wkb)


class Draw(Struct, tag=True, array_like=True):
    """Draw a tile."""

    square: Square
    outlines: list[Outline]
    places: list[Place]

    def answer(self) -> bytes:
        return drawn(self.square, self.outlines, self.places)


class LookAtSchema(Struct, tag=True, array_like=True):
    """Whether a schema is one."""

    seconds: ClassVar[float] = 0.5

    name: str
    schema: bytes

    def answer(self) -> Problem | None:
        return problem_of_schema(self.name, self.schema)


class HoldToSchema(Struct, tag=True, array_like=True):
    """Whether a member is what a schema demands."""

    seconds: ClassVar[float] = 0.5

    name: str
    #: JSON.
    member: bytes
    schema: bytes

    def answer(self) -> Problem | None:
        return problem_of_member(self.name, self.member, self.schema)


Task = LookAtSchema | HoldToSchema | Measure | Shape | Meet | Overlay | GeodesicArea | Draw


class Answer(Struct, array_like=True):
    """What a worker says."""

    #: MessagePack, of whatever the task's answer is.
    value: msgspec.Raw = msgspec.Raw(b"\xc0")
    #: Field and reason, where the geometry is none.
    refused: tuple[str, str] | None = None
    #: Whether it ends now: it has grown.
    last: bool = False


def kind_of_answer(task: Task) -> Any:
    """The type that the task's `answer` returns."""
    return type(task).answer.__annotations__["return"]
