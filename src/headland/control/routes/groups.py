"""Resource groups, what is in them, and what has become of their deletion."""

from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import Response

from headland.audit import Change
from headland.control import changes, groups, paging, subscriptions, wire
from headland.control.declaring import (
    CONFLICT,
    EXPAND,
    FILTER,
    GROUP,
    GROUPS,
    MISSING,
    SUBSCRIPTION,
    TOKEN,
    TOP,
    named,
    operation,
    reads,
)
from headland.control.errors import DeletionBlockedError, InvalidContentError, NotFoundError
from headland.control.filters import Filters
from headland.control.names import key_of
from headland.control.provider import FARM_BEATS
from headland.control.records import Group, GroupDeletion, Instance
from headland.control.rows import groups as rows
from headland.control.rows import instances
from headland.control.service import (
    body_of,
    caller,
    expanded,
    path,
    service_of,
    subscription_of,
    version_of,
    visible,
)
from headland.control.views import group_view, resource_view
from headland.http.answers import json_answer
from headland.http.operations import Answer

_ACTION = "Microsoft.Resources/subscriptions/resourceGroups"
_RESOURCES = "Microsoft.Resources/subscriptions/resources/read"
_EXPANDABLE = frozenset({"createdtime", "changedtime", "provisioningstate"})

#: Seconds after which a client asks again.
RETRY_AFTER = "1"

_GROUP_FILTERS: Filters[Group] = Filters(
    values={"name": lambda item: item.name, "location": lambda item: item.location},
    tags=lambda item: item.tags,
)
_RESOURCE_FILTERS: Filters[Instance] = Filters(
    values={
        "name": lambda item: item.name,
        "location": lambda item: item.location,
        "resourcetype": lambda _: FARM_BEATS,
        "resourcegroup": lambda item: item.group_name,
    },
    functions={
        "substringof": lambda item, given: (
            len(given) == 2
            and given[0].lower()
            in {"name": item.name, "resourcegroup": item.group_name}.get(given[1], "").lower()
        ),
        "startswith": lambda item, given: (
            len(given) == 2
            and given[0] == "tagname"
            and any(name.lower().startswith(given[1].lower()) for name in item.tags)
        ),
    },
    tags=lambda item: item.tags,
)


async def put_group(request: Request) -> Response:
    service, id_, name = service_of(request), subscription_of(request), path(request, "resourceGroupName")
    wanted = await body_of(request, wire.NewResourceGroup)
    now = service.now()

    def put(connection: Connection) -> tuple[tuple[Group, bool], Change | None]:
        before = rows.find(connection, id_, key_of(name))
        group, made = groups.create(
            connection,
            id_,
            name,
            location=wanted.location,
            available=service.settings.control.locations,
            tags=wanted.tags or {},
            managed_by=wanted.managed_by,
            now=now,
        )
        return (group, made), changes.group_put(subscriptions.get(connection, id_), before, group)

    group, made = await service.change(request, put)
    return json_answer(group_view(group), 201 if made else 200)


async def patch_group(request: Request) -> Response:
    service, id_, name = service_of(request), subscription_of(request), path(request, "resourceGroupName")
    wanted = await body_of(request, wire.ResourceGroupChange)
    now = service.now()

    def patch(connection: Connection) -> tuple[Group, Change | None]:
        before = groups.get(connection, id_, name)
        group = groups.change(connection, id_, name, tags=wanted.tags, managed_by=wanted.managed_by, now=now)
        return group, changes.group_put(subscriptions.get(connection, id_), before, group)

    return json_answer(group_view(await service.change(request, patch)))


async def read_group(request: Request) -> Response:
    return json_answer(group_view(_group(request)))


async def check_group(request: Request) -> Response:
    service, id_, name = service_of(request), subscription_of(request), path(request, "resourceGroupName")
    found = service.read(lambda connection: rows.find(connection, id_, key_of(name)))
    return Response(status_code=204 if found is not None else 404)


async def list_groups(request: Request) -> Response:
    service, id_ = service_of(request), subscription_of(request)
    page = paging.asked(request, "$top")
    seen = visible(request, f"{_ACTION}/read", service.read(lambda connection: rows.all_of(connection, id_)))
    found = _GROUP_FILTERS.select(seen, request.query_params.get("$filter"))
    shown, token = paging.cut(found, lambda item: item.key, page)
    link = paging.next_link(request, service.public_url, token)
    return json_answer(wire.ResourceGroupList([group_view(item) for item in shown], link))


async def delete_group(request: Request) -> Response:
    service, id_, name = service_of(request), subscription_of(request), path(request, "resourceGroupName")
    now = service.now()

    def delete(connection: Connection) -> tuple[GroupDeletion, Change | None]:
        gone = groups.get(connection, id_, name)
        inside = instances.all_of(connection, id_, gone.key)
        begun = groups.delete(connection, id_, name, caller(request).object_id, now)
        if gone.deleting_since is not None:
            return begun, None
        return begun, changes.group_deleted(subscriptions.get(connection, id_), gone, inside)

    begun = await service.change(request, delete)
    return Response(status_code=202, headers=_poll(request, begun.id))


