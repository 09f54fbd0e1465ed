"""How far documents that have geometries overlap."""

from functools import cache
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct
from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import Response

from headland.farm.access import Visit
from headland.farm.answers import page_answer
from headland.farm.arrival import Arrival
from headland.farm.catalogue import FAMILIES, Family
from headland.farm.catalogue.boundaries import BOUNDARIES
from headland.farm.catalogue.family import GEOMETRY
from headland.farm.catalogue.members import Measure
from headland.farm.catalogue.parents import PARTY
from headland.farm.catalogue.shape import shape_of
from headland.farm.documents import rows
from headland.farm.documents.rows import Key
from headland.farm.errors import InvalidInputError, ResourceNotFoundError
from headland.farm.geometry.measuring import ACRES_A_SQUARE_METRE, DECIMALS
from headland.farm.geometry.overlapping import Overlap, is_light, overlap
from headland.farm.guarded import guarded
from headland.farm.handlers import Surroundings, caller_of
from headland.farm.isolation.tasks import GeodesicArea, Overlay
from headland.farm.parameters import api_version
from headland.farm.queries import required
from headland.farm.versions import Version, versions
from headland.http.bodies import read_body
from headland.http.operations import Answer, Operation, Parameter
from headland.http.validation import decode_json

_Id = Annotated[str, Meta(min_length=1)]


class OverlapResource(Struct, rename="camel", omit_defaults=True):
    """A resource that has a geometry; its area in acres."""

    party_id: _Id
    resource_type: _Id
    resource_id: _Id
    resource_area: float | None = None


class OverlapResourcesQuery(Struct):
    """Two resources."""

    resources: Annotated[list[OverlapResource], Meta(min_length=2, max_length=2)]


class PartyOverlapResponse(Struct, rename="camel"):
    """The two, and the area of what lies in both, in acres."""

    resources: Annotated[list[OverlapResource], Meta(min_length=2, max_length=2)]
    overlapping_area: float


class GeodesicAreaResponse(Struct, rename="camel"):
    """The area on the ellipsoid of WGS 84: in acres, as boundaries have theirs on a sphere, and as it is."""

    area: Measure
    square_metres: float


def overlap_operations(version: Version, surroundings: Surroundings) -> list[Operation]:
    """Every operation of a version that measures what is stored."""
    if version in BOUNDARIES.versions:
        return [_of_boundaries(version, surroundings), _geodesic(version, surroundings)]
    return [_of_resources(version, surroundings)]


def _of_boundaries(version: Version, surroundings: Surroundings) -> Operation:
    party, boundary = PARTY.parameter.of(version), BOUNDARIES.parameter.of(version)
    others = tuple(f"other{name[0].upper()}{name[1:]}" for name in (party, boundary))
    action = BOUNDARIES.action("overlap/action")
    rounds = version not in versions("AB")
    kind = BOUNDARIES.kind.of(version)

    async def compare(request: Request, arrival: Arrival, visit: Visit) -> Response:
        one = Key(request.path_params[party], request.path_params[boundary])
        other = Key(*(required(arrival.query, name) for name in others))

        def find(connection: Connection) -> tuple[bytes, bytes]:
            first = _placed(connection, BOUNDARIES, one, kind, boundary)
            return first, _placed(connection, BOUNDARIES, other, kind, others[1])

        found = await _overlap(visit, surroundings, *visit.store.read(find), field=others[1])
        shown = Overlap(*(round(area, DECIMALS) for area in found)) if rounds else found
        return page_answer(request, msgspec.json.encode(_boundary_response(version)(*shown)))

    return Operation(
        "GET",
        f"/{PARTY.segment.of(version)}/{{{party}}}/{BOUNDARIES.segment.of(version)}/{{{boundary}}}/overlap",
        guarded("overlap_boundaries", action, compare, surroundings.gate),
        "Get the areas of two boundaries, and of what lies in both, in acres",
        {200: Answer("The areas.", _boundary_response(version))},
        parameters=(
            api_version(version),
            Parameter(others[0], str, "Id of the other boundary's party.", required=True),
            Parameter(others[1], str, "Id of the other boundary.", required=True),
        ),
        action=action,
    )


