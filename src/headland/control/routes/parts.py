"""What is below an instance or offered beside it: what became of it, and lists of what instances have none of.

Extensions, solutions, data connectors and private endpoints are lists in form, with nothing in them; asking for
one finds none, and making one is refused.
"""

from starlette.requests import Request
from starlette.responses import Response

from headland.control import instances, wire
from headland.control.declaring import (
    GONE,
    INSTANCE,
    MISSING,
    OFFERED,
    SUBSCRIPTION,
    named,
    operation,
    reads,
)
from headland.control.errors import (
    NotFoundError,
    NotSupportedError,
    PrivateEndpointConnectionNotFoundError,
    ResourceNotFoundError,
)
from headland.control.names import key_of
from headland.control.operation_names import described
from headland.control.provider import FARM_BEATS, NAMESPACE
from headland.control.records import Instance
from headland.control.routes.instances import PROVISIONING
from headland.control.rows import instances as rows
from headland.control.service import path, service_of, subscription_of
from headland.http.answers import json_answer
from headland.http.operations import Answer, Operation

#: By type: what its one is called in a path.
_PARTS = {
    "extensions": "extensionId",
    "solutions": "solutionId",
    "dataConnectors": "dataConnectorName",
    "privateEndpointConnections": "privateEndpointConnectionName",
    "privateLinkResources": "subResourceName",
}
_DEFINITIONS = {
    "farmBeatsExtensionDefinitions": "farmBeatsExtensionId",
    "farmBeatsSolutionDefinitions": "farmBeatsSolutionId",
}


async def read_operation_result(request: Request) -> Response:
    item = _instance(request)
    return _result(request, item if _names(request, item) else None)


async def read_operation_result_by_location(request: Request) -> Response:
    id_ = subscription_of(request)
    key = key_of(path(request, "operationResultsId").removeprefix(PROVISIONING))
    item = service_of(request).read(lambda connection: rows.find(connection, key))
    place = path(request, "location").replace(" ", "").lower()
    own = item is not None and (item.subscription_id, item.location) == (id_, place) and _names(request, item)
    return _result(request, item if own else None)


async def list_none(request: Request) -> Response:
    _instance(request)
    return json_answer(wire.EmptyList())


async def find_none(request: Request) -> Response:
    item = _instance(request)
    kind = str(request.url.path).rstrip("/").split("/")[-2]
    name = str(request.url.path).rstrip("/").split("/")[-1]
    if kind.lower() == "privateendpointconnections":
        raise PrivateEndpointConnectionNotFoundError(name)
    raise ResourceNotFoundError(f"{FARM_BEATS}/{item.name}/{kind}/{name}", item.group_name)


async def make_none(request: Request) -> Response:
    _instance(request)
    kind = str(request.url.path).rstrip("/").split("/")[-2]
    raise NotSupportedError(f"This deployment offers no '{kind}': an instance can't be given one.", kind)


async def delete_none(request: Request) -> Response:
    _instance(request)
    return Response(status_code=204)


async def list_no_definitions(_request: Request) -> Response:
    return json_answer(wire.EmptyList())


async def find_no_definition(request: Request) -> Response:
    name = str(request.url.path).rstrip("/").split("/")[-1]
    raise NotFoundError(f"The definition '{name}' is not found: this deployment offers none.", name)


async def list_operations(_request: Request) -> Response:
    return json_answer(wire.OperationList(described()))


def _instance(request: Request) -> Instance:
    return service_of(request).read(
        lambda connection: instances.get(
            connection,
            subscription_of(request),
            path(request, "resourceGroupName"),
            path(request, "farmBeatsResourceName"),
        )
    )


def _names(request: Request, item: Instance) -> bool:
    return key_of(path(request, "operationResultsId")) == f"{PROVISIONING}{item.key}"


def _result(request: Request, item: Instance | None) -> Response:
    id_ = path(request, "operationResultsId")
    if item is None:
        raise NotFoundError(f"The operation result '{id_}' is not found.", "operationResultsId")
    error = wire.ErrorBody("DeploymentFailed", item.failure) if item.failure is not None else None
    return json_answer(wire.OperationResult(item.provisioning_state, str(request.url.path), id_, error))


def _of_part(kind: str, name: str) -> tuple[Operation, ...]:
    many, one = f"{INSTANCE}/{kind}", f"{INSTANCE}/{kind}/{{{name}}}"
    action = f"{FARM_BEATS}/{kind}"
    read_one, make_one = named(find_none, f"read_one_of_{kind}"), named(make_none, f"put_one_of_{kind}")
    found = [
        reads(
            many,
            named(list_none, f"list_{kind}"),
            f"List {kind}: there are none",
            wire.EmptyList,
            action=f"{action}/read",
        ),
        operation("GET", one, read_one, f"Read one of {kind}", MISSING, action=f"{action}/read"),
    ]
    if kind != "privateLinkResources":
        found += [
            operation(
                "PUT", one, make_one, f"Refuse to make one of {kind}", MISSING, action=f"{action}/write"
            ),
            operation(
                "DELETE",
                one,
                named(delete_none, f"delete_one_of_{kind}"),
                f"Delete one of {kind}",
                {**GONE, **MISSING},
                action=f"{action}/delete",
            ),
        ]
    return tuple(found)


_RESULT = "Ask what has become of the making of an instance"

OPERATIONS = (
    reads(
        f"{INSTANCE}/operationResults/{{operationResultsId}}",
        read_operation_result,
        _RESULT,
        wire.OperationResult,
        action=f"{FARM_BEATS}/operationResults/read",
    ),
    reads(
        f"{SUBSCRIPTION}/providers/{NAMESPACE}/locations/{{location}}/operationResults/{{operationResultsId}}",
        read_operation_result_by_location,
        _RESULT,
        wire.OperationResult,
        action=f"{NAMESPACE}/locations/operationResults/read",
    ),
    *(item for kind, name in _PARTS.items() for item in _of_part(kind, name)),
    *(
        item
        for kind, name in _DEFINITIONS.items()
        for item in (
            reads(
                f"{OFFERED}/{kind}",
                named(list_no_definitions, f"list_{kind}"),
                f"List {kind}: there are none",
                wire.EmptyList,
                action=None,
            ),
            operation(
                "GET",
                f"{OFFERED}/{kind}/{{{name}}}",
                named(find_no_definition, f"read_one_of_{kind}"),
                f"Read one of {kind}",
                {404: Answer("There is none.", wire.ErrorAnswer)},
                action=None,
            ),
        )
    ),
    reads(
        f"{OFFERED}/operations",
        list_operations,
        "List what can be done with instances and their data, by the names that roles have for it",
        wire.OperationList,
        action=None,
    ),
)
