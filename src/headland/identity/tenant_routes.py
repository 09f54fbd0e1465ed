"""Headland's own API of tenants."""

from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import Response

from headland.audit import Change
from headland.http.answers import json_answer
from headland.http.operations import Answer, Operation
from headland.identity import changes, tenants, wire
from headland.identity.admin_service import administrator, body_of, carry_out, service_of
from headland.identity.application_routes import BAD_BODY, NO_TENANT, PREFIX
from headland.identity.views import tenant_view


async def list_tenants(request: Request) -> Response:
    principal = await administrator(request)

    def look(connection: Connection) -> wire.Tenants:
        return wire.Tenants([tenant_view(tenant) for tenant in tenants.visible(connection, principal)])

    return json_answer(service_of(request).database.read(look))


async def create_tenant(request: Request) -> Response:
    principal = await administrator(request)
    wanted = await body_of(request, wire.NewTenant)
    now = service_of(request).now()

    def create(connection: Connection) -> tuple[wire.Tenant, Change]:
        made = tenants.create(connection, principal, wanted.name, now)
        return tenant_view(made), changes.tenant_created(made)

    made = await carry_out(request, principal, create)
    return json_answer(made, 201, {"location": f"{PREFIX}/tenants/{made.tenant_id}"})


async def read_tenant(request: Request) -> Response:
    principal = await administrator(request)

    def look(connection: Connection) -> wire.Tenant:
        return tenant_view(tenants.find(connection, principal, request.path_params["tenant"]))

    return json_answer(service_of(request).database.read(look))


async def rename_tenant(request: Request) -> Response:
    principal = await administrator(request)
    wanted = await body_of(request, wire.TenantChange)
    named = request.path_params["tenant"]

    def rename(connection: Connection) -> tuple[wire.Tenant, Change | None]:
        before = tenants.find(connection, principal, named)
        renamed = tenants.rename(connection, principal, named, wanted.name)
        return tenant_view(renamed), changes.tenant_renamed(before, renamed)

    return json_answer(await carry_out(request, principal, rename))


async def delete_tenant(request: Request) -> Response:
    principal = await administrator(request)
    named, belongings = request.path_params["tenant"], service_of(request).belongings

    def delete(connection: Connection) -> tuple[None, Change]:
        gone = tenants.delete(connection, principal, named, belongings)
        return None, changes.tenant_deleted(gone)

    await carry_out(request, principal, delete)
    return Response(status_code=204)


_ONE = "/tenants/{tenant}"

OPERATIONS = (
    Operation(
        "GET",
        "/tenants",
        list_tenants,
        "List the tenants: all of them, or of another tenant's administrator its own",
        {200: Answer("The tenants, oldest first.", wire.Tenants)},
        addition=True,
    ),
    Operation(
        "POST",
        "/tenants",
        create_tenant,
        "Make a tenant",
        {
            201: Answer("It is made.", wire.Tenant, {"Location": "Its address."}),
            **BAD_BODY,
            409: Answer("Another tenant has that name.", wire.Problem),
        },
        body=wire.NewTenant,
        addition=True,
    ),
    Operation(
        "GET",
        _ONE,
        read_tenant,
        "Read a tenant, by id or name",
        {200: Answer("The tenant.", wire.Tenant), **NO_TENANT},
        addition=True,
    ),
    Operation(
        "PATCH",
        _ONE,
        rename_tenant,
        "Rename a tenant; its id stays",
        {
            200: Answer("It is renamed.", wire.Tenant),
            **BAD_BODY,
            **NO_TENANT,
            409: Answer("Another tenant has that name.", wire.Problem),
        },
        body=wire.TenantChange,
        addition=True,
    ),
    Operation(
        "DELETE",
        _ONE,
        delete_tenant,
        "Delete a tenant that is empty",
        {204: Answer("It is deleted."), **NO_TENANT, 409: Answer("It is not empty.", wire.Problem)},
        addition=True,
    ),
)
