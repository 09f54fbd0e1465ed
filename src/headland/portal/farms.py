"""An instance's farm data as the pages ask it: by the farm service's own API."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from headland.portal.inside import Inside, RefusedError

#: The newest version in which boundaries have outlines.
VERSION = "2023-06-01-preview"

#: Documents on a page.
SIZE = 50

#: Of a parameter in a query: it may come more than once.
Values = str | Sequence[str]


@dataclass(frozen=True, slots=True)
class Kind:
    """A family of documents that belong to a party."""

    segment: str
    #: In words, one and many.
    one: str
    many: str
    #: Which members a list shows, by their titles.
    shown: tuple[tuple[str, str], ...] = ()


FARMS = Kind("farms", "Farm", "Farms")
FIELDS = Kind("fields", "Field", "Fields")
BOUNDARIES = Kind("boundaries", "Boundary", "Boundaries", (("Type", "type"), ("Area", "area")))
SEASONAL_FIELDS = Kind(
    "seasonal-fields", "Seasonal field", "Seasons", (("Season", "seasonId"), ("Crop", "cropId"))
)
_OPERATED = (
    ("From", "operationStartDateTime"),
    ("To", "operationEndDateTime"),
    ("Area", "area"),
    ("Source", "source"),
)
OPERATIONS = (
    Kind("planting-data", "Planting", "Planting", _OPERATED),
    Kind("application-data", "Application", "Applications", _OPERATED),
    Kind("tillage-data", "Tillage", "Tillage", _OPERATED),
    Kind("harvest-data", "Harvest", "Harvests", _OPERATED),
)
ATTACHMENTS = Kind("attachments", "Attachment", "Attachments", (("File", "originalFileName"),))

#: By what paths name them.
KINDS = {
    kind.segment: kind for kind in (FARMS, FIELDS, BOUNDARIES, SEASONAL_FIELDS, *OPERATIONS, ATTACHMENTS)
}


@dataclass(frozen=True, slots=True)
class Page:
    """Some documents of a list."""

    documents: list[dict[str, Any]]
    #: What leads to those that follow, or "".
    token: str
    #: Where the API has the same.
    data: str


class FarmService:
    """The farm service of one instance, with the rights of who is signed in. What it refuses is a RefusedError."""

    def __init__(self, inside: Inside, instance: str) -> None:
        self._inside = inside
        self._base = f"/farm/{quote(instance, safe='')}"

    def address(self, *segments: str, **query: Values) -> str:
        """Where the API has something."""
        return f"{self._path(segments)}?{urlencode({**query, 'api-version': VERSION}, doseq=True)}"

    async def get(self, *segments: str) -> dict[str, Any]:
        """One document."""
        found = await self._inside.call("GET", self._path(segments), query={"api-version": VERSION})
        return found.document

    async def page(
        self, *segments: str, token: str = "", size: int = SIZE, query: Mapping[str, Values] | None = None
    ) -> Page:
        """A page of a list; `token` is what the page before it has."""
        wanted: dict[str, Values] = {**(query or {}), "maxPageSize": str(size)}
        asked = {**wanted, "api-version": VERSION} | ({"skipToken": token} if token else {})
        document = (await self._inside.call("GET", self._path(segments), query=asked)).document
        following = dict(parse_qsl(urlsplit(document.get("nextLink") or "").query))
        return Page(document["value"], following.get("skipToken", ""), self.address(*segments, **wanted))

    async def outlines(self, party: str, boundaries: list[dict[str, Any]]) -> dict[str, Any]:
        """The boundaries with what they enclose, as GeoJSON (RFC 7946); lists don't have that."""
        features = []
        for boundary in boundaries:
            try:
                found = await self.get("parties", party, "boundaries", boundary["id"])
            except RefusedError as error:
                if error.status == 404:
                    continue
                raise
            if found.get("geometry"):
                features.append(
                    {
                        "type": "Feature",
                        "geometry": found["geometry"],
                        "properties": {"id": found["id"], "name": found.get("name") or found["id"]},
                    }
                )
        return {"type": "FeatureCollection", "features": features}

    def _path(self, segments: Sequence[str]) -> str:
        return "/".join((self._base, *(quote(segment, safe="") for segment in segments)))
