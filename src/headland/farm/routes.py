"""The operations of the catalogue: HTTP to rule and back, made from each family's declaration."""

import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from headland.farm.access import Gate, Visit
from headland.farm.answers import document_answer, empty_answer, page_answer
from headland.farm.arrival import Arrival
from headland.farm.catalogue import FAMILIES, PARTIES, Family
from headland.farm.catalogue.shape import Stored, shape_of
from headland.farm.documents import documents, pages, rows
from headland.farm.documents.conditions import Conditions
from headland.farm.documents.rows import Key
from headland.farm.documents.stamps import Stamp
from headland.farm.documents.tokens import Continuation, opened, sealed
from headland.farm.errors import InvalidInputError, ResourceNotFoundError, UnsupportedMediaTypeError
from headland.farm.parameters import API_VERSION, CONDITIONS, READ_CONDITIONS, list_parameters
from headland.farm.queries import USUAL_PAGE, asked_of, paging_name, paging_of
from headland.farm.versions import Version
from headland.farm.wire import list_struct, page
from headland.http.bodies import media_type_of, read_body
from headland.http.operations import Answer, Operation, Parameter
from headland.http.validation import decode_json

MERGE_PATCH = "application/merge-patch+json"
#: Plain JSON is taken for a patch, too: that is what programs send that use no SDK.
_BODY_TYPES = (MERGE_PATCH, "application/json")

_ETAG = {"ETag": "The document's `eTag`, without quotes."}

