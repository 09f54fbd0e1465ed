"""Instances of the agriculture service."""

from collections.abc import Callable
from typing import Any

from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import Response

from headland.audit import Change
from headland.control import changes, groups, instances, names, paging, subscriptions, wire
from headland.control.declaring import (
    CONFLICT,
    GONE,
    INSTANCE,
    INSTANCES,
    MISSING,
    PROVIDED,
    SIZE,
    TOKEN,
    operation,
    reads,
)
from headland.control.errors import BadFieldError
from headland.control.instance_bodies import changed_options, wanted_of
from headland.control.provider import FARM_BEATS, generation
from headland.control.records import Instance
from headland.control.rows import instances as rows
from headland.control.service import body_of, caller, path, service_of, subscription_of, version_of, visible
from headland.control.views import instance_uri, instance_view
from headland.http.answers import json_answer
from headland.http.operations import Answer

_DEFAULT_PAGE = 50
_SMALLEST_PAGE = 10

#: Seconds after which a client asks again.
RETRY_AFTER = "1"

#: What the protocol's own example calls the operation that makes an instance.
PROVISIONING = "resource-provisioning-id-"


async def put_instance(request: Request) -> Response:
    service = service_of(request)
    wanted = wanted_of(request, await body_of(request, wire.NewInstance))
    now = service.now()

    def put(connection: Connection) -> tuple[tuple[Instance, bool], Change | None]:
        before = rows.find(connection, names.key_of(wanted.name))
        instance, made = instances.create(
            connection,
            wanted,
            principal=caller(request),
            terms=service.terms,
            available=service.settings.control.locations,
            now=now,
        )
        subscription = subscriptions.get(connection, wanted.subscription_id)
        return (instance, made), changes.instance_put(subscription, before, instance)

    instance, made = await service.change(request, put)
    headers = {}
    if not instance.ready and instance.failure is None:
        address = f"{service.public_url}{instance.id}/operationResults/{PROVISIONING}{instance.name}"
        headers = {
            "azure-asyncoperation": f"{address}?api-version={version_of(request)}",
            "retry-after": RETRY_AFTER,
        }
    return _shown(request, instance, 201 if made else 200, headers)


async def validate_instance(request: Request) -> Response:
    service = service_of(request)
    wanted = wanted_of(request, await body_of(request, wire.NewInstance))
    found, region, present = service.read(
        lambda connection: instances.review(
            connection, wanted, service.terms, service.settings.control.locations
        )
    )
    return json_answer(
        wire.Review(
            id=f"{found.id}/providers/{FARM_BEATS}/{wanted.name}",
            name=wanted.name,
            type=FARM_BEATS,
            location=region,
            tags=dict(wanted.tags),
            instance_uri=instance_uri(wanted.name, service.settings),
            exists=present is not None,
            terms_version=service.terms.version,
        )
    )


async def patch_instance(request: Request) -> Response:
    service = service_of(request)
    wanted = await body_of(request, wire.NewInstance)
    options = changed_options(wanted, generation(version_of(request)))
    now = service.now()

    def patch(connection: Connection) -> tuple[Instance, Change | None]:
        before = _find(connection, request)
        changed = instances.change(
            connection, before, tags=wanted.tags, options=options, principal=caller(request), now=now
        )
        subscription = subscriptions.get(connection, changed.subscription_id)
        return changed, changes.instance_put(subscription, before, changed)

    return _shown(request, await service.change(request, patch))


async def read_instance(request: Request) -> Response:
    return _shown(request, service_of(request).read(lambda connection: _find(connection, request)))


async def check_instance(request: Request) -> Response:
    service_of(request).read(lambda connection: _find(connection, request))
    return Response(status_code=204)


async def delete_instance(request: Request) -> Response:
    service = service_of(request)
    now = service.now()

    def delete(connection: Connection) -> tuple[bool, Change | None]:
        found = rows.find(connection, names.key_of(path(request, "farmBeatsResourceName")))
        inside = groups.get(connection, subscription_of(request), path(request, "resourceGroupName"))
        if found is None or (found.subscription_id, found.group_key) != (inside.subscription_id, inside.key):
            return False, None
        instances.delete(connection, found, now)
        subscription = subscriptions.get(connection, found.subscription_id)
        return True, changes.instance_deleted(subscription, found)

    gone = await service.change(request, delete)
    return Response(status_code=200 if gone else 204)


async def list_instances(request: Request) -> Response:
    id_, name = subscription_of(request), path(request, "resourceGroupName")

    def look(connection: Connection) -> list[Instance]:
        return rows.all_of(connection, id_, groups.get(connection, id_, name).key)

    return _list(request, service_of(request).read(look))


async def list_all_instances(request: Request) -> Response:
    id_ = subscription_of(request)
    return _list(request, service_of(request).read(lambda connection: rows.all_of(connection, id_)))


