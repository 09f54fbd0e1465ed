"""Farm data: the parties of an instance, their farms, and their fields with what was done there."""

import asyncio
from functools import partial
from urllib.parse import urlencode

from starlette.responses import Response

from headland.portal.directory import Directory
from headland.portal.facts import facts_of
from headland.portal.farm_kinds import (
    ATTACHMENTS,
    BOUNDARIES,
    FARMS,
    FIELDS,
    NUTRIENT_ANALYSES,
    PLANT_TISSUE_ANALYSES,
    kind_called,
)
from headland.portal.farm_parts import FEW, part_of, parts_of_field
from headland.portal.farm_paths import INSTANCE_PATTERN, PARTY_PATTERN, path_to, tiles_path, trail_to
from headland.portal.farms import FarmService
from headland.portal.manager import Manager
from headland.portal.pages.attachments import LARGEST_FILE
from headland.portal.series import Ground, read_series
from headland.portal.visits import Visit, page

#: By what the API narrows a map to one of a kind.
_MAPPED = {FARMS: "farmId", FIELDS: "parentId", BOUNDARIES: "boundaryId"}
#: What a list may be narrowed by, as the API calls it.
_NARROWING = (
    "ids",
    "farmIds",
    "fieldIds",
    "parentIds",
    "parentType",
    "resourceIds",
    "resourceTypes",
    "associatedBoundaryIds",
)


async def choose_instance(visit: Visit) -> Response:
    if name := visit.asked("instance").strip():
        return visit.go(path_to(name))
    if not visit.portal.has("control"):
        return visit.show("farm.html", usable=[], others=[])
    manager = Manager(visit.inside)
    usable, seen = await asyncio.gather(manager.instances_of_data(), manager.all_instances())
    names = {each.name for each in usable}
    others = [each for one in seen for each in one.instances if each.name not in names]
    return visit.show("farm.html", usable=usable, others=others)


async def list_parties(visit: Visit) -> Response:
    instance, farm = _farm(visit)
    name, after = visit.asked("name").strip(), visit.asked("after")
    if name:
        found = await farm.named("parties", part=name, token=after)
    else:
        found = await farm.page("parties", token=after)
    return visit.show(
        "parties.html",
        instance=instance,
        found=found,
        name=name,
        after=after,
        tiles=tiles_path(instance),
    )


async def show_party(visit: Visit) -> Response:
    instance, farm = _farm(visit)
    id_ = visit.path("party")
    party, names, farms, fields = await asyncio.gather(
        farm.get("parties", id_),
        Directory.of(visit.inside),
        farm.page("parties", id_, FARMS.segment, size=FEW),
        farm.page("parties", id_, FIELDS.segment, size=FEW),
    )
    return visit.show(
        "party.html",
        instance=instance,
        party=party,
        kinds=((FARMS, farms), (FIELDS, fields)),
        facts=facts_of(party, names, partial(path_to, instance, id_)),
        trail=trail_to(instance),
        base=path_to(instance, id_),
        tiles=tiles_path(instance, partyId=id_),
        rights=await farm.rights(),
        data=farm.address("parties", id_),
    )


async def list_documents(visit: Visit) -> Response:
    instance, farm = _farm(visit)
    kind, party = kind_called(visit.path("kind")), visit.path("party")
    query = {name: some for name in _NARROWING if (some := visit.request.query_params.getlist(name))}
    found = await farm.page("parties", party, kind.segment, token=visit.asked("after"), query=query)
    return visit.show(
        "documents.html",
        instance=instance,
        kind=kind,
        found=found,
        query=query,
        said=visit.said,
        following=urlencode({**query, "after": found.token}, doseq=True),
        trail=trail_to(instance, party),
        base=path_to(instance, party),
    )


async def show_document(visit: Visit) -> Response:
    instance, farm = _farm(visit)
    kind, party, id_ = kind_called(visit.path("kind")), visit.path("party"), visit.path("document")
    document, rights, names = await asyncio.gather(
        farm.get("parties", party, kind.segment, id_), farm.rights(), Directory.of(visit.inside)
    )
    address = partial(path_to, instance, party)
    shown = {
        "instance": instance,
        "kind": kind,
        "document": document,
        "facts": facts_of(document, names, address),
        "trail": trail_to(instance, party, kind),
        "base": path_to(instance, party),
        "tiles": tiles_path(instance, partyId=party, **{_MAPPED[kind]: id_}) if kind in _MAPPED else "",
        "rights": rights,
        "said": visit.said,
        "largest_file": LARGEST_FILE,
        "data": farm.address("parties", party, kind.segment, id_),
    }
    if kind == FIELDS:
        found = await parts_of_field(farm, party, id_)
        series = await read_series(farm, Ground(party, id_, found.operations, address))
        return visit.show("field.html", parts_of=found, series=series, few=FEW, **shown)
    below = [await part_of(farm, party, FIELDS, {"farmIds": id_})] if kind == FARMS else []
    if kind == PLANT_TISSUE_ANALYSES:
        query = {"parentIds": id_, "parentType": kind.type}
        below.append(await part_of(farm, party, NUTRIENT_ANALYSES, query))
    if kind.type:
        query = {"resourceIds": id_, "resourceTypes": kind.type}
        below.append(await part_of(farm, party, ATTACHMENTS, query))
    return visit.show("document.html", parts_of=below, **shown)


async def delete_document(visit: Visit) -> Response:
    instance, farm = _farm(visit)
    kind, party = kind_called(visit.path("kind")), visit.path("party")
    await farm.delete("parties", party, kind.segment, visit.path("document"))
    return visit.go(path_to(instance, party, kind), f"The {kind.one.lower()} is deleted.")


def _farm(visit: Visit) -> tuple[str, FarmService]:
    instance = visit.path("instance")
    return instance, FarmService(visit.inside, instance)


PAGES = (
    page("GET", "/farm", choose_instance),
    page("GET", INSTANCE_PATTERN, list_parties),
    page("GET", PARTY_PATTERN, show_party),
    page("GET", f"{PARTY_PATTERN}/{{kind}}", list_documents),
    page("GET", f"{PARTY_PATTERN}/{{kind}}/{{document}}", show_document),
    page("POST", f"{PARTY_PATTERN}/{{kind}}/{{document}}/delete", delete_document),
)
