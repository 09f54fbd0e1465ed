"""Headland's own API of applications: what the hosted directory's portal is for."""

import asyncio

from msgspec import UNSET
from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import Response

from headland.audit import Change
from headland.http.answers import json_answer
from headland.http.operations import Answer, Operation, Parameter
from headland.identity import applications, changes, store, wire
from headland.identity.admin_service import administrator, body_of, carry_out, place_of, service_of
from headland.identity.views import application_view

PREFIX = "/identity"


async def list_applications(request: Request) -> Response:
    principal = await administrator(request)

    def look(connection: Connection) -> wire.Applications:
        tenant = place_of(connection, principal, request).tenant
        found = store.applications(connection, tenant.id)
        return wire.Applications([application_view(application, tenant.name) for application in found])

    # There may be ten thousand.
    return await asyncio.to_thread(lambda: json_answer(service_of(request).database.read(look)))


async def register_application(request: Request) -> Response:
    principal = await administrator(request)
    wanted = await body_of(request, wire.NewApplication)
    now = service_of(request).now()

    def register(connection: Connection) -> tuple[wire.Application, Change]:
        tenant = place_of(connection, principal, request).tenant
        made = applications.register(
            connection,
            tenant.id,
            wanted.name,
            administrator=wanted.administrator,
            created_by=principal.object_id,
            now=now,
        )
        return application_view(made, tenant.name), changes.application_registered(made)

    made = await carry_out(request, principal, register)
    return json_answer(made, 201, {"location": f"{PREFIX}/applications/{made.client_id}"})


async def read_application(request: Request) -> Response:
    principal = await administrator(request)

    def look(connection: Connection) -> wire.Application:
        tenant = place_of(connection, principal, request).tenant
        return application_view(applications.get(connection, tenant.id, client_id_of(request)), tenant.name)

    return json_answer(service_of(request).database.read(look))


async def change_application(request: Request) -> Response:
    principal = await administrator(request)
    wanted = await body_of(request, wire.ApplicationChange)
    name = None if wanted.name is UNSET else wanted.name
    disabled = None if wanted.disabled is UNSET else wanted.disabled
    now = service_of(request).now()

    def change(connection: Connection) -> tuple[wire.Application, Change | None]:
        place = place_of(connection, principal, request)
        before = applications.get(connection, place.tenant.id, client_id_of(request))
        changed = applications.change(
            connection,
            place.tenant.id,
            client_id_of(request),
            name=name,
            disabled=disabled,
            now=now,
            keep_administrator=place.own,
        )
        return application_view(changed, place.tenant.name), changes.application_changed(before, changed)

    return json_answer(await carry_out(request, principal, change))


async def delete_application(request: Request) -> Response:
    principal = await administrator(request)

    def delete(connection: Connection) -> tuple[None, Change]:
        place = place_of(connection, principal, request)
        gone = applications.delete(
            connection, place.tenant.id, client_id_of(request), keep_administrator=place.own
        )
        return None, changes.application_deleted(gone)

    await carry_out(request, principal, delete)
    return Response(status_code=204)


def client_id_of(request: Request) -> str:
    """The application that the path names, as it is stored."""
    return str(request.path_params["clientId"]).lower()


BAD_BODY = {
    400: Answer("The body is not as it must be; the message names the field.", wire.Problem),
    408: Answer("The body does not come.", wire.Problem),
    413: Answer("The body is too large.", wire.Problem),
    415: Answer("The body is not JSON.", wire.Problem),
}
NO_TENANT = {404: Answer("There is no such tenant.", wire.Problem)}
UNKNOWN = {404: Answer("There is no such tenant or application.", wire.Problem)}
_LAST = {409: Answer("It is the last administrator.", wire.Problem)}

ONE = "/applications/{clientId}"

#: In which tenant to look.
TENANT = Parameter(
    "tenant",
    str,
    "Id or name of another tenant than the caller's own, for administrators of the first tenant.",
)

OPERATIONS = (
    Operation(
        "GET",
        "/applications",
        list_applications,
        "List the applications of the tenant",
        {200: Answer("The applications, oldest first.", wire.Applications), **NO_TENANT},
        parameters=(TENANT,),
        addition=True,
    ),
    Operation(
        "POST",
        "/applications",
        register_application,
        "Register an application",
        {
            201: Answer("It is registered.", wire.Application, {"Location": "Its address."}),
            **BAD_BODY,
            **NO_TENANT,
        },
        body=wire.NewApplication,
        parameters=(TENANT,),
        addition=True,
    ),
    Operation(
        "GET",
        ONE,
        read_application,
        "Read an application",
        {200: Answer("The application.", wire.Application), **UNKNOWN},
        parameters=(TENANT,),
        addition=True,
    ),
    Operation(
        "PATCH",
        ONE,
        change_application,
        "Rename, disable or enable an application",
        {200: Answer("It is changed.", wire.Application), **BAD_BODY, **UNKNOWN, **_LAST},
        body=wire.ApplicationChange,
        parameters=(TENANT,),
        addition=True,
    ),
    Operation(
        "DELETE",
        ONE,
        delete_application,
        "Delete an application, its secrets and certificates",
        {204: Answer("It is deleted."), **UNKNOWN, **_LAST},
        parameters=(TENANT,),
        addition=True,
    ),
)
