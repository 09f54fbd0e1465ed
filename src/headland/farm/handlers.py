"""What is done with one family's documents in one version: HTTP to rule and back, after a request was let in."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import Response

from headland.farm.access import Gate, Visit
from headland.farm.answers import (
    deleted_answer,
    document_answer,
    page_answer,
    unchanged_answer,
)
from headland.farm.arrival import Arrival
from headland.farm.catalogue import PARTIES, Family
from headland.farm.catalogue.shape import Stored, shape_of
from headland.farm.documents import documents, pages, rows
from headland.farm.documents.conditions import Conditions
from headland.farm.documents.rows import Key
from headland.farm.documents.stamps import Stamp
from headland.farm.documents.tokens import Continuation, opened, sealed
from headland.farm.errors import InvalidInputError, ResourceNotFoundError, UnsupportedMediaTypeError
from headland.farm.queries import USUAL_PAGE, asked_of, paging_name, paging_of
from headland.farm.versions import Version
from headland.farm.wire import joined
from headland.http.bodies import media_type_of, read_body
from headland.http.headers import header
from headland.http.validation import decode_json

MERGE_PATCH = "application/merge-patch+json"
#: Plain JSON is taken for a patch, too: that is what programs send that use no SDK.
BODY_TYPES = (MERGE_PATCH, "application/json")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What operations work with."""

    gate: Gate
    #: Bytes that a body may have.
    max_body: int
    clock: Callable[[], float] = time.time


class Handlers:
    """One family's in one version."""

    def __init__(self, family: Family, version: Version, surroundings: Surroundings) -> None:
        self._family = family
        self._version = version
        self._surroundings = surroundings
        self._shape = shape_of(family, version)
        self._kind = family.kind.of(version)
        self._id = family.parameter.of(version)
        self._party = PARTIES.parameter.of(version)

    async def get(self, request: Request, _arrival: Arrival, visit: Visit) -> Response:
        key = self._key(request)
        found = visit.store.read(lambda connection: rows.find(connection, self._family, key))
        if found is None:
            raise ResourceNotFoundError(self._kind, key.id)
        conditions = _conditions(request)
        conditions.check_match(found.etag)
        if conditions.unchanged(found.etag):
            return unchanged_answer(request, found.etag)
        return document_answer(request, self._shape.read(found.stored), etag=found.etag)

    async def write(self, request: Request, arrival: Arrival, visit: Visit) -> Response:
        key, conditions = self._key(request), _conditions(request)
        if key.party:
            documents.check_id(self._party, key.party)
        documents.check_id(self._id, key.id)
        media_type, _ = media_type_of(request)
        if media_type not in {"", *BODY_TYPES}:
            raise UnsupportedMediaTypeError(f"'{media_type[:80]}' is not taken; send {MERGE_PATCH}.")
        patch = decode_json(await read_body(request, self._surroundings.max_body), dict[str, Any])
        stamp = Stamp(int(self._surroundings.clock()), visit.principal.object_id)
        written = await visit.store.write(
            lambda connection: documents.write(
                connection, self._shape, key, patch, stamp=stamp, conditions=conditions
            )
        )
        location = arrival.url if written.created else None
        status = 201 if written.created else 200
        return document_answer(request, written.document, status, etag=written.etag, location=location)

    async def delete(self, request: Request, _arrival: Arrival, visit: Visit) -> Response:
        key, conditions = self._key(request), _conditions(request)
        await visit.store.write(lambda connection: documents.delete(connection, self._shape, key, conditions))
        return deleted_answer(request)

    async def list(self, request: Request, arrival: Arrival, visit: Visit) -> Response:
        def page(connection: Connection) -> bytes:
            return self._page(connection, request.path_params.get(self._party), arrival, visit.store.secret)

        asked = (arrival.base, arrival.path, request.scope["query_string"])
        return page_answer(request, visit.store.read_page(asked, page))

    def _page(self, connection: Connection, party: str | None, arrival: Arrival, secret: bytes) -> bytes:
        wanted = self._wanted(party, arrival, secret)
        found = pages.page(
            connection, self._family, wanted.party, wanted.asked, after=wanted.after, size=wanted.size
        )
        token = link = None
        if found.end is not None:
            following = Continuation(wanted.family, wanted.party, wanted.asked, found.end, wanted.size)
            token = sealed(following, secret)
            name = paging_name("skipToken", self._version)
            link = f"{arrival.url}?api-version={self._version}&{name}={token}"
        if self._shape.as_stored:
            return joined([document for _, document, _ in found.rows], token, link)
        read = self._shape.read
        return joined([read(Stored(document, rest)) for _, document, rest in found.rows], token, link)

    def _wanted(self, party: str | None, arrival: Arrival, secret: bytes) -> Continuation:
        """What the request's page has. A token has the whole query, so that beside it no filter is looked at."""
        paging = paging_of(arrival.query, self._version)
        if paging.token is None:
            asked = asked_of(arrival.query, self._family, self._version)
            return Continuation(self._family.name, party, asked, 0, paging.size or USUAL_PAGE)
        before = opened(paging.token, secret)
        if (before.family, before.party) != (self._family.name, party):
            raise InvalidInputError("The skip token is of another list.", "skipToken")
        return Continuation(
            before.family, before.party, before.asked, before.after, paging.size or before.size
        )

    def _key(self, request: Request) -> Key:
        party = request.path_params[self._party] if self._family.of_party else rows.NO_PARTY
        return Key(party, request.path_params[self._id])


def _conditions(request: Request) -> Conditions:
    return Conditions.of(header(request.scope, b"if-match"), header(request.scope, b"if-none-match"))
