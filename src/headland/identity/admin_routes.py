"""Headland's own API of applications and secrets: what the hosted directory's portal is for."""

import structlog
from msgspec import UNSET
from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import Response

from headland.audit import actor_of
from headland.http.answers import json_answer
from headland.http.operations import Answer, Operation
from headland.identity import applications, changes, store, wire
from headland.identity.admin_service import administrator, body_of, service_of, tenant_of
from headland.identity.client_secrets import NewSecret
from headland.identity.service import UNCACHED
from headland.identity.views import application_view, secret_views, shown_secret

PREFIX = "/identity"

_log = structlog.get_logger("headland.identity")


async def list_applications(request: Request) -> Response:
    principal = await administrator(request)

    def look(connection: Connection) -> wire.Applications:
        tenant = tenant_of(connection, principal)
        found = store.applications(connection, tenant.id)
        return wire.Applications([application_view(application, tenant.name) for application in found])

    return json_answer(service_of(request).database.read(look))


async def register_application(request: Request) -> Response:
    principal = await administrator(request)
    actor = actor_of(request, principal)
    wanted = await body_of(request, wire.NewApplication)
    now = service_of(request).now()

    def register(connection: Connection) -> wire.Application:
        tenant = tenant_of(connection, principal)
        made = applications.register(
            connection,
            tenant.id,
            wanted.name,
            administrator=wanted.administrator,
            created_by=principal.object_id,
            now=now,
        )
        changes.record_registered(connection, actor, made, now)
        return application_view(made, tenant.name)

    made = await service_of(request).database.write(register)
    _log.info(
        "application.registered",
        tenant=made.tenant_id,
        client_id=made.client_id,
        administrator=made.administrator,
        by=principal.client_id,
    )
    return json_answer(made, 201, {"location": f"{PREFIX}/applications/{made.client_id}"})


async def read_application(request: Request) -> Response:
    principal = await administrator(request)

    def look(connection: Connection) -> wire.Application:
        tenant = tenant_of(connection, principal)
        return application_view(applications.get(connection, tenant.id, _client_id(request)), tenant.name)

    return json_answer(service_of(request).database.read(look))


async def change_application(request: Request) -> Response:
    principal = await administrator(request)
    actor = actor_of(request, principal)
    wanted = await body_of(request, wire.ApplicationChange)
    name = None if wanted.name is UNSET else wanted.name
    disabled = None if wanted.disabled is UNSET else wanted.disabled
    now = service_of(request).now()

    def change(connection: Connection) -> wire.Application:
        tenant = tenant_of(connection, principal)
        before = applications.get(connection, tenant.id, _client_id(request))
        changed = applications.change(
            connection, tenant.id, _client_id(request), name=name, disabled=disabled, now=now
        )
        changes.record_changed(connection, actor, before, changed, now)
        return application_view(changed, tenant.name)

    changed = await service_of(request).database.write(change)
    _log.info(
        "application.changed",
        tenant=changed.tenant_id,
        client_id=changed.client_id,
        disabled=changed.disabled,
        by=principal.client_id,
    )
    return json_answer(changed)


async def delete_application(request: Request) -> Response:
    principal = await administrator(request)
    client_id, actor = _client_id(request), actor_of(request, principal)
    now = service_of(request).now()

    def delete(connection: Connection) -> None:
        before = applications.get(connection, principal.tenant_id, client_id)
        applications.delete(connection, principal.tenant_id, client_id)
        changes.record_deleted(connection, actor, before, now)

    await service_of(request).database.write(delete)
    _log.info("application.deleted", tenant=principal.tenant_id, client_id=client_id, by=principal.client_id)
    return Response(status_code=204)


async def add_secret(request: Request) -> Response:
    principal = await administrator(request)
    service, actor = service_of(request), actor_of(request, principal)
    wanted = await body_of(request, wire.NewSecret)
    days = wanted.lifetime_days
    lifetime = service.settings.identity.secret_lifetime_days if days is None else days
    now = service.now()

    def add(connection: Connection) -> NewSecret:
        made = applications.add_secret(
            connection,
            principal.tenant_id,
            _client_id(request),
            name=wanted.name,
            lifetime_days=lifetime,
            now=now,
        )
        changes.record_secret(connection, actor, "secret.added", principal.tenant_id, made.record, now=now)
        return made

    made = await service.database.write(add)
    record = made.record
    _log.info(
        "secret.added",
        tenant=principal.tenant_id,
        client_id=record.client_id,
        secret_id=record.id,
        by=principal.client_id,
    )
    location = f"{PREFIX}/applications/{record.client_id}/secrets/{record.id}"
    return json_answer(shown_secret(made, principal.tenant_id), 201, {**UNCACHED, "location": location})


