"""An operation's handler behind the gate."""

from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import Response

from headland.farm.access import Gate, Visit
from headland.farm.arrival import Arrival
from headland.http.operations import Handler

#: What is done for a request that was let in.
Act = Callable[[Request, Arrival, Visit], Awaitable[Response]]


def guarded(name: str, action: str, act: Act, gate: Gate) -> Handler:
    """`act` for requests that may do `action`. The API's description calls it `name`."""
    enter = gate.enter

    async def handle(request: Request) -> Response:
        arrival: Arrival = request.scope["arrival"]
        visit = await enter(request, arrival.instance, action)
        with visit.store.busy():
            return await act(request, arrival, visit)

    handle.__name__ = name
    return handle
