"""The allow list: requests for subscriptions, and their removal. Headland's own API."""

from typing import Final

from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import Response

from headland.audit import Change
from headland.control import access, access_wire, changes, subscriptions, wire
from headland.control.declaring import named
from headland.control.errors import AdministratorNeededError
from headland.control.records import AccessRequest, RequestState
from headland.control.rows import subscriptions as rows
from headland.control.service import body_of, caller, path, service_of, subscription_of
from headland.control.views import request_view
from headland.http.answers import json_answer
from headland.http.operations import Answer, Operation

_PATH = "/control/access-requests"
_DECISIONS: Final[dict[str, RequestState]] = {"approve": "Approved", "refuse": "Refused"}


async def ask_for_access(request: Request) -> Response:
    service = service_of(request)
    wanted = await body_of(request, access_wire.NewAccessRequest)
    now = service.now()

    def ask(connection: Connection) -> tuple[AccessRequest, Change]:
        made = access.ask(
            connection,
            caller(request),
            subscription_id=wanted.subscription_id,
            display_name=wanted.display_name,
            reason=wanted.reason,
            accepted_terms=wanted.accept_terms,
            terms=service.terms,
            now=now,
        )
        return made, changes.access_requested(made)

    made = await service.change(request, ask)
    return json_answer(request_view(made), 201, {"location": f"{_PATH}/{made.id}"})


async def list_access_requests(request: Request) -> Response:
    principal = caller(request)
    own = None if principal.administrator else principal.object_id
    found = service_of(request).read(lambda connection: rows.requests(connection, own))
    return json_answer(access_wire.AccessRequestList([request_view(item) for item in found]))


async def read_access_request(request: Request) -> Response:
    found = service_of(request).read(
        lambda connection: access.find_request(connection, caller(request), path(request, "requestId"))
    )
    return json_answer(request_view(found))


async def decide_access_request(request: Request) -> Response:
    service, principal, id_ = service_of(request), caller(request), path(request, "requestId")
    if not principal.administrator:
        raise AdministratorNeededError(principal.client_id)
    state = _DECISIONS[str(request.url.path).rstrip("/").rpartition("/")[2].lower()]
    comment = (await body_of(request, access_wire.Decision, optional=True)).comment
    now = service.now()

    def decide(connection: Connection) -> tuple[AccessRequest, Change | None]:
        before = access.find_request(connection, principal, id_)
        decided = access.decide(
            connection, principal, id_, state=state, comment=comment, directory=service.directory, now=now
        )
        return decided, changes.access_decided(before, decided)

    return json_answer(request_view(await service.change(request, decide)))


async def remove_subscription(request: Request) -> Response:
    service, principal, id_ = service_of(request), caller(request), subscription_of(request)
    if not principal.administrator:
        raise AdministratorNeededError(principal.client_id)

    def remove(connection: Connection) -> tuple[None, Change]:
        return None, changes.subscription_removed(subscriptions.remove(connection, id_))

    await service.change(request, remove)
    return Response(status_code=204)


_BAD = {400: Answer("A field is not as it must be.", wire.ErrorAnswer)}
_CONFLICT = {409: Answer("There is one already, or it is decided.", wire.ErrorAnswer)}
_MISSING = {404: Answer("There is no such request of the caller's.", wire.ErrorAnswer)}

OPERATIONS = (
    Operation(
        "POST",
        _PATH,
        ask_for_access,
        "Ask for a subscription",
        {201: Answer("An administrator decides.", access_wire.AccessRequest), **_BAD, **_CONFLICT},
        body=access_wire.NewAccessRequest,
        addition=True,
    ),
    Operation(
        "GET",
        _PATH,
        list_access_requests,
        "List the caller's requests for subscriptions; an administrator's list has all",
        {200: Answer("Oldest first.", access_wire.AccessRequestList)},
        addition=True,
    ),
    Operation(
        "GET",
        f"{_PATH}/{{requestId}}",
        read_access_request,
        "Read a request for a subscription",
        {200: Answer("The request.", access_wire.AccessRequest), **_MISSING},
        addition=True,
    ),
    *(
        Operation(
            "POST",
            f"{_PATH}/{{requestId}}/{verb}",
            named(decide_access_request, f"{verb}_access_request"),
            f"{verb.capitalize()} a request for a subscription, as an administrator",
            {200: Answer("It is decided.", access_wire.AccessRequest), **_BAD, **_MISSING, **_CONFLICT},
            body=access_wire.Decision,
            addition=True,
        )
        for verb in _DECISIONS
    ),
    Operation(
        "DELETE",
        "/control/subscriptions/{subscriptionId}",
        remove_subscription,
        "Take an empty subscription off the allow list, as an administrator",
        {
            204: Answer("It is removed."),
            **_BAD,
            404: Answer("It is not on the allow list.", wire.ErrorAnswer),
            409: Answer("There are resource groups in it.", wire.ErrorAnswer),
        },
        addition=True,
    ),
)
