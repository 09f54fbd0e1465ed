"""Environments over HTTP: additions to Livy's protocol."""

from dataclasses import replace

from starlette.requests import Request
from starlette.responses import Response

from headland.http.answers import json_answer
from headland.http.bodies import read_body
from headland.http.operations import Answer, Operation
from headland.http.validation import decode_json
from headland.jobs.batches.access import Caller
from headland.jobs.batches.requests import check_json
from headland.jobs.batches.wire import Message
from headland.jobs.environments.service import Environments
from headland.jobs.environments.wire import EnvironmentDetails, EnvironmentList, EnvironmentRequest
from headland.jobs.guarding import REQUESTED_BY, guarding
from headland.security import Guard

_ITEM = "/environments/{name}"


def environment_operations(
    environments: Environments, guard: Guard, *, requested_by: bool, max_body: int
) -> list[Operation]:
    """The operations on environments, for one listener."""
    guarded = guarding(guard, environments.access, requested_by=requested_by)

    @guarded
    async def create_environment(request: Request, caller: Caller) -> Response:
        check_json(request)
        wanted = decode_json(await read_body(request, max_body), EnvironmentRequest)
        made, new = await environments.create(wanted, caller)
        return json_answer(made, 201 if new else 200, {"location": f"/environments/{made.name}"})

    @guarded
    async def list_environments(_request: Request, _caller: Caller) -> Response:
        return json_answer(EnvironmentList(environments.list()))

    @guarded
    async def get_environment(request: Request, _caller: Caller) -> Response:
        return json_answer(environments.get(request.path_params["name"]))

    @guarded
    async def remove_environment(request: Request, caller: Caller) -> Response:
        await environments.remove(request.path_params["name"], caller)
        return json_answer(Message("deleted"))

    there = Answer("There it is with these requirements.", EnvironmentDetails, {"Location": "Its path."})
    operations = [
        Operation(
            "POST",
            "/environments",
            create_environment,
            "Make a named Python environment for batches and sessions; it is built in the background.",
            {
                201: replace(there, summary="It is `building`."),
                200: there,
                409: Answer("There is one of this name with other requirements.", Message),
            },
            EnvironmentRequest,
            parameters=[REQUESTED_BY] if requested_by else [],
        ),
        Operation(
            "GET",
            "/environments",
            list_environments,
            "List environments.",
            {200: Answer("All of them, by name.", EnvironmentList)},
        ),
        Operation(
            "GET",
            _ITEM,
            get_environment,
            "Look at an environment: its packages, and what its build has said.",
            {200: Answer("The environment.", EnvironmentDetails)},
        ),
        Operation(
            "DELETE",
            _ITEM,
            remove_environment,
            "Remove an environment. Jobs that use it go on.",
            {200: Answer("`deleted`.", Message)},
        ),
    ]
    return [replace(operation, addition=True) for operation in operations]