def _geodesic(version: Version, surroundings: Surroundings) -> Operation:
    party, boundary = PARTY.parameter.of(version), BOUNDARIES.parameter.of(version)
    action, kind = BOUNDARIES.action("read"), BOUNDARIES.kind.of(version)

    async def measure(request: Request, _arrival: Arrival, visit: Visit) -> Response:
        key = Key(request.path_params[party], request.path_params[boundary])
        wkb = visit.store.read(lambda connection: _placed(connection, BOUNDARIES, key, kind, boundary))
        metres = await surroundings.workers.ask(caller_of(visit), GeodesicArea(wkb), boundary)
        area = Measure("Acre", round(metres * ACRES_A_SQUARE_METRE, DECIMALS))
        return page_answer(request, msgspec.json.encode(GeodesicAreaResponse(area, metres)))

    return Operation(
        "GET",
        f"/{PARTY.segment.of(version)}/{{{party}}}/{BOUNDARIES.segment.of(version)}/{{{boundary}}}/geodesic-area",
        guarded("measure_geodesic_area", action, measure, surroundings.gate),
        "Get the area of a boundary on the ellipsoid of WGS 84, between geodesics",
        {200: Answer("The area.", GeodesicAreaResponse)},
        parameters=(api_version(version),),
        addition=True,
        action=action,
    )


async def _overlap(
    visit: Visit, surroundings: Surroundings, one: bytes, other: bytes, *, field: str
) -> Overlap:
    if is_light(one, other):
        return overlap(one, other)
    found: Overlap = await surroundings.workers.ask(caller_of(visit), Overlay(one, other), field)
    return found


@cache
def _boundary_response(version: Version) -> Any:
    word = "Acreage" if version in versions("AB") else "Area"
    return msgspec.defstruct(
        "BoundaryOverlapResponse",
        [("boundary", float), ("other_boundary", float), ("intersecting", float)],
        rename={
            "boundary": f"boundary{word}",
            "other_boundary": f"otherBoundary{word}",
            "intersecting": f"intersecting{word}",
        },
        module=__name__,
        namespace={"__doc__": "Areas in acres."},
    )


def _of_resources(version: Version, surroundings: Surroundings) -> Operation:
    action = BOUNDARIES.action("overlap/action").replace(BOUNDARIES.name, "parties")
    families = {
        family.kind.of(version): family
        for family in FAMILIES
        if version in family.versions and shape_of(family, version).has_geometry
    }

    async def compare(request: Request, _arrival: Arrival, visit: Visit) -> Response:
        body = decode_json(await read_body(request, surroundings.max_body), OverlapResourcesQuery)

        def find(connection: Connection) -> list[bytes]:
            return [_resource(connection, families, n, each) for n, each in enumerate(body.resources)]

        found = await _overlap(visit, surroundings, *visit.store.read(find), field="resources")
        *areas, common = (round(area, DECIMALS) for area in found)
        for resource, area in zip(body.resources, areas, strict=True):
            resource.resource_area = area
        return page_answer(request, msgspec.json.encode(PartyOverlapResponse(body.resources, common)))

    return Operation(
        "POST",
        f"/{PARTY.segment.of(version)}:overlap",
        guarded("overlap_resources", action, compare, surroundings.gate),
        "Get the areas of two resources, and of what lies in both, in acres",
        {200: Answer("The areas.", PartyOverlapResponse)},
        body=OverlapResourcesQuery,
        parameters=(api_version(version),),
        action=action,
    )


def _resource(
    connection: Connection, families: dict[str, Family], number: int, wanted: OverlapResource
) -> bytes:
    field = f"resources[{number}]"
    family = families.get(wanted.resource_type)
    if family is None:
        known = ", ".join(families)
        raise InvalidInputError(f"'{wanted.resource_type[:80]}' is none of {known}.", f"{field}.resourceType")
    key = Key(wanted.party_id, wanted.resource_id)
    return _placed(connection, family, key, wanted.resource_type, f"{field}.resourceId")


def _placed(connection: Connection, family: Family, key: Key, kind: str, field: str) -> bytes:
    found = rows.find_place(connection, family, key)
    if found is None:
        raise ResourceNotFoundError(kind, key.id)
    (wkb,) = found
    if wkb is None:
        raise InvalidInputError(f"Resource '{kind}' with id '{key.id}' has no {GEOMETRY}.", field)
    return wkb
