"""Tiles of an instance's boundaries: Headland's own addition to the protocol."""

import asyncio
from collections.abc import Iterator
from typing import Annotated
from urllib.parse import urlencode

import msgspec
from msgspec import Meta, Struct
from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import Response

from headland.farm.access import Visit
from headland.farm.answers import tile_answer, unchanged_answer
from headland.farm.arrival import Arrival
from headland.farm.catalogue.boundaries import BOUNDARIES
from headland.farm.catalogue.family import GEOMETRY
from headland.farm.catalogue.parents import PARTY
from headland.farm.errors import InvalidInputError
from headland.farm.guarded import guarded
from headland.farm.handlers import Surroundings, caller_of, conditions_of
from headland.farm.isolation.tasks import Draw
from headland.farm.isolation.workers import Workers
from headland.farm.parameters import READ_CONDITIONS, api_version
from headland.farm.queries import one, whole_number
from headland.farm.tiles.drawing import OUTLINES, PLACES, is_light
from headland.farm.tiles.finding import Narrowed, box_around, outlines_in, places_in
from headland.farm.tiles.remembering import Remembered, Tile
from headland.farm.tiles.squares import LARGEST_ZOOM, Square, square_of
from headland.farm.versions import Version
from headland.http.operations import Answer, Operation, Parameter

#: https://docs.ogc.org/is/20-057/20-057.html names it so.
VECTOR_TILE = "application/vnd.mapbox-vector-tile"

_ETAG = {"ETag": "Of just this answer."}

Zoom = Annotated[int, Meta(ge=0, le=LARGEST_ZOOM)]
Place = Annotated[int, Meta(ge=0, le=2**LARGEST_ZOOM - 1)]


class Layer(Struct):
    """A layer of the tiles."""

    id: str
    fields: dict[str, str]
    description: str


class TileJson(Struct, omit_defaults=True):
    """TileJSON 3.0 (https://github.com/mapbox/tilejson-spec): what clients of maps are pointed at."""

    tilejson: str
    tiles: list[str]
    vector_layers: list[Layer]
    minzoom: int
    maxzoom: int
    #: West, south, east and north of all that there is; absent where nothing is.
    bounds: list[float] | None = None


_LAYERS = [
    Layer(
        OUTLINES,
        dict.fromkeys(("id", "partyId", "name", "parentId", "parentType"), "String"),
        "Boundaries.",
    ),
    Layer(PLACES, {"count": "Number"}, "Where boundaries are too many, or too small, to be drawn."),
]


def tile_operations(version: Version, surroundings: Surroundings) -> Iterator[Operation]:
    """The operations of a version, by paths below an instance's address."""
    if version not in BOUNDARIES.versions:
        return
    tiles = _Tiles(version, surroundings.workers)
    segment, read = BOUNDARIES.segment.of(version), BOUNDARIES.action("read")
    narrowing = tuple(
        Parameter(name, str, f"Only boundaries of this {of}.") for name, of in tiles.narrowing.values()
    )
    yield Operation(
        "GET",
        f"/tiles/{segment}",
        guarded("describe_tiles", read, tiles.describe, surroundings.gate),
        "Get where the boundaries' vector tiles are, and what is in them, as TileJSON",
        {200: Answer("The description.", TileJson, _ETAG), 304: Answer("It is as the caller knows it.")},
        parameters=(api_version(version), *narrowing, READ_CONDITIONS[1]),
        addition=True,
        action=read,
    )
    yield Operation(
        "GET",
        f"/tiles/{segment}/{{zoom}}/{{column}}/{{row}}",
        guarded("draw_tile", read, tiles.draw, surroundings.gate),
        "Get a vector tile of boundaries",
        {
            200: Answer("The tile; empty where nothing is.", VECTOR_TILE, _ETAG),
            304: Answer("It is as the caller knows it."),
        },
        parameters=(api_version(version), *narrowing, READ_CONDITIONS[1]),
        segments={"zoom": Zoom, "column": Place, "row": Place},
        addition=True,
        action=read,
    )


class _Tiles:
    """HTTP to tiles, after a request was let in."""

    def __init__(self, version: Version, workers: Workers) -> None:
        self._workers = workers
        self._remembered = Remembered()
        #: Parameters of the query, each with its words, by what they narrow a tile to.
        self.narrowing = {
            "party": (PARTY.parameter.of(version), "party"),
            "farm": ("farmId", "farm's fields; its party has to be named, too"),
            "parent": ("parentId", "field, or whatever else has boundaries"),
            "boundary": (BOUNDARIES.parameter.of(version), "id"),
        }

    async def describe(self, request: Request, arrival: Arrival, visit: Visit) -> Response:
        narrowed = self._narrowed(arrival)
        said = {self.narrowing[name][0]: text for name, text in narrowed.items()}
        query = urlencode({"api-version": arrival.version, **said})

        def described(connection: Connection) -> bytes:
            box = box_around(connection, narrowed)
            tiles = f"{arrival.url}/{{z}}/{{x}}/{{y}}?{query}"
            bounds = None if box is None else list(box)
            return msgspec.json.encode(TileJson("3.0.0", [tiles], _LAYERS, 0, LARGEST_ZOOM, bounds))

        async def as_it_is(description: bytes) -> bytes:
            return description

        tile = await self._remembered.tile(visit.store, (arrival.url, query), described, as_it_is)
        return self._answer(request, tile, "application/json")

    async def draw(self, request: Request, arrival: Arrival, visit: Visit) -> Response:
        narrowed = self._narrowed(arrival)
        square = square_of(*(whole_number(name, request.path_params[name]) for name in Square._fields))

        def read(connection: Connection) -> Draw:
            outlines = outlines_in(connection, square, narrowed)
            if outlines is None:
                return Draw(square, [], places_in(connection, square, narrowed))
            return Draw(square, outlines, [])

        async def draw(task: Draw) -> bytes:
            if is_light(task.outlines):
                return await asyncio.to_thread(task.answer)
            tile: bytes = await self._workers.ask(caller_of(visit), task, GEOMETRY)
            return tile

        tile = await self._remembered.tile(visit.store, (square, *narrowed.items()), read, draw)
        return self._answer(request, tile, VECTOR_TILE)

    def _answer(self, request: Request, tile: Tile, media_type: str) -> Response:
        etag = f'"{tile.etag}"'
        if conditions_of(request).unchanged(tile.etag):
            return unchanged_answer(request, etag)
        return tile_answer(request, tile.content, media_type, etag)

    def _narrowed(self, arrival: Arrival) -> Narrowed:
        given = {name: one(arrival.query, parameter) for name, (parameter, _) in self.narrowing.items()}
        narrowed = {name: text for name, text in given.items() if text is not None}
        if "farm" in narrowed and "party" not in narrowed:
            raise InvalidInputError("The farm's party has to be named, too.", self.narrowing["party"][0])
        return narrowed