async def check_name(request: Request) -> Response:
    wanted = await body_of(request, wire.NameCheck)
    if wanted.type.lower() != FARM_BEATS.lower():
        raise BadFieldError(f"type: '{wanted.type}' is not '{FARM_BEATS}'.", "type")
    if not names.is_instance(wanted.name):
        message = "The name has 1 to 63 letters and digits, and single hyphens between them."
        return json_answer(wire.NameCheckAnswer(False, "Invalid", message))
    key = names.key_of(wanted.name)
    if service_of(request).read(lambda connection: rows.find(connection, key)) is not None:
        message = f"An account named '{wanted.name}' is already in use."
        return json_answer(wire.NameCheckAnswer(False, "AlreadyExists", message))
    return json_answer(wire.NameCheckAnswer(True))


def _find(connection: Connection, request: Request) -> Instance:
    return instances.get(
        connection,
        subscription_of(request),
        path(request, "resourceGroupName"),
        path(request, "farmBeatsResourceName"),
    )


def _list(request: Request, found: list[Instance]) -> Response:
    service, version = service_of(request), version_of(request)
    page = paging.asked(request, "$maxPageSize", _DEFAULT_PAGE, _SMALLEST_PAGE)
    seen = visible(request, f"{FARM_BEATS}/read", found)
    shown, token = paging.cut(seen, lambda item: item.key, page)
    value = [instance_view(item, version, service.settings, _kinds(request)) for item in shown]
    link = paging.next_link(request, service.public_url, token)
    return json_answer(wire.InstanceList(value, link))


def _kinds(request: Request) -> Callable[[str | None], str]:
    """Says of an object id in the caller's tenant what has it, as `systemData` calls that."""
    service, tenant = service_of(request), caller(request).tenant_id

    def kind_of(object_id: str | None) -> str:
        if object_id is None:
            return "Application"
        known = service.database.read_remembered(
            ("known", tenant, object_id),
            lambda connection: service.directory.known(connection, tenant, object_id),
        )
        return "User" if known is not None and known.kind == "User" else "Application"

    return kind_of


def _shown(
    request: Request, item: Instance, status: int = 200, headers: dict[str, Any] | None = None
) -> Response:
    view = instance_view(item, version_of(request), service_of(request).settings, _kinds(request))
    return json_answer(view, status, headers)


_PAGES = (SIZE, TOKEN)
_MADE = Answer(
    "It is made; `provisioningState` says when it can be used.",
    wire.Instance,
    {"Azure-AsyncOperation": "Where to ask what becomes of it.", "Retry-After": "Seconds."},
)

OPERATIONS = (
    reads(
        f"{PROVIDED}/farmBeats",
        list_all_instances,
        "List the instances of a subscription",
        wire.InstanceList,
        action=f"{FARM_BEATS}/read",
        parameters=_PAGES,
        filtered=True,
    ),
    reads(
        INSTANCES,
        list_instances,
        "List the instances of a group",
        wire.InstanceList,
        action=f"{FARM_BEATS}/read",
        parameters=_PAGES,
        filtered=True,
    ),
    operation(
        "PUT",
        INSTANCE,
        put_instance,
        "Make an instance, or bring it up to date",
        {
            200: Answer("It was there, and is as asked for.", wire.Instance),
            201: _MADE,
            **MISSING,
            **CONFLICT,
        },
        action=f"{FARM_BEATS}/write",
        body=wire.NewInstance,
    ),
    operation(
        "POST",
        f"{INSTANCE}/validate",
        validate_instance,
        "Review an instance before it is made",
        {200: Answer("What would be made; nothing speaks against it.", wire.Review), **MISSING, **CONFLICT},
        action=f"{FARM_BEATS}/validate/action",
        body=wire.NewInstance,
        addition=True,
    ),
    reads(INSTANCE, read_instance, "Read an instance", wire.Instance, action=f"{FARM_BEATS}/read"),
    operation(
        "HEAD",
        INSTANCE,
        check_instance,
        "Ask whether there is an instance",
        {204: Answer("There is."), 404: Answer("There is not.")},
        action=f"{FARM_BEATS}/read",
    ),
    operation(
        "PATCH",
        INSTANCE,
        patch_instance,
        "Change an instance's tags or options",
        {200: Answer("It is changed.", wire.Instance), **MISSING},
        action=f"{FARM_BEATS}/write",
        body=wire.NewInstance,
    ),
    operation(
        "DELETE",
        INSTANCE,
        delete_instance,
        "Delete an instance with everything in it",
        {200: Answer("It is deleted."), **GONE, **MISSING},
        action=f"{FARM_BEATS}/delete",
    ),
    operation(
        "POST",
        f"{PROVIDED}/checkNameAvailability",
        check_name,
        "Ask whether an instance may be called so",
        {200: Answer("Whether, and else why not.", wire.NameCheckAnswer)},
        action="Microsoft.AgFoodPlatform/checkNameAvailability/action",
        body=wire.NameCheck,
    ),
)
