"""What is done with one family's documents in one version: HTTP to rule and back, after a request was let in."""

import asyncio
import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import msgspec
from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import Response

from headland.farm.access import Gate, Visit
from headland.farm.answers import (
    document_answer,
    empty_answer,
    page_answer,
    unchanged_answer,
)
from headland.farm.arrival import Arrival
from headland.farm.attachments.files import Files
from headland.farm.catalogue import Family
from headland.farm.catalogue.family import GEOMETRY
from headland.farm.catalogue.searching import Search
from headland.farm.catalogue.shape import Stored, shape_of
from headland.farm.documents import documents, pages, rows
from headland.farm.documents.conditions import Conditions
from headland.farm.documents.documents import Written
from headland.farm.documents.few import page_of_few
from headland.farm.documents.gathering import Gathering
from headland.farm.documents.making import Patch, patch_of
from headland.farm.documents.pages import Listing, Page
from headland.farm.documents.parents import key_below, parent_id
from headland.farm.documents.rows import Key, Row
from headland.farm.documents.schemas import judged
from headland.farm.documents.stamps import Stamp
from headland.farm.documents.tokens import Continuation, opened, sealed
from headland.farm.errors import InvalidInputError, ResourceNotFoundError, UnsupportedMediaTypeError
from headland.farm.geometry import DEFAULT_LIMITS, Geometry, Limits, Placed, checked
from headland.farm.geometry.reading import is_light, shaped, typed
from headland.farm.geometry.seeking import HeavyError, Sought
from headland.farm.isolation.tasks import Measure, Meet, Shape
from headland.farm.isolation.workers import Worker, Workers
from headland.farm.links import Links
from headland.farm.queries import USUAL_PAGE, asked_of, paging_name, paging_of
from headland.farm.searches import SEARCHED_BY, SOUGHT, Searched, search_of
from headland.farm.stores.store import Shown
from headland.farm.versions import Version
from headland.farm.wire import joined
from headland.farm.work.pending import Pending
from headland.http.bodies import MAX_BODY, media_type_of, read_body
from headland.http.headers import header
from headland.http.validation import BodyInvalidError, decode_json

MERGE_PATCH = "application/merge-patch+json"
#: Plain JSON is taken for a patch, too: that is what programs send that use no SDK.
BODY_TYPES = (MERGE_PATCH, "application/json")

#: Bytes of bodies that are decoded at once.
_LONGEST_AT_ONCE = 1 << 16
_MOST_BY_THEMSELVES = 1_000

#: Members of such a body, and lists and objects beside its geometry: each takes time when it is made and given back.
_MOST_PARTS = 25_000

