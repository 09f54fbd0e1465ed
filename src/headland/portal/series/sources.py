"""Where series come from. One more is an entry in `SOURCES`."""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Protocol

from headland.portal.farm_kinds import APPLICATIONS, HARVESTS, NUTRIENT_ANALYSES, PLANT_TISSUE_ANALYSES, Kind
from headland.portal.farm_parts import MOST, Operated
from headland.portal.farms import FarmService
from headland.portal.series.charts import Chart, Reading, charts_of

Document = Mapping[str, Any]
#: The page of a document.
Address = Callable[[Kind, str], str]


@dataclass(frozen=True, slots=True)
class Ground:
    """Of which land series are wanted."""

    party: str
    field: str
    #: What was done there.
    operations: list[Operated]
    address: Address


@dataclass(frozen=True, slots=True)
class Found:
    """What a source has."""

    readings: list[Reading]
    #: Where the API has the same.
    data: list[str]
    #: Whether there is more than was read.
    more: bool


class Source(Protocol):
    """What has numbers in time."""

    @property
    def title(self) -> str: ...

    @property
    def empty(self) -> str:
        """What to say where it has none."""

    async def read(self, farm: FarmService, ground: Ground) -> Found:
        """
        Raises:
            RefusedError: the service refuses it.
        """


@dataclass(frozen=True, slots=True)
class Series:
    """The charts of a source."""

    title: str
    empty: str
    charts: list[Chart]
    #: Where the API has the same.
    data: list[str]
    #: Whether there is more than is shown.
    more: bool

    @property
    def drawn(self) -> bool:
        """Whether anything of it is drawn."""
        return any(chart.goes_on for chart in self.charts)


@dataclass(frozen=True, slots=True)
class Operations:
    """Measures of operations within the field's boundaries: of each product, where that is told apart."""

    title: str
    empty: str
    kind: Kind
    #: Titles of measures, and the members that have them, of the operation as of a product.
    measures: tuple[tuple[str, str], ...]
    #: The member with the products.
    products: str

    async def read(self, _farm: FarmService, ground: Ground) -> Found:
        operated = [each for each in ground.operations if each.kind == self.kind]
        readings = [
            reading
            for each in operated
            for one in each.documents
            for reading in self._readings(one, ground.address)
        ]
        data = [part.page.data for each in operated for part in each.parts if part.page.documents]
        return Found(readings, data, any(each.more for each in operated))

    def _readings(self, document: Document, address: Address) -> Iterator[Reading]:
        at = _moment(document.get("operationStartDateTime") or document.get("operationEndDateTime"))
        if at is None:
            return
        products = document.get(self.products) or []
        page = address(self.kind, document["id"])
        for title, member in self.measures:
            told = [one for one in products if _number(one.get(member)) is not None]
            for one in told or [document]:
                value = _number(one.get(member))
                if value is not None:
                    line = one.get("productName") or "" if told else ""
                    yield Reading(title, one[member].get("unit") or "", at, value, line, page=page)


@dataclass(frozen=True, slots=True)
class Nutrients:
    """Nutrients that were found in samples of the field's plants, by when these were taken."""

    title: str
    empty: str

    async def read(self, farm: FarmService, ground: Ground) -> Found:
        samples = await farm.page(
            "parties",
            ground.party,
            PLANT_TISSUE_ANALYSES.segment,
            size=MOST,
            query={"fieldIds": ground.field},
        )
        taken = {one["id"]: _first_moment(one, _TAKEN) for one in samples.documents}
        dated = [id_ for id_, at in taken.items() if at is not None]
        if not dated:
            return Found([], [samples.data], bool(samples.token))
        query = {"parentType": "PlantTissueAnalysis", "parentIds": dated}
        found = await farm.page("parties", ground.party, NUTRIENT_ANALYSES.segment, size=MOST, query=query)
        readings = [
            Reading(
                one.get("name") or one["id"],
                one.get("unit") or "",
                at,
                one["value"],
                low=one.get("referenceValueLow"),
                high=one.get("referenceValueHigh"),
                page=ground.address(NUTRIENT_ANALYSES, one["id"]),
            )
            for one in found.documents
            if one.get("value") is not None and (at := taken[one["parentId"]]) is not None
        ]
        return Found(readings, [samples.data, found.data], bool(samples.token or found.token))


#: When a sample was taken, or else the next that is known of it.
_TAKEN = ("sampleCollectionDateTime", "sampleReceivedDateTime", "sampleTestResultDateTime")

SOURCES: tuple[Source, ...] = (
    Operations(
        "Harvests",
        "No harvest of this field has a yield or a moisture yet.",
        HARVESTS,
        (
            ("Average yield", "avgYield"),
            ("Total yield", "totalYield"),
            ("Average moisture", "avgMoisture"),
        ),
        "harvestProductDetails",
    ),
    Operations(
        "Applications",
        "Nothing was put on this field yet whose rate is known.",
        APPLICATIONS,
        (("Average rate", "avgMaterial"),),
        "applicationProductDetails",
    ),
    Nutrients("Nutrients in plants", "No sample of this field's plants was analysed yet."),
)


async def read_series(farm: FarmService, ground: Ground, sources: Iterable[Source] = SOURCES) -> list[Series]:
    """What each source has of it.

    Raises:
        RefusedError: the service refuses it.
    """

    async def read(source: Source) -> Series:
        found = await source.read(farm, ground)
        return Series(source.title, source.empty, charts_of(found.readings), found.data, found.more)

    return await asyncio.gather(*map(read, sources))


def _number(measure: Any) -> float | None:
    value = measure.get("value") if isinstance(measure, dict) else None
    return value if isinstance(value, int | float) else None


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text).astimezone(UTC) if text else None


def _first_moment(document: Document, members: Iterable[str]) -> datetime | None:
    return next((at for member in members if (at := _moment(document.get(member))) is not None), None)
