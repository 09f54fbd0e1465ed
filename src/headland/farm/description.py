"""What the farm service says of itself: the declaration of a version, and the document that an instance publishes."""

from collections.abc import Sequence
from functools import cache

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from headland.farm.answers import page_answer
from headland.farm.documents.documents import Id
from headland.farm.parameters import api_version
from headland.farm.versions import Version
from headland.farm.wire import ErrorResponse
from headland.http.openapi import Api, openapi
from headland.http.operations import Answer, Operation

_CODE = {"x-ms-error-code": "The error's code."}
ERRORS = {
    400: Answer("The request is wrong; `target` says which field.", ErrorResponse, _CODE),
    401: Answer(
        "No token, or one that is not good.", ErrorResponse, {"WWW-Authenticate": "RFC 6750"} | _CODE
    ),
    403: Answer("No role of the caller's on the instance allows it.", ErrorResponse, _CODE),
    404: Answer("No such instance, resource or path.", ErrorResponse, _CODE),
    409: Answer(
        "Others are linked to it, a job deletes it, or the instance can't be used.", ErrorResponse, _CODE
    ),
    412: Answer("The resource does not have the eTag that the caller supposed.", ErrorResponse, _CODE),
    408: Answer("The body does not come.", ErrorResponse, _CODE),
    413: Answer("The body is too large.", ErrorResponse, _CODE),
    415: Answer("The body, or the file in it, is of a type that is not taken.", ErrorResponse, _CODE),
    429: Answer(
        "The instance's requests have used too much of late.",
        ErrorResponse,
        {"Retry-After": "Seconds to wait.", **_CODE},
    ),
    503: Answer("The instance is not there yet, or its store can't be reached now.", ErrorResponse, _CODE),
}


def farm_api(operations: Sequence[Operation], prefix: str) -> Api:
    """The declaration of one version, for the API reference. `prefix` leads to the instance."""
    return Api(
        "farm",
        "An instance's farm records, as Azure Data Manager for Agriculture serves them.",
        prefix,
        operations,
        ERRORS,
        Id,
    )


def description_operation(version: Version, others: Sequence[Operation]) -> Operation:
    """`openapi.json` of one version, below an instance's address, with this operation and all others of it."""

    @cache
    def document() -> bytes:
        return msgspec.json.encode(openapi("Headland farm service", version, [farm_api([*others, own], "")]))

    async def get_description(request: Request) -> Response:
        # The address is the one that was asked at.
        servers = msgspec.json.encode([{"url": request.scope["arrival"].base}])
        return page_answer(request, b'{"servers":%b,%b' % (servers, document()[1:]))

    own = Operation(
        "GET",
        "/openapi.json",
        get_description,
        "This API, in one version",
        {200: Answer("OpenAPI 3.1.", dict)},
        parameters=(api_version(version),),
        guarded=False,
        addition=True,
    )
    return own
