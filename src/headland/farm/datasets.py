"""Who was given access to a dataset: granted, removed and listed by operations of their own."""

import hashlib
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct
from starlette.requests import Request
from starlette.responses import Response

from headland.farm.access import Visit
from headland.farm.answers import document_answer, empty_answer
from headland.farm.arrival import Arrival
from headland.farm.catalogue import Family
from headland.farm.catalogue.datasets import DATASET_ACCESSES
from headland.farm.catalogue.members import Moment
from headland.farm.catalogue.shape import Stored
from headland.farm.documents import documents
from headland.farm.documents.conditions import NONE
from headland.farm.documents.making import Patch
from headland.farm.documents.parents import key_below
from headland.farm.errors import InvalidInputError
from headland.farm.guarded import guarded
from headland.farm.handlers import Handlers, Surroundings
from headland.farm.parameters import api_version, list_parameters
from headland.farm.paths import list_path
from headland.farm.queries import paging_name
from headland.farm.versions import Version
from headland.farm.wire import list_struct
from headland.http.bodies import read_body
from headland.http.operations import Answer, Operation
from headland.http.validation import decode_json


class DatasetAccess(Struct, rename="camel", omit_defaults=True):
    """Who may read a dataset, and since when. Clients write the first two."""

    subscription_id: Annotated[str, Meta(min_length=2, max_length=100)] | None = None
    resource_id: Annotated[str, Meta(min_length=2, max_length=200)] | None = None
    created_date_time: Moment | None = None
    modified_date_time: Moment | None = None
    created_by: str | None = None
    modified_by: str | None = None


_WRITTEN = ("subscriptionId", "resourceId")
_NAMES = frozenset(field.encode_name for field in msgspec.structs.fields(DatasetAccess))


def dataset_operations(version: Version, surroundings: Surroundings) -> Iterator[Operation]:
    """The operations of a version, by paths below an instance's address."""
    family = DATASET_ACCESSES
    if version not in family.versions:
        return
    handlers = _AccessHandlers(family, version, surroundings)
    path = list_path(family, version)
    listed, write, delete = map(family.action, ("list/action", "write", "delete"))
    page = list_struct(
        "DatasetAccessListResponse", DatasetAccess, (paging_name("skipToken", version), "nextLink")
    )
    yield Operation(
        "GET",
        path,
        guarded("list_dataset_access", listed, handlers.list, surroundings.gate),
        "List who was given access to a dataset",
        {200: Answer("A page.", page)},
        parameters=(api_version(version), *list_parameters(family, version)),
        action=listed,
    )
    yield Operation(
        "POST",
        f"{path}:grant",
        guarded("grant_dataset_access", write, handlers.grant, surroundings.gate),
        "Give a subscription or resource access to a dataset",
        {200: Answer("It has access.", DatasetAccess)},
        body=DatasetAccess,
        parameters=(api_version(version),),
        action=write,
    )
    yield Operation(
        "POST",
        f"{path}:remove",
        guarded("remove_dataset_access", delete, handlers.remove, surroundings.gate),
        "Take access to a dataset away",
        {204: Answer("It has none any more.")},
        body=DatasetAccess,
        parameters=(api_version(version),),
        action=delete,
    )


class _AccessHandlers(Handlers):
    def __init__(self, family: Family, version: Version, surroundings: Surroundings) -> None:
        super().__init__(family, version, surroundings)
        self._lists_as_stored = False

    async def grant(self, request: Request, _arrival: Arrival, visit: Visit) -> Response:
        documents.check_ids(request.path_params)
        given = await self._given(request)
        key = key_below(self._family, self._ids(request), _id_of(given))
        stamp = self._stamp(visit)
        written = await visit.store.write(
            lambda connection: documents.write(
                connection, self._shape, key, Patch(given), stamp=stamp, conditions=NONE
            )
        )
        return document_answer(request, self._shown(written.stored, request), etag=written.etag)

    async def remove(self, request: Request, _arrival: Arrival, visit: Visit) -> Response:
        given = await self._given(request)
        key = key_below(self._family, self._ids(request), _id_of(given))
        await visit.store.write(lambda connection: documents.delete(connection, self._shape, key, NONE))
        return empty_answer(request)

    async def _given(self, request: Request) -> Mapping[str, Any]:
        body = decode_json(await read_body(request, self._surroundings.max_body), dict[str, Any])
        given = {name: body[name] for name in _WRITTEN if body.get(name) is not None}
        if not given:
            raise InvalidInputError(f"One of {', '.join(_WRITTEN)} must be given.", _WRITTEN[0])
        self._shape.checked(given)
        return given

    def _listed(self, stored: Stored, request: Request) -> bytes:
        return self._shown(stored, request)

    def _shown(self, stored: Stored, _request: Request) -> bytes:
        wire = self._shape.opened(stored)
        return msgspec.json.encode({name: value for name, value in wire.items() if name in _NAMES})


def _id_of(given: Mapping[str, Any]) -> str:
    """The same for the same."""
    text = "\0".join(str(given.get(name, "")) for name in _WRITTEN)
    return hashlib.sha256(text.encode()).hexdigest()[:32]
