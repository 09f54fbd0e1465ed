"""An instance's farm data as the pages ask it: by the farm service's own API."""

import secrets
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

import msgspec

from headland.http.forms import MULTIPART
from headland.portal.farm_kinds import ATTACHMENTS, BOUNDARIES
from headland.portal.inside import Answered, Followed, Inside

#: The newest version in which boundaries have outlines.
VERSION = "2023-06-01-preview"
#: The newest of all, in which operations name the field or season that they belong to, and no boundary.
NEWEST = "2023-11-01-preview"

#: Documents on a page.
SIZE = 50

#: Ids that are asked for at once.
_AT_ONCE = 1000

#: Empty pages of a list in a row.
_MOST_ASKED = 20

#: What actions on an instance's data begin with.
_PROVIDED = "Microsoft.AgFoodPlatform/farmBeats"

#: Of a parameter in a query: it may come more than once.
Values = str | Sequence[str]


_decode_lines = msgspec.json.Decoder(dict[str, Any]).decode_lines


@dataclass(frozen=True, slots=True)
class Page:
    """Some documents of a list."""

    documents: list[dict[str, Any]]
    #: What leads to those that follow, or "".
    token: str
    #: Where the API has the same.
    data: str


@dataclass(frozen=True, slots=True)
class Rights:
    """What somebody may do with an instance."""

    #: As roles name them.
    actions: frozenset[str]

    def allow(self, verb: str, segment: str) -> bool:
        """Whether documents of a family may be `read`, written (`write`) or deleted (`delete`)."""
        first, *words = segment.split("-")
        family = f"{first}{''.join(map(str.title, words))}"
        return f"{_PROVIDED}/{family}/{verb}" in self.actions