async def read_deletion(request: Request) -> Response:
    """Asked by whom the deletion is: its roles in the group have gone with the group."""
    service, id_, name = service_of(request), subscription_of(request), path(request, "operationId")
    found = service.read(lambda connection: rows.find_deletion(connection, name))
    asks = caller(request)
    if (
        found is None
        or found.subscription_id != id_
        or not (
            found.asked_by == asks.object_id
            or service.authorizer.allows(asks, f"{_ACTION}/read", f"/subscriptions/{id_}")
        )
    ):
        raise NotFoundError(f"The operation '{name}' is not found.")
    if found.ended_at is None:
        return Response(status_code=202, headers=_poll(request, found.id))
    if found.failure is not None:
        raise DeletionBlockedError(
            f"Deletion of resource group '{found.group_name}' failed: {found.failure}. It is tried again."
        )
    return Response(status_code=200)


async def list_group_resources(request: Request) -> Response:
    group = _group(request)
    return _resources(request, f"{_ACTION}/resources/read", group.key)


async def list_resources(request: Request) -> Response:
    return _resources(request, _RESOURCES, None)


async def refuse_move(request: Request) -> Response:
    raise InvalidContentError(
        f"Resources of type '{FARM_BEATS}' can't be moved out of resource group "
        f"'{path(request, 'resourceGroupName')}': moving them is not supported"
    )


def _resources(request: Request, action: str, group_key: str | None) -> Response:
    service, id_ = service_of(request), subscription_of(request)
    page = paging.asked(request, "$top")
    expand = expanded(request, _EXPANDABLE)
    inside = service.read(lambda connection: instances.all_of(connection, id_, group_key))
    found = _RESOURCE_FILTERS.select(visible(request, action, inside), request.query_params.get("$filter"))
    shown, token = paging.cut(found, lambda item: item.key, page)
    link = paging.next_link(request, service.public_url, token)
    return json_answer(wire.GenericResourceList([resource_view(item, expand) for item in shown], link))


def _group(request: Request) -> Group:
    id_, name = subscription_of(request), path(request, "resourceGroupName")
    return service_of(request).read(lambda connection: groups.get(connection, id_, name))


def _poll(request: Request, operation_id: str) -> dict[str, str]:
    base = service_of(request).public_url
    address = f"{base}/subscriptions/{subscription_of(request)}/operationresults/{operation_id}"
    return {"location": f"{address}?api-version={version_of(request)}", "retry-after": RETRY_AFTER}


_LIST = (FILTER, TOP, TOKEN)
_ACCEPTED = Answer(
    "It is being deleted.", None, {"Location": "Where to ask what becomes of it.", "Retry-After": "Seconds."}
)

OPERATIONS = (
    reads(
        GROUPS,
        list_groups,
        "List the groups that the caller may read",
        wire.ResourceGroupList,
        action=f"{_ACTION}/read",
        parameters=_LIST,
        filtered=True,
    ),
    operation(
        "PUT",
        GROUP,
        put_group,
        "Make a group, or bring it up to date",
        {
            200: Answer("It was there, and is as asked for.", wire.ResourceGroup),
            201: Answer("It is made.", wire.ResourceGroup),
            **CONFLICT,
        },
        action=f"{_ACTION}/write",
        body=wire.NewResourceGroup,
    ),
    reads(GROUP, read_group, "Read a group", wire.ResourceGroup, action=f"{_ACTION}/read"),
    operation(
        "HEAD",
        GROUP,
        check_group,
        "Ask whether there is a group",
        {204: Answer("There is."), 404: Answer("There is not.")},
        action=f"{_ACTION}/read",
    ),
    operation(
        "PATCH",
        GROUP,
        patch_group,
        "Change a group's tags",
        {200: Answer("They are changed.", wire.ResourceGroup), **MISSING, **CONFLICT},
        action=f"{_ACTION}/write",
        body=wire.ResourceGroupChange,
    ),
    operation(
        "DELETE",
        GROUP,
        delete_group,
        "Delete a group with everything in it",
        {202: _ACCEPTED, **MISSING},
        action=f"{_ACTION}/delete",
    ),
    operation(
        "GET",
        f"{SUBSCRIPTION}/operationresults/{{operationId}}",
        read_deletion,
        "Ask what has become of the deletion of a group",
        {200: Answer("It is deleted."), 202: _ACCEPTED, **MISSING, **CONFLICT},
        action=None,
    ),
    reads(
        f"{GROUP}/resources",
        list_group_resources,
        "List what is in a group, hidden types included",
        wire.GenericResourceList,
        action=f"{_ACTION}/resources/read",
        parameters=(*_LIST, EXPAND),
        filtered=True,
    ),
    reads(
        f"{SUBSCRIPTION}/resources",
        list_resources,
        "List what is in a subscription, hidden types included",
        wire.GenericResourceList,
        action=_RESOURCES,
        parameters=(*_LIST, EXPAND),
        filtered=True,
    ),
    *(
        operation(
            "POST",
            f"{GROUP}/{verb}",
            named(refuse_move, verb),
            "Refuse to move resources to another group",
            {**MISSING},
            action=f"{_ACTION}/{verb}/action",
        )
        for verb in ("moveResources", "validateMoveResources")
    ),
)