#: Party and further parents of a list, as in `rows.Key`; None where it is not narrowed to them.
Below = tuple[str | None, str | None]


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What operations work with."""

    gate: Gate
    #: Bytes that a body may have.
    max_body: int
    pending: Pending
    files: Files
    clock: Callable[[], float] = time.time
    limits: Limits = DEFAULT_LIMITS
    #: The same of documents with a geometry, where it is more.
    max_geometry_body: int = 0

    def body_limit(self, *, geometry: bool) -> tuple[int, str]:
        """Bytes that a body may have, with or without a geometry, and the setting that says so."""
        if geometry and self.max_geometry_body > self.max_body:
            return self.max_geometry_body, "farm.max_geometry_body"
        return self.max_body, MAX_BODY

    workers: Workers = field(default_factory=Workers)

    async def placed(self, value: object, visit: Visit, where: str = GEOMETRY) -> Placed:
        """A geometry of a body, checked and measured: at once, or where it takes longer, by a worker. `value` is
        decoded, or JSON.

        Raises:
            BodyInvalidError, GeometryTooComplexError, WorkersBusyError: it is none, or can't be looked at.
        """
        if not isinstance(value, msgspec.Raw):
            geometry = value if isinstance(value, Geometry) else typed(value, where)
            if is_light(geometry):
                return checked(geometry, where, self.limits)
            value = msgspec.Raw(msgspec.json.encode(geometry))
        measured = await self.workers.ask(caller_of(visit), Measure(bytes(value), where, self.limits), where)
        placed: Placed = measured.placed()
        return placed


class Handlers:
    """One family's in one version."""

    def __init__(self, family: Family, version: Version, surroundings: Surroundings) -> None:
        self._family = family
        self._version = version
        self._surroundings = surroundings
        self._shape = shape_of(family, version)
        self._links = Links(family, version)
        self._gathering = Gathering(family, version)
        self._kind = family.kind.of(version)
        self._id = family.parameter.of(version)
        self._parents = [(parent, parent.parameter.of(version)) for parent in family.parents]
        #: Whether lists have documents as rows have them.
        added = self._shape.lists_apart or self._links or self._gathering
        self._lists_as_stored = self._shape.as_stored and not added

    async def get(self, request: Request, arrival: Arrival, visit: Visit) -> Response:
        def find(connection: Connection) -> Shown | None:
            row = self._find(connection, request)
            if row is None:
                return None
            return Shown(row.etag, *self._gathered(connection, [self._shown(row.stored, request)]))

        asked = (arrival.base, arrival.path, request.scope["query_string"])
        found = visit.store.read_document(asked, find)
        if found is None:
            raise ResourceNotFoundError(self._kind, request.path_params[self._id])
        conditions = conditions_of(request)
        conditions.check_match(found.etag)
        if conditions.unchanged(found.etag):
            return unchanged_answer(request, found.etag)
        return document_answer(request, found.document, etag=found.etag)

    async def write(self, request: Request, arrival: Arrival, visit: Visit) -> Response:
        conditions = conditions_of(request)
        documents.check_ids(request.path_params)
        media_type, _ = media_type_of(request)
        if media_type not in {"", *BODY_TYPES}:
            raise UnsupportedMediaTypeError(f"'{media_type[:80]}' is not taken; send {MERGE_PATCH}.")
        limit = self._surroundings.body_limit(geometry=self._shape.has_geometry)
        body = _body(await read_body(request, *limit))
        place = None
        if self._shape.has_geometry and body.get(GEOMETRY) is not None:
            place = await self._surroundings.placed(body[GEOMETRY], visit)
        patch = patch_of(self._shape, body, place)
        stamp = self._stamp(visit)

        def put(connection: Connection) -> tuple[Written, bytes]:
            written = self._put(connection, request, patch, stamp, conditions)
            (document,) = self._gathered(connection, [self._shown(written.stored, request)])
            return written, document

        ask = partial(self._surroundings.workers.ask, caller_of(visit))
        written, document = await judged(lambda: visit.store.write(put), ask)
        return self._written(request, arrival, written, document)

    async def delete(self, request: Request, _arrival: Arrival, visit: Visit) -> Response:
        conditions = conditions_of(request)
        if self._family.has_file:
            await self._note(visit)
        await visit.store.write(lambda connection: self._remove(connection, request, conditions))
        if self._family.has_file:
            self._surroundings.pending.wake()
        return empty_answer(request)

    def _find(self, connection: Connection, request: Request) -> Row | None:
        return rows.find(connection, self._family, self._key(request))

    def _put(
        self, connection: Connection, request: Request, patch: Patch, stamp: Stamp, conditions: Conditions
    ) -> Written:
        key = self._key(request)
        return documents.write(connection, self._shape, key, patch, stamp=stamp, conditions=conditions)

    def _gathered(self, connection: Connection, shown: Sequence[bytes]) -> Sequence[bytes]:
        return self._gathering.added(connection, shown) if self._gathering else shown

    def _remove(self, connection: Connection, request: Request, conditions: Conditions) -> None:
        documents.delete(connection, self._shape, self._key(request), conditions)

    async def list(self, request: Request, arrival: Arrival, visit: Visit) -> Response:
        below = self._below(request)

        def page(connection: Connection, sought: Sought | None = None) -> bytes:
            secret = visit.store.secret
            wanted = self._wanted(request, below, secret)
            sought = sought or _sought(wanted)
            found = pages.page(connection, self._listing(wanted, sought))
            return self._told(connection, request, found, self._more(found, request, wanted, secret, sought))

        asked = (arrival.base, arrival.path, request.scope["query_string"])
        try:
            return page_answer(request, visit.store.read_page(asked, page))
        except HeavyError as error:
            sought = error.sought
            return page_answer(request, await self._by_worker(visit, sought, partial(page, sought=sought)))

    async def search(self, search: Search, request: Request, arrival: Arrival, visit: Visit) -> Response:
        """A list by what the body asks for."""
        below = self._below(request)
        body = await read_body(request, self._surroundings.max_body)
        searched = await self._shaped(search_of(body, self._family, self._version, search), visit)
        wanted = self._searched(searched, below, arrival, visit.store.secret)
        # A token has the whole query, so that beside it no geometry is looked at.
        sought = _sought(wanted) if wanted.after else searched.sought
        listing = self._listing(wanted, sought)

        def few(connection: Connection) -> bytes | None:
            found = page_of_few(connection, listing)
            return None if found is None else told(connection, found)

        def page(connection: Connection) -> bytes:
            return told(connection, pages.page(connection, listing))

        def told(connection: Connection, found: Page) -> bytes:
            more = self._more(found, request, wanted, visit.store.secret, sought, linked=search.linked)
            return self._told(connection, request, found, more)

        # Not remembered: of searches by place hardly two are the same. What takes one statement does without a
        # transaction, which would cost as much as the statement.
        try:
            return page_answer(request, visit.store.read(few) or visit.store.read_snapshot(page))
        except HeavyError:
            return page_answer(request, await self._by_worker(visit, sought, page))

    async def _shaped(self, searched: Searched, visit: Visit) -> Searched:
        """The same, of which the geometry is checked."""
        geometry = searched.geometry
        if geometry is None:
            return searched
        if is_light(geometry):
            return searched._replace(sought=Sought(shaped(geometry, SOUGHT, SEARCHED_BY)))
        task = Shape(geometry, SOUGHT, SEARCHED_BY)
        wkb = await self._surroundings.workers.ask(caller_of(visit), task, SOUGHT)
        return searched._replace(sought=Sought.of_wkb(wkb))

    async def _by_worker(
        self, visit: Visit, sought: Sought | None, page: Callable[[Connection], bytes]
    ) -> bytes:
        """What `page` makes in a thread, while a worker tells what is `sought`."""
        if sought is None:
            raise TypeError("what takes long is a geometry")
        async with self._surroundings.workers.one(caller_of(visit)) as worker:
            sought.ask = _asking(worker, sought.wkb)
            return await visit.store.read_in_thread(page)

    def _searched(self, searched: Searched, below: Below, arrival: Arrival, secret: bytes) -> Continuation:
        """What a search's page has: a token goes before all else, in the body or in the query."""
        query = paging_of(arrival.query, self._version)
        size = searched.paging.size or query.size
        token = searched.paging.token or query.token
        if token is not None:
            return self._following(token, below, size, secret)
        party, within = below
        party = searched.party if party is None else party
        narrowed = party != below[0]
        size = size or USUAL_PAGE
        return Continuation(self._family.name, party, within, searched.asked, 0, size, narrowed=narrowed)

    def _listing(self, wanted: Continuation, sought: Sought | None) -> Listing:
        party, within, asked = wanted.party, wanted.within, wanted.asked
        apart = self._shape.lists_apart
        return Listing(self._family, party, asked, wanted.after, wanted.size, within, apart, sought)

    def _more(
        self,
        found: Page,
        request: Request,
        wanted: Continuation,
        secret: bytes,
        sought: Sought | None,
        *,
        linked: bool = True,
    ) -> dict[str, str]:
        """Members by which the next page is asked for, if there is one."""
        if found.end is None:
            return {}
        arrival: Arrival = request.scope["arrival"]
        geometry = None if sought is None else sought.wkb
        token = sealed(msgspec.structs.replace(wanted, after=found.end, geometry=geometry), secret)
        name = paging_name("skipToken", self._version)
        link = {"nextLink": f"{arrival.url}?api-version={self._version}&{name}={token}"} if linked else {}
        return {name: token, **link}

    def _told(self, connection: Connection, request: Request, found: Page, more: dict[str, str]) -> bytes:
        """A page as it is answered."""
        if self._lists_as_stored:
            return joined([each[1] for each in found.rows], more)
        shown = [self._listed(Stored(*each[1:4]), request) for each in found.rows]
        return joined(self._gathered(connection, shown), more)

    def _listed(self, stored: Stored, request: Request) -> bytes:
        """A document as lists have it."""
        return self._linked(self._shape.listed(stored), request)

    def _shown(self, stored: Stored, request: Request) -> bytes:
        """A document as it is answered."""
        return self._linked(self._shape.read(stored), request)

    def _linked(self, document: bytes, request: Request) -> bytes:
        return self._links.added(document, request.scope["arrival"].base) if self._links else document

    def _wanted(self, request: Request, below: Below, secret: bytes) -> Continuation:
        """What the request's page has. A token has the whole query, so that beside it no filter is looked at."""
        query = request.scope["arrival"].query
        paging = paging_of(query, self._version)
        if paging.token is None:
            asked = asked_of(query, self._family, self._version)
            return Continuation(self._family.name, *below, asked, 0, paging.size or USUAL_PAGE)
        return self._following(paging.token, below, paging.size, secret)

    def _following(self, token: str, below: Below, size: int | None, secret: bytes) -> Continuation:
        name = paging_name("skipToken", self._version)
        before = opened(token, secret, name)
        party, within = below
        # A search of all parties may have been narrowed to one by its body.
        same = before.party == party or (party is None and before.narrowed)
        if (before.family, before.within) != (self._family.name, within) or not same:
            raise InvalidInputError("The skip token is of another list.", name)
        return msgspec.structs.replace(before, size=size or before.size)

    def _below(self, request: Request) -> Below:
        """What the documents of a list lie below."""
        if self._parents and self._parents[0][1] not in request.path_params:
            return None, None
        party, _, within = key_below(self._family, self._ids(request), "")
        return party if self._family.of_party else None, within if self._family.below else None

    def _written(self, request: Request, arrival: Arrival, written: Written, document: bytes) -> Response:
        location = arrival.url if written.created else None
        status = 201 if written.created else 200
        return document_answer(request, document, status, etag=written.etag, location=location)

    def _stamp(self, visit: Visit) -> Stamp:
        return Stamp(int(self._surroundings.clock()), visit.principal.object_id)

    async def _note(self, visit: Visit) -> None:
        """Something may be left to be done once the request is answered."""
        await asyncio.to_thread(self._surroundings.pending.note, visit.instance.store_key)

    def _key(self, request: Request) -> Key:
        return key_below(self._family, self._ids(request), request.path_params[self._id])

    def _ids(self, request: Request) -> Sequence[str]:
        """Of the path's parents."""
        return [parent_id(parent, self._version, request.path_params[name]) for parent, name in self._parents]


