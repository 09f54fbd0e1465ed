"""The farm service, ready to be mounted: its declaration, and the application that answers by it."""

import time
from collections.abc import Callable, Hashable

from headland.farm.access import Gate
from headland.farm.application import FarmApplication, operations_of
from headland.farm.arrival import Addresses
from headland.farm.attachments.files import Files
from headland.farm.documents.documents import Id
from headland.farm.geometry import DEFAULT_LIMITS, Limits
from headland.farm.handlers import Surroundings
from headland.farm.instances import Instances
from headland.farm.stores import Stores
from headland.farm.throttling import Throttle
from headland.farm.versions import Version
from headland.farm.wire import ErrorResponse
from headland.farm.work.pending import Pending
from headland.http.openapi import Api
from headland.http.operations import Answer, Operation
from headland.security import Authorizer, Guard

_CODE = {"x-ms-error-code": "The error's code."}
ERRORS = {
    400: Answer("The request is wrong; `target` says which field.", ErrorResponse, _CODE),
    401: Answer(
        "No token, or one that is not good.", ErrorResponse, {"WWW-Authenticate": "RFC 6750"} | _CODE
    ),
    403: Answer("No role of the caller's on the instance allows it.", ErrorResponse, _CODE),
    404: Answer("No such instance, resource or path.", ErrorResponse, _CODE),
    409: Answer("Others are linked to the resource, or the instance can't be used.", ErrorResponse, _CODE),
    412: Answer("The resource does not have the eTag that the caller supposed.", ErrorResponse, _CODE),
    413: Answer("The body is too large.", ErrorResponse, _CODE),
    415: Answer("The body, or the file in it, is of a type that is not taken.", ErrorResponse, _CODE),
    429: Answer(
        "The instance's requests have used too much of late.",
        ErrorResponse,
        {"Retry-After": "Seconds to wait.", **_CODE},
    ),
    503: Answer("The instance is not there yet, or its store can't be reached now.", ErrorResponse, _CODE),
}


def farm_api(operations: list[Operation], prefix: str) -> Api:
    """The declaration of one version, for the API reference. `prefix` leads to the instance."""
    return Api(
        "farm",
        "An instance's farm records, as Azure Data Manager for Agriculture serves them.",
        prefix,
        operations,
        ERRORS,
        Id,
    )


def farm_operations(
    *,
    guard: Guard,
    authorizer: Authorizer,
    instances: Instances,
    stores: Stores,
    pending: Pending,
    files: Files,
    max_body: int,
    version: Version = Version.C,
) -> list[Operation]:
    """The operations of one version. Each has the data action that it needs."""
    gate = Gate(guard, authorizer, instances, stores)
    return operations_of(version, Surroundings(gate, max_body, pending, files))


def farm_app(
    *,
    guard: Guard,
    authorizer: Authorizer,
    instances: Instances,
    stores: Stores,
    pending: Pending,
    files: Files,
    addresses: Addresses,
    max_body: int,
    version: Callable[[], Hashable] | None = None,
    throttle: Throttle | None = None,
    clock: Callable[[], float] = time.time,
    limits: Limits = DEFAULT_LIMITS,
) -> FarmApplication:
    """The application, for all versions of the protocol that are served. `version` as `Gate` has it."""
    gate = Gate(guard, authorizer, instances, stores, version=version, throttle=throttle)
    surroundings = Surroundings(gate, max_body, pending, files, clock, limits)
    return FarmApplication(surroundings, addresses)
