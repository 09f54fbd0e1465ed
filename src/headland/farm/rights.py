"""What a caller may do with an instance: for programs that offer people only what they may."""

from collections.abc import Sequence

import msgspec
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from headland.farm.access import Visit
from headland.farm.answers import page_answer
from headland.farm.arrival import Arrival
from headland.farm.catalogue import PARTIES
from headland.farm.guarded import guarded
from headland.farm.handlers import Surroundings
from headland.farm.parameters import api_version
from headland.farm.versions import Version
from headland.http.operations import Answer, Operation


class Rights(Struct):
    """Data actions, as roles name them."""

    actions: list[str]


def rights_operation(version: Version, surroundings: Surroundings, others: Sequence[Operation]) -> Operation:
    """The operation in one version, which has these others."""
    actions = sorted({operation.action for operation in others if operation.action is not None})
    action = PARTIES.action("read")
    gate = surroundings.gate

    async def tell(request: Request, _arrival: Arrival, visit: Visit) -> Response:
        allowed = [each for each in actions if gate.allows(visit, each)]
        return page_answer(request, msgspec.json.encode(Rights(allowed)))

    return Operation(
        "GET",
        "/rights",
        guarded("get_rights", action, tell, gate),
        "Get which data actions the caller's roles allow on the instance",
        {200: Answer("Those of this version's operations.", Rights)},
        parameters=(api_version(version),),
        addition=True,
        action=action,
    )
