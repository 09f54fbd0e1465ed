"""Records as they go over the wire."""

from datetime import UTC, datetime, timedelta

from headland.identity import wire
from headland.identity.client_secrets import NewSecret
from headland.identity.records import Application, Certificate, Secret, Tenant

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def application_view(application: Application, tenant_name: str) -> wire.Application:
    return wire.Application(
        client_id=application.client_id,
        tenant_id=application.tenant_id,
        tenant_name=tenant_name,
        object_id=application.object_id,
        name=application.name,
        administrator=application.administrator,
        disabled=application.disabled_at is not None,
        created_at=moment(application.created_at),
        created_by=application.created_by,
        last_used_at=perhaps(application.last_used_at),
        secrets=secret_views(application.secrets),
    )


def secret_views(secrets: tuple[Secret, ...]) -> list[wire.Secret]:
    return [
        wire.Secret(
            id=secret.id,
            name=secret.name,
            hint=secret.hint,
            created_at=moment(secret.created_at),
            created_by=secret.created_by,
            expires_at=moment(secret.expires_at),
            last_used_at=perhaps(secret.last_used_at),
        )
        for secret in secrets
    ]


def shown_secret(made: NewSecret, tenant_id: str) -> wire.ShownSecret:
    record = made.record
    return wire.ShownSecret(
        id=record.id,
        secret=made.value,
        hint=record.hint,
        name=record.name,
        created_at=moment(record.created_at),
        expires_at=moment(record.expires_at),
        client_id=record.client_id,
        tenant_id=tenant_id,
    )


def certificate_view(certificate: Certificate) -> wire.Certificate:
    return wire.Certificate(
        id=certificate.id,
        name=certificate.name,
        thumbprint=certificate.thumbprint.hex().upper(),
        thumbprint_sha256=certificate.thumbprint_sha256.hex().upper(),
        subject=certificate.subject,
        starts_at=moment(certificate.starts_at),
        expires_at=moment(certificate.expires_at),
        created_at=moment(certificate.created_at),
        created_by=certificate.created_by,
        last_used_at=perhaps(certificate.last_used_at),
    )


def tenant_view(tenant: Tenant) -> wire.Tenant:
    return wire.Tenant(tenant.id, tenant.name, moment(tenant.created_at), tenant.created_by)


def perhaps(milliseconds: int | None) -> datetime | None:
    return None if milliseconds is None else moment(milliseconds)


def moment(milliseconds: int) -> datetime:
    # Not `fromtimestamp`: a float has no exact milliseconds.
    return _EPOCH + timedelta(milliseconds=milliseconds)