def _asking(worker: Worker, wkb: bytes) -> Callable[[Sequence[bytes]], list[bool]]:
    def ask(others: Sequence[bytes]) -> list[bool]:
        met: list[bool] = worker.ask(Meet(wkb, list(others)), SOUGHT)
        return met

    return ask


def _sought(wanted: Continuation) -> Sought | None:
    """The geometry that a token has, if it has one."""
    return None if wanted.geometry is None else Sought.of_wkb(wanted.geometry)


def caller_of(visit: Visit) -> Hashable:
    """Whose turn it is at the workers."""
    return visit.principal.object_id


def _body(body: bytes) -> dict[str, Any]:
    """What is decoded of a body. A geometry that takes long stays JSON."""
    if len(body) <= _LONGEST_AT_ONCE:
        return decode_json(body, dict[str, Any])
    if body.count(b'":') > _MOST_PARTS:
        raise BodyInvalidError("", f"the body has more than {_MOST_PARTS} members")
    members = decode_json(body, dict[str, msgspec.Raw])
    geometry = members.get(GEOMETRY)
    # To decode many by themselves would take longer than all of them.
    if geometry is None or len(geometry) <= _LONGEST_AT_ONCE or len(members) > _MOST_BY_THEMSELVES:
        if body.count(b"[") + body.count(b"{") > _MOST_PARTS:
            raise BodyInvalidError("", f"the body has more than {_MOST_PARTS} lists and objects")
        return decode_json(body, dict[str, Any])
    return {
        name: text if name == GEOMETRY else decode_json(bytes(text), object) for name, text in members.items()
    }


def conditions_of(request: Request) -> Conditions:
    """What the request's headers suppose of the document."""
    return Conditions.of(header(request.scope, b"if-match"), header(request.scope, b"if-none-match"))
