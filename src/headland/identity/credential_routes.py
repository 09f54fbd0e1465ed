"""Headland's own API of what applications show themselves by: secrets and certificates."""

from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import Response

from headland.audit import Change
from headland.http.answers import json_answer
from headland.http.operations import Answer, Operation
from headland.identity import applications, certificates, changes, wire
from headland.identity.admin_service import administrator, body_of, carry_out, place_of, service_of
from headland.identity.application_routes import (
    BAD_BODY,
    ONE,
    PREFIX,
    TENANT,
    UNKNOWN,
    client_id_of,
)
from headland.identity.client_certificates import read_certificate
from headland.identity.service import UNCACHED
from headland.identity.views import certificate_view, secret_views, shown_secret


async def add_secret(request: Request) -> Response:
    principal = await administrator(request)
    service = service_of(request)
    wanted = await body_of(request, wire.NewSecret)
    days = wanted.lifetime_days
    lifetime = service.settings.identity.secret_lifetime_days if days is None else days
    now = service.now()

    def add(connection: Connection) -> tuple[wire.ShownSecret, Change]:
        tenant = place_of(connection, principal, request).tenant
        made = applications.add_secret(
            connection,
            tenant.id,
            client_id_of(request),
            name=wanted.name,
            lifetime_days=lifetime,
            now=now,
            created_by=principal.object_id,
        )
        return shown_secret(made, tenant.id), changes.secret_added(tenant.id, made.record)

    made = await carry_out(request, principal, add)
    location = f"{PREFIX}/applications/{made.client_id}/secrets/{made.id}"
    return json_answer(made, 201, {**UNCACHED, "location": location})


async def list_secrets(request: Request) -> Response:
    principal = await administrator(request)

    def look(connection: Connection) -> wire.Secrets:
        tenant = place_of(connection, principal, request).tenant
        return wire.Secrets(
            secret_views(applications.get(connection, tenant.id, client_id_of(request)).secrets)
        )

    return json_answer(service_of(request).database.read(look))


async def revoke_secret(request: Request) -> Response:
    principal = await administrator(request)
    secret_id = str(request.path_params["secretId"])

    def revoke(connection: Connection) -> tuple[None, Change]:
        tenant = place_of(connection, principal, request).tenant
        gone = applications.revoke_secret(connection, tenant.id, client_id_of(request), secret_id)
        return None, changes.secret_revoked(tenant.id, gone)

    await carry_out(request, principal, revoke)
    return Response(status_code=204)


async def add_certificate(request: Request) -> Response:
    principal = await administrator(request)
    wanted = await body_of(request, wire.NewCertificate)
    read = read_certificate(
        wanted.certificate,
        client_id_of(request),
        name=wanted.name,
        created_by=principal.object_id,
        now=service_of(request).now(),
    )

    def add(connection: Connection) -> tuple[wire.Certificate, Change]:
        tenant = place_of(connection, principal, request).tenant
        made = certificates.add(connection, tenant.id, client_id_of(request), read)
        return certificate_view(made), changes.certificate_added(tenant.id, made)

    made = await carry_out(request, principal, add)
    location = f"{PREFIX}/applications/{client_id_of(request)}/certificates/{made.id}"
    return json_answer(made, 201, {"location": location})


async def list_certificates(request: Request) -> Response:
    principal = await administrator(request)

    def look(connection: Connection) -> wire.Certificates:
        tenant = place_of(connection, principal, request).tenant
        found = certificates.of(connection, tenant.id, client_id_of(request))
        return wire.Certificates([certificate_view(certificate) for certificate in found])

    return json_answer(service_of(request).database.read(look))


async def remove_certificate(request: Request) -> Response:
    principal = await administrator(request)
    certificate_id = str(request.path_params["certificateId"]).lower()

    def remove(connection: Connection) -> tuple[None, Change]:
        tenant = place_of(connection, principal, request).tenant
        gone = certificates.remove(connection, tenant.id, client_id_of(request), certificate_id)
        return None, changes.certificate_removed(tenant.id, gone)

    await carry_out(request, principal, remove)
    return Response(status_code=204)


_SECRETS = f"{ONE}/secrets"
_CERTIFICATES = f"{ONE}/certificates"

OPERATIONS = (
    Operation(
        "POST",
        _SECRETS,
        add_secret,
        "Make a further secret of an application",
        {
            201: Answer(
                "The secret, shown this once.", wire.ShownSecret, {"Location": "Its address, for DELETE."}
            ),
            **BAD_BODY,
            **UNKNOWN,
        },
        body=wire.NewSecret,
        parameters=(TENANT,),
        addition=True,
    ),
    Operation(
        "GET",
        _SECRETS,
        list_secrets,
        "List the secrets of an application, without their values",
        {200: Answer("The secrets, oldest first.", wire.Secrets), **UNKNOWN},
        parameters=(TENANT,),
        addition=True,
    ),
    Operation(
        "DELETE",
        f"{_SECRETS}/{{secretId}}",
        revoke_secret,
        "Revoke a secret",
        {204: Answer("It is revoked."), 404: Answer("There is no such application or secret.", wire.Problem)},
        parameters=(TENANT,),
        addition=True,
    ),
    Operation(
        "POST",
        _CERTIFICATES,
        add_certificate,
        "Register a certificate of an application",
        {
            201: Answer("It is registered.", wire.Certificate, {"Location": "Its address, for DELETE."}),
            **BAD_BODY,
            **UNKNOWN,
            409: Answer("The application has that certificate.", wire.Problem),
        },
        body=wire.NewCertificate,
        parameters=(TENANT,),
        addition=True,
    ),
    Operation(
        "GET",
        _CERTIFICATES,
        list_certificates,
        "List the certificates of an application",
        {200: Answer("The certificates, oldest first.", wire.Certificates), **UNKNOWN},
        parameters=(TENANT,),
        addition=True,
    ),
    Operation(
        "DELETE",
        f"{_CERTIFICATES}/{{certificateId}}",
        remove_certificate,
        "Remove a certificate",
        {
            204: Answer("It is removed."),
            404: Answer("There is no such application or certificate.", wire.Problem),
        },
        parameters=(TENANT,),
        addition=True,
    ),
)
