"""How the routes declare operations: paths, and parameters that several have."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from headland.control import wire
from headland.control.provider import FARM_BEATS, NAMESPACE
from headland.http.operations import Answer, Handler, Operation, Parameter

SUBSCRIPTION: Final = "/subscriptions/{subscriptionId}"
GROUPS: Final = f"{SUBSCRIPTION}/resourceGroups"
GROUP: Final = f"{GROUPS}/{{resourceGroupName}}"
INSTANCES: Final = f"{GROUP}/providers/{FARM_BEATS}"
INSTANCE: Final = f"{INSTANCES}/{{farmBeatsResourceName}}"
#: Of a subscription, and of the deployment.
PROVIDED: Final = f"{SUBSCRIPTION}/providers/{NAMESPACE}"
OFFERED: Final = f"/providers/{NAMESPACE}"
ROLES: Final = "/{scope:path}/providers/Microsoft.Authorization"

VERSION: Final = Parameter(
    "api-version", str, "Which generation of the protocol is spoken: a date.", required=True
)
FILTER: Final = Parameter("$filter", str, "OData's comparisons, as far as Azure Resource Manager takes them.")
TOP: Final = Parameter("$top", int, "Most items of a page.")
SIZE: Final = Parameter("$maxPageSize", int, "Most items of a page: 10 to 1000, 50 unless said.")
TOKEN: Final = Parameter("$skipToken", str, "Where a page begins: what `nextLink` has.")
EXPAND: Final = Parameter(
    "$expand", str, "Members to add: `createdTime`, `changedTime`, `provisioningState`."
)

BAD: Final = {400: Answer("Something in the request is not as it must be.", wire.ErrorAnswer)}
MISSING: Final = {404: Answer("It, or what it is in, is not there.", wire.ErrorAnswer)}
CONFLICT: Final = {409: Answer("As things stand, it can't be done.", wire.ErrorAnswer)}
GONE: Final = {204: Answer("There was none.")}


def named(handler: Handler, name: str) -> Handler:
    """A handler that several operations share, under the name by which one of them is known."""

    async def answer(request: Request) -> Response:
        return await handler(request)

    answer.__name__ = re.sub("(?<=[a-z])(?=[A-Z])", "_", name).lower()
    return answer


def operation(
    method: str,
    path: str,
    handler: Handler,
    summary: str,
    answers: Mapping[int, Answer],
    *,
    action: str | None,
    body: Any = None,
    parameters: Sequence[Parameter] = (),
    addition: bool = False,
) -> Operation:
    """An operation of the resource manager's."""
    return Operation(
        method,
        path,
        handler,
        summary,
        {**BAD, **answers},
        body=body,
        parameters=(VERSION, *parameters),
        action=action,
        addition=addition,
    )


def reads(
    path: str,
    handler: Handler,
    summary: str,
    body: Any,
    *,
    action: str | None,
    parameters: Sequence[Parameter] = (),
    filtered: bool = False,
) -> Operation:
    """An operation that reads, and answers 200 or that there is nothing."""
    answers = {200: Answer("What was asked for.", body), **MISSING}
    made = operation("GET", path, handler, summary, answers, action=action, parameters=parameters)
    return replace(made, filtered=filtered)