@dataclass(frozen=True, slots=True)
class Account:
    """What has become of records that were brought in."""

    created: int
    updated: int
    #: Those that were not taken, as the API tells of them.
    refused: list[dict[str, Any]]
    #: Why it could not go on, or "".
    stopped: str


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

    async def write(self, *segments: str, body: Mapping[str, Any], known: str = "") -> None:
        """Make a document that is not there, or change the one that is `known` by its eTag and still so."""
        condition = {"if-match": known} if known else {"if-none-match": "*"}
        await self._inside.call(
            "PATCH",
            self._path(segments),
            query={"api-version": VERSION},
            body=body,
            headers={"content-type": "application/merge-patch+json", **condition},
        )

    async def attach(self, party: str, id_: str, members: Mapping[str, str], content: bytes) -> None:
        """Make an attachment of a file."""
        boundary = secrets.token_hex(16)
        await self._inside.call(
            "PATCH",
            self._path(("parties", party, ATTACHMENTS.segment, id_)),
            query={"api-version": VERSION},
            body=_form_of(boundary, members, content),
            headers={"content-type": f"{MULTIPART}; boundary={boundary}", "if-none-match": "*"},
        )

    def file(self, party: str, id_: str) -> AbstractAsyncContextManager[Followed]:
        """The file of an attachment, as it comes."""
        path = self._path(("parties", party, ATTACHMENTS.segment, id_, "file"))
        return self._inside.follow(path, query={"api-version": VERSION})

    async def delete(self, *segments: str) -> None:
        """Remove a document to which no other is linked."""
        await self._inside.call("DELETE", self._path(segments), query={"api-version": VERSION})

    async def rights(self) -> "Rights":
        """What who is signed in may do here."""
        query = {"api-version": VERSION}
        found = (await self._inside.call("GET", self._path(("rights",)), query=query)).document
        return Rights(frozenset(found["actions"]))

    async def bring(self, lines: bytes, *, merging: bool) -> "Account":
        """Bring in records; those that are there already are merged into, or else refused."""
        found = await self._inside.call(
            "POST",
            self._path(("bulk",)),
            query={"api-version": VERSION, "mode": "merge" if merging else "create"},
            body=lines,
            headers={"content-type": "application/x-ndjson"},
        )
        *told, last = _decode_lines(found.body)
        return Account(
            last["created"],
            last["updated"],
            [event for event in told if event["event"] == "refused"],
            (last.get("error") or {}).get("message", ""),
        )

    async def known_boundaries(self, party: str, ids: Sequence[str]) -> set[str]:
        """Those of the ids that boundaries of the party have."""
        known = set[str]()
        for start in range(0, len(ids), _AT_ONCE):
            query = {"ids": ids[start : start + _AT_ONCE]}
            found = await self.page("parties", party, BOUNDARIES.segment, size=_AT_ONCE, query=query)
            known.update(document["id"] for document in found.documents)
        return known

    async def page(
        self, *segments: str, token: str = "", size: int = SIZE, query: Mapping[str, Values] | None = None
    ) -> Page:
        """A page of a list; `token` is what the page before it has."""
        wanted: dict[str, Values] = {**(query or {}), "maxPageSize": str(size)}
        asked = {**wanted, "api-version": VERSION} | ({"skipToken": token} if token else {})
        document = (await self._inside.call("GET", self._path(segments), query=asked)).document
        following = dict(parse_qsl(urlsplit(document.get("nextLink") or "").query))
        return Page(document["value"], following.get("skipToken", ""), self.address(*segments, **wanted))

    async def named(self, *segments: str, part: str, token: str = "") -> Page:
        """A page of those whose name has the part. The service looks at some thousands for one answer, and has none
        to show where they are all called otherwise: it is asked on.
        """
        for _ in range(_MOST_ASKED):
            found = await self.page(*segments, token=token, query={"nameContains": part})
            token = found.token
            if found.documents or not token:
                break
        return found

    async def whole(self, *segments: str, query: Mapping[str, Values], most: int) -> Page:
        """A list from its beginning on, in one; it has a token where there is more than `most`."""
        first = await self.page(*segments, size=_AT_ONCE, query=query)
        documents, token = [*first.documents], first.token
        while token and len(documents) < most:
            following = await self.page(*segments, token=token, size=_AT_ONCE, query=query)
            documents += following.documents
            token = following.token
        return Page(documents, token, first.data)

    async def search(
        self, party: str, segment: str, wanted: Mapping[str, Values], most: int
    ) -> tuple[list[dict[str, Any]], str]:
        """Documents of a party's as the newest version searches for them, and a token where there are more than
        `most`.
        """
        documents: list[dict[str, Any]] = []
        query = {"api-version": NEWEST, "maxPageSize": str(_AT_ONCE)}
        while True:
            found = await self._inside.call(
                "POST",
                self._path((f"{segment}:search",)).replace("%3A", ":"),
                query=query,
                body={"partyId": party, **wanted},
            )
            documents += found.document["value"]
            token = found.document.get("skipToken") or ""
            if not token or len(documents) >= most:
                return documents, token
            query["skipToken"] = token

    async def tiles(self, query: Mapping[str, str]) -> dict[str, Any]:
        """What the service says of its tiles, as TileJSON; `query` narrows them."""
        asked = {**query, "api-version": VERSION}
        found = await self._inside.call("GET", self._path(("tiles", BOUNDARIES.segment)), query=asked)
        return found.document

    async def tile(self, square: Sequence[str], query: Mapping[str, str], known: str | None) -> Answered:
        """A tile by zoom, column and row; or 304 where it is still the `known` one."""
        path = self._path(("tiles", BOUNDARIES.segment, *square))
        headers = {} if known is None else {"if-none-match": known}
        return await self._inside.call("GET", path, query={**query, "api-version": VERSION}, headers=headers)

    def _path(self, segments: Sequence[str]) -> str:
        return "/".join((self._base, *(quote(segment, safe="") for segment in segments)))


def _form_of(boundary: str, members: Mapping[str, str], content: bytes) -> bytes:
    """A form with a file (RFC 7578). What people have written stands in bodies of parts alone, never in their heads."""
    parts = [
        *((f'name="{name}"', text.encode()) for name, text in members.items()),
        ('name="file"; filename="file"', content),
    ]
    head = "--{}\r\ncontent-disposition: form-data; {}\r\n\r\n"
    body = b"".join(head.format(boundary, said).encode() + part + b"\r\n" for said, part in parts)
    return body + f"--{boundary}--\r\n".encode()