_Act = Callable[[Request, Arrival, Visit], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What operations work with."""

    gate: Gate
    #: Bytes that a body may have.
    max_body: int
    clock: Callable[[], float] = time.time


def catalogue_operations(version: Version, surroundings: Surroundings) -> list[Operation]:
    """Every operation of a version on the catalogue's families, by paths below an instance's address."""
    return [
        operation
        for family in FAMILIES
        if version in family.versions
        for operation in _Operations(family, version, surroundings).declared()
    ]


class _Operations:
    """One family's operations in one version."""

    def __init__(self, family: Family, version: Version, surroundings: Surroundings) -> None:
        self._family = family
        self._version = version
        self._surroundings = surroundings
        self._shape = shape_of(family, version)
        self._kind = family.kind.of(version)
        self._id = family.parameter.of(version)
        self._party = PARTIES.parameter.of(version)

    def declared(self) -> Iterator[Operation]:
        family, version, kind, struct = self._family, self._version, self._kind, self._shape.struct
        all_of_them = f"/{family.segment.of(version)}"
        listed = {200: Answer("A page.", list_struct(f"{kind}ListResponse", struct))}
        parameters = list_parameters(family, version)
        yield self._operation(
            "list", "GET", all_of_them, "list/action", self._list, f"List {kind} resources", listed, parameters
        )
        parent = all_of_them
        if family.of_party:
            parent = f"/{PARTIES.segment.of(version)}/{{{self._party}}}{all_of_them}"
            summary = f"List {kind} resources of one party"
            yield self._operation(
                "list_party", "GET", parent, "list/action", self._list, summary, listed, parameters
            )
        one = f"{parent}/{{{self._id}}}"
        read = {200: Answer("The document.", struct, _ETAG), 304: Answer("It is as the caller knows it.")}
        yield self._operation(
            "get", "GET", one, "read", self._get, f"Get a {kind} resource", read, READ_CONDITIONS
        )
        location = {"Location": "Where the document is read."}
        written = {
            200: Answer("It was there, and is updated.", struct, _ETAG),
            201: Answer("It was not there, and is created.", struct, _ETAG | location),
        }
        summary = f"Create a {kind} resource, or merge a patch into it"
        yield self._operation(
            "write", "PATCH", one, "write", self._write, summary, written, CONDITIONS, body=struct
        )
        yield self._operation(
            "delete",
            "DELETE",
            one,
            "delete",
            self._delete,
            f"Delete a {kind} resource to which no other is linked",
            {204: Answer("It is not there any more.")},
            CONDITIONS,
        )

    def _operation(
        self,
        verb: str,
        method: str,
        path: str,
        right: str,
        act: _Act,
        summary: str,
        answers: Mapping[int, Answer],
        parameters: Sequence[Parameter],
        body: Any = None,
    ) -> Operation:
        action = self._family.action(right)
        enter = self._surroundings.gate.enter

        async def handle(request: Request) -> Response:
            arrival: Arrival = request.scope["arrival"]
            return await act(request, arrival, await enter(request, arrival.instance, action))

        # The description of the API calls it by this.
        handle.__name__ = f"{verb}_{self._family.name}"
        return Operation(
            method,
            path,
            handle,
            summary,
            answers,
            body=body,
            media_types=_BODY_TYPES,
            parameters=(API_VERSION, *parameters),
            action=action,
        )

    async def _get(self, request: Request, _arrival: Arrival, visit: Visit) -> Response:
        key = self._key(request)
        found = visit.store.read(lambda connection: rows.find(connection, self._family, key))
        if found is None:
            raise ResourceNotFoundError(self._kind, key.id)
        conditions = _conditions(request)
        conditions.check_match(found.etag)
        if conditions.unchanged(found.etag):
            return empty_answer(request, 304, etag=found.etag)
        return document_answer(request, self._shape.read(found.stored), etag=found.etag)

    async def _write(self, request: Request, arrival: Arrival, visit: Visit) -> Response:
        key, conditions = self._key(request), _conditions(request)
        if key.party:
            documents.check_id(self._party, key.party)
        documents.check_id(self._id, key.id)
        media_type, _ = media_type_of(request)
        if media_type not in {"", *_BODY_TYPES}:
            raise UnsupportedMediaTypeError(f"'{media_type[:80]}' is not taken; send {MERGE_PATCH}.")
        patch = decode_json(await read_body(request, self._surroundings.max_body), dict[str, Any])
        stamp = Stamp(int(self._surroundings.clock()), visit.principal.object_id)
        written = await visit.store.write(
            lambda connection: documents.write(
                connection, self._family, self._version, key, patch, stamp, conditions
            )
        )
        location = arrival.url if written.created else None
        status = 201 if written.created else 200
        return document_answer(request, written.document, status, etag=written.etag, location=location)

    async def _delete(self, request: Request, _arrival: Arrival, visit: Visit) -> Response:
        key, conditions = self._key(request), _conditions(request)
        await visit.store.write(
            lambda connection: documents.delete(connection, self._family, self._version, key, conditions)
        )
        return empty_answer(request, 204)

    async def _list(self, request: Request, arrival: Arrival, visit: Visit) -> Response:
        wanted = self._wanted(request.path_params.get(self._party), arrival, visit)
        found = visit.store.read(
            lambda connection: pages.page(
                connection, self._family, wanted.party, wanted.asked, wanted.after, wanted.size + 1
            )
        )
        token = link = None
        if len(found) > wanted.size:
            found.pop()
            following = Continuation(wanted.family, wanted.party, wanted.asked, found[-1].seq, wanted.size)
            token = sealed(following, visit.store.secret)
            link = f"{arrival.url}?api-version={self._version}&{paging_name('skipToken', self._version)}={token}"
        read = self._shape.read
        return page_answer(request, page([read(Stored(row.document, row.rest)) for row in found], token, link))

    def _wanted(self, party: str | None, arrival: Arrival, visit: Visit) -> Continuation:
        """What the request's page has. A token has the whole query, so that beside it no filter is looked at."""
        paging = paging_of(arrival.query, self._version)
        if paging.token is None:
            asked = asked_of(arrival.query, self._family, self._version)
            return Continuation(self._family.name, party, asked, 0, paging.size or USUAL_PAGE)
        before = opened(paging.token, visit.store.secret)
        if (before.family, before.party) != (self._family.name, party):
            raise InvalidInputError("The skip token is of another list.", "skipToken")
        return Continuation(
            before.family, before.party, before.asked, before.after, paging.size or before.size
        )

    def _key(self, request: Request) -> Key:
        party = request.path_params[self._party] if self._family.of_party else rows.NO_PARTY
        return Key(party, request.path_params[self._id])


def _conditions(request: Request) -> Conditions:
    return Conditions.of(request.headers.get("if-match"), request.headers.get("if-none-match"))