async def list_secrets(request: Request) -> Response:
    principal = await administrator(request)
    application = service_of(request).database.read(
        lambda connection: applications.get(connection, principal.tenant_id, _client_id(request))
    )
    return json_answer(wire.Secrets(secret_views(application.secrets)))


async def revoke_secret(request: Request) -> Response:
    principal = await administrator(request)
    client_id, secret_id = _client_id(request), str(request.path_params["secretId"]).lower()
    now, actor = service_of(request).now(), actor_of(request, principal)

    def revoke(connection: Connection) -> None:
        before = applications.get(connection, principal.tenant_id, client_id)
        applications.revoke_secret(connection, principal.tenant_id, client_id, secret_id)
        gone = next(secret for secret in before.secrets if secret.id == secret_id)
        changes.record_secret(connection, actor, "secret.revoked", principal.tenant_id, gone, now=now)

    await service_of(request).database.write(revoke)
    _log.info(
        "secret.revoked",
        tenant=principal.tenant_id,
        client_id=client_id,
        secret_id=secret_id,
        by=principal.client_id,
    )
    return Response(status_code=204)


def _client_id(request: Request) -> str:
    return str(request.path_params["clientId"]).lower()


_BAD_BODY = {
    400: Answer("The body is not as it must be; the message names the field.", wire.Problem),
    413: Answer("The body is too large.", wire.Problem),
    415: Answer("The body is not JSON.", wire.Problem),
}
_UNKNOWN = {404: Answer("There is no such application.", wire.Problem)}
_LAST = {409: Answer("It is the last administrator.", wire.Problem)}
_ONE = "/applications/{clientId}"
_SECRETS = f"{_ONE}/secrets"

OPERATIONS = (
    Operation(
        "GET",
        "/applications",
        list_applications,
        "List the applications of the tenant",
        {200: Answer("The applications, oldest first.", wire.Applications)},
        addition=True,
    ),
    Operation(
        "POST",
        "/applications",
        register_application,
        "Register an application",
        {201: Answer("It is registered.", wire.Application, {"Location": "Its address."}), **_BAD_BODY},
        body=wire.NewApplication,
        addition=True,
    ),
    Operation(
        "GET",
        _ONE,
        read_application,
        "Read an application",
        {200: Answer("The application.", wire.Application), **_UNKNOWN},
        addition=True,
    ),
    Operation(
        "PATCH",
        _ONE,
        change_application,
        "Rename, disable or enable an application",
        {200: Answer("It is changed.", wire.Application), **_BAD_BODY, **_UNKNOWN, **_LAST},
        body=wire.ApplicationChange,
        addition=True,
    ),
    Operation(
        "DELETE",
        _ONE,
        delete_application,
        "Delete an application and its secrets",
        {204: Answer("It is deleted."), **_UNKNOWN, **_LAST},
        addition=True,
    ),
    Operation(
        "POST",
        _SECRETS,
        add_secret,
        "Make a further secret of an application",
        {
            201: Answer(
                "The secret, shown this once.", wire.ShownSecret, {"Location": "Its address, for DELETE."}
            ),
            **_BAD_BODY,
            **_UNKNOWN,
        },
        body=wire.NewSecret,
        addition=True,
    ),
    Operation(
        "GET",
        _SECRETS,
        list_secrets,
        "List the secrets of an application, without their values",
        {200: Answer("The secrets, oldest first.", wire.Secrets), **_UNKNOWN},
        addition=True,
    ),
    Operation(
        "DELETE",
        f"{_SECRETS}/{{secretId}}",
        revoke_secret,
        "Revoke a secret",
        {204: Answer("It is revoked."), 404: Answer("There is no such application or secret.", wire.Problem)},
        addition=True,
    ),
)
