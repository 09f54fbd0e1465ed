"""Farm data: the parties of an instance, their farms, and their fields with what was done there."""

import asyncio
from typing import Any
from urllib.parse import urlencode

from starlette.responses import Response

from headland.portal.farm_paths import INSTANCE_PATTERN, PARTY_PATTERN, path_to, tiles_path, trail_to
from headland.portal.farms import (
    ATTACHMENTS,
    BOUNDARIES,
    FARMS,
    FIELDS,
    KINDS,
    OPERATIONS,
    SEASONAL_FIELDS,
    FarmService,
    Kind,
    Page,
    Values,
)
from headland.portal.inside import RefusedError
from headland.portal.manager import Manager
from headland.portal.visits import Visit, page

#: Of each kind so many on the page of what they belong to.
_FEW = 10
#: By what the API narrows a map to one of a kind.
_MAPPED = {FARMS: "farmId", FIELDS: "parentId", BOUNDARIES: "boundaryId"}
#: What a list may be narrowed by, as the API calls it.
_NARROWING = ("farmIds", "fieldIds", "parentIds", "resourceIds", "associatedBoundaryIds")

#: The first documents of a kind, and the query that finds all of them.
_Part = tuple[Kind, Page, str]


async def choose_instance(visit: Visit) -> Response:
    if name := visit.asked("instance").strip():
        return visit.go(path_to(name))
    instances: list[Any] = []
    if visit.portal.has("control"):
        manager = Manager(visit.inside)
        found = [await manager.instances(one.subscription_id) for one in await manager.subscriptions()]
        instances = [one for some in found for one in some]
    return visit.show("farm.html", instances=instances)


async def list_parties(visit: Visit) -> Response:
    instance, farm = _farm(visit)
    query = {"names": visit.asked("name")} if visit.asked("name") else {}
    found = await farm.page("parties", token=visit.asked("after"), query=query)
    return visit.show(
        "parties.html",
        instance=instance,
        found=found,
        name=visit.asked("name"),
        after=visit.asked("after"),
        tiles=tiles_path(instance),
    )


async def show_party(visit: Visit) -> Response:
    instance, farm = _farm(visit)
    id_ = visit.path("party")
    party, farms, fields = await asyncio.gather(
        farm.get("parties", id_),
        farm.page("parties", id_, FARMS.segment, size=_FEW),
        farm.page("parties", id_, FIELDS.segment, size=_FEW),
    )
    return visit.show(
        "party.html",
        instance=instance,
        party=party,
        kinds=((FARMS, farms), (FIELDS, fields)),
        document=party,
        trail=trail_to(instance),
        base=path_to(instance, id_),
        tiles=tiles_path(instance, partyId=id_),
        rights=await farm.rights(),
        data=farm.address("parties", id_),
    )


async def list_documents(visit: Visit) -> Response:
    instance, farm = _farm(visit)
    kind, party = _kind(visit), visit.path("party")
    query = {name: some for name in _NARROWING if (some := visit.request.query_params.getlist(name))}
    found = await farm.page("parties", party, kind.segment, token=visit.asked("after"), query=query)
    return visit.show(
        "documents.html",
        instance=instance,
        kind=kind,
        found=found,
        query=query,
        following=urlencode({**query, "after": found.token}, doseq=True),
        trail=trail_to(instance, party),
        base=path_to(instance, party),
    )


async def show_document(visit: Visit) -> Response:
    instance, farm = _farm(visit)
    kind, party, id_ = _kind(visit), visit.path("party"), visit.path("document")
    document = await farm.get("parties", party, kind.segment, id_)
    base = path_to(instance, party)
    parts: list[_Part] = []
    if kind == FARMS:
        parts = [await _part(farm, party, FIELDS, farmIds=id_)]
    elif kind == FIELDS:
        parts = await _of_field(farm, party, id_)
    if kind != ATTACHMENTS:
        parts.append(await _part(farm, party, ATTACHMENTS, resourceIds=id_))
    return visit.show(
        "document.html",
        instance=instance,
        kind=kind,
        document=document,
        parts_of=parts,
        trail=trail_to(instance, party, kind),
        base=base,
        tiles=tiles_path(instance, partyId=party, **{_MAPPED[kind]: id_}) if kind in _MAPPED else "",
        rights=await farm.rights(),
        said=visit.asked("said"),
        data=farm.address("parties", party, kind.segment, id_),
    )


async def _of_field(farm: FarmService, party: str, id_: str) -> list[_Part]:
    """What there is of a field: its seasons, its boundaries, and what was done within those."""
    seasons, boundaries = await asyncio.gather(
        _part(farm, party, SEASONAL_FIELDS, fieldIds=id_), _part(farm, party, BOUNDARIES, parentIds=id_)
    )
    found = [seasons, boundaries]
    if ids := [str(one["id"]) for one in boundaries[1].documents]:
        found += [await _part(farm, party, kind, associatedBoundaryIds=ids) for kind in OPERATIONS]
    return found


async def _part(farm: FarmService, party: str, kind: Kind, **query: Values) -> _Part:
    found = await farm.page("parties", party, kind.segment, size=_FEW, query=query)
    return kind, found, urlencode(query, doseq=True)


def _farm(visit: Visit) -> tuple[str, FarmService]:
    instance = visit.path("instance")
    return instance, FarmService(visit.inside, instance)


def _kind(visit: Visit) -> Kind:
    kind = KINDS.get(visit.path("kind"))
    if kind is None:
        raise RefusedError(404, "", "There are no documents of this kind.")
    return kind


PAGES = (
    page("GET", "/farm", choose_instance),
    page("GET", INSTANCE_PATTERN, list_parties),
    page("GET", PARTY_PATTERN, show_party),
    page("GET", f"{PARTY_PATTERN}/{{kind}}", list_documents),
    page("GET", f"{PARTY_PATTERN}/{{kind}}/{{document}}", show_document),
)
