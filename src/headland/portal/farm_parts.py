"""What belongs to a document: to a field above all, with its seasons, boundaries, and what was done there."""

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from headland.portal.farm_kinds import (
    ATTACHMENTS,
    BOUNDARIES,
    OPERATIONS,
    PLANT_TISSUE_ANALYSES,
    SEASONAL_FIELDS,
    Kind,
)
from headland.portal.farms import FarmService, Page, Values

#: Of each kind so many on the page of what they belong to.
FEW = 10

#: Boundaries, seasons and samples that are looked at for a field's page; and operations of a kind, of which the
#: latest are shown, and which no list has in the order of their time.
MOST, MOST_OPERATIONS = 500, 5000

#: Ids that an address names.
_MOST_NAMED = 100


@dataclass(frozen=True, slots=True)
class Part:
    """What belongs to a document, of one kind."""

    kind: Kind
    #: The first of them.
    page: Page
    #: Finds all of them.
    query: str
    #: Where or how they belong to it, in words, where there are several ways.
    way: str = "in its boundaries"


@dataclass(frozen=True, slots=True)
class Operated:
    """The operations of one kind on a field."""

    kind: Kind
    #: Each once.
    documents: list[dict[str, Any]]
    #: How they were found: by boundaries, or by the field and its seasons.
    parts: list[Part]

    @property
    def more(self) -> bool:
        """Whether there are others."""
        return any(part.page.token for part in self.parts)


@dataclass(frozen=True, slots=True)
class PartsOfField:
    """What there is of a field."""

    seasons: Part
    boundaries: Part
    operations: list[Operated]
    samples: Part
    attachments: Part

    @property
    def done(self) -> list[tuple[Kind, dict[str, Any]]]:
        """What was done, whatever it was, the latest first."""
        done = [(each.kind, one) for each in self.operations for one in each.documents]
        return sorted(done, key=lambda each: str(each[1].get("operationStartDateTime", "")), reverse=True)


async def part_of(
    farm: FarmService, party: str, kind: Kind, query: Mapping[str, Values], *, size: int = FEW
) -> Part:
    """Documents of a kind that the query narrows to what they belong to.

    Raises:
        RefusedError: the service refuses it.
    """
    found = await farm.page("parties", party, kind.segment, size=size, query=query)
    return Part(kind, found, urlencode(query, doseq=True))


async def parts_of_field(farm: FarmService, party: str, id_: str) -> PartsOfField:
    """
    Raises:
        RefusedError: the service refuses one of them.
    """
    seasons, boundaries, samples, attachments = await asyncio.gather(
        part_of(farm, party, SEASONAL_FIELDS, {"fieldIds": id_}, size=MOST),
        part_of(farm, party, BOUNDARIES, {"parentIds": id_, "parentType": "Field"}, size=MOST),
        part_of(farm, party, PLANT_TISSUE_ANALYSES, {"fieldIds": id_}),
        part_of(farm, party, ATTACHMENTS, {"resourceIds": id_, "resourceTypes": "Field"}),
    )
    resources = {"Field": [id_]}
    within = _ids(boundaries)
    if of_seasons := _ids(seasons):
        resources["SeasonalField"] = of_seasons
        query = {"parentIds": of_seasons, "parentType": "SeasonalField"}
        within += _ids(await part_of(farm, party, BOUNDARIES, query, size=MOST))
    operations = await asyncio.gather(
        *(_operated(farm, party, kind, within, resources) for kind in OPERATIONS)
    )
    return PartsOfField(seasons, boundaries, operations, samples, attachments)


async def _operated(
    farm: FarmService, party: str, kind: Kind, within: list[str], resources: Mapping[str, list[str]]
) -> Operated:
    wanted = [
        _part_that_names(farm, party, kind, {"associatedResourceType": type_, "associatedResourceIds": ids})
        for type_, ids in resources.items()
    ]
    if within:
        wanted.insert(0, _part_within(farm, party, kind, {"associatedBoundaryIds": within}))
    parts = await asyncio.gather(*wanted)
    return Operated(kind, _each_once(parts), parts)


async def _part_within(farm: FarmService, party: str, kind: Kind, query: Mapping[str, Values]) -> Part:
    found = await farm.whole("parties", party, kind.segment, query=query, most=MOST_OPERATIONS)
    return Part(kind, found, urlencode(query, doseq=True))


async def _part_that_names(farm: FarmService, party: str, kind: Kind, wanted: Mapping[str, Values]) -> Part:
    """Documents that name what they belong to. Only the newest version can be asked for them, by a search; addresses
    name them themselves.
    """
    documents, token = await farm.search(party, kind.segment, wanted, MOST_OPERATIONS)
    query = {"ids": [one["id"] for one in documents[:_MOST_NAMED]]}
    address = farm.address("parties", party, kind.segment, **query)
    return Part(kind, Page(documents, token, address), urlencode(query, doseq=True), "that name it")


def _each_once(parts: Iterable[Part]) -> list[dict[str, Any]]:
    found = {one["id"]: one for part in parts for one in part.page.documents}
    return list(found.values())


def _ids(part: Part) -> list[str]:
    return [str(one["id"]) for one in part.page.documents]
