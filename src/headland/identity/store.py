"""Rows of tenants, applications, secrets and certificates."""

from collections.abc import Sequence
from dataclasses import asdict
from itertools import groupby
from operator import itemgetter
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, Row

from headland.identity.records import Application, Certificate, Secret, Tenant
from headland.identity.tables import application, certificate, secret, tenant

_APPLICATION_COLUMNS = tuple(application.columns)

# One statement for an application and its secrets: it is run for every token.
_WITH_SECRETS = sa.select(
    *_APPLICATION_COLUMNS, *(column.label(f"secret_{column.name}") for column in secret.columns)
).select_from(application.outerjoin(secret, secret.c.client_id == application.c.client_id))

_ONE_WITH_SECRETS = _WITH_SECRETS.where(application.c.client_id == sa.bindparam("client_id")).order_by(
    secret.c.created_at, secret.c.id
)

_ALL_WITH_SECRETS = _WITH_SECRETS.where(application.c.tenant_id == sa.bindparam("tenant_id")).order_by(
    application.c.created_at, application.c.client_id, secret.c.created_at, secret.c.id
)


def tenants(connection: Connection) -> list[Tenant]:
    """All tenants, oldest first."""
    rows = connection.execute(sa.select(tenant).order_by(tenant.c.created_at, tenant.c.id))
    return [Tenant(*row) for row in rows]


def add_tenant(connection: Connection, new: Tenant) -> None:
    connection.execute(tenant.insert().values(asdict(new)))


def rename_tenant(connection: Connection, tenant_id: str, name: str) -> None:
    connection.execute(tenant.update().where(tenant.c.id == tenant_id).values(name=name))


def delete_tenant(connection: Connection, tenant_id: str) -> None:
    """Nothing belongs to it."""
    connection.execute(tenant.delete().where(tenant.c.id == tenant_id))


def find_application(connection: Connection, client_id: str) -> Application | None:
    """The application with its secrets, in one query."""
    rows = connection.execute(_ONE_WITH_SECRETS, {"client_id": client_id}).all()
    return _joined(rows) if rows else None


def applications(connection: Connection, tenant_id: str) -> list[Application]:
    """A tenant's applications with their secrets, oldest first, in one query."""
    rows = connection.execute(_ALL_WITH_SECRETS, {"tenant_id": tenant_id})
    return [_joined(list(group)) for _, group in groupby(rows, key=itemgetter(0))]


def find_by_object_id(connection: Connection, object_id: str) -> tuple[str, str] | None:
    """Tenant and name of the application with that object id."""
    row = connection.execute(
        sa.select(application.c.tenant_id, application.c.name).where(application.c.object_id == object_id)
    ).first()
    return (row.tenant_id, row.name) if row is not None else None


def add_application(connection: Connection, new: Application) -> None:
    """Its row alone; secrets are added one by one."""
    connection.execute(
        application.insert().values(
            {column.name: getattr(new, column.name) for column in _APPLICATION_COLUMNS}
        )
    )


def rename_application(connection: Connection, client_id: str, name: str) -> None:
    connection.execute(application.update().where(application.c.client_id == client_id).values(name=name))


def set_disabled(connection: Connection, client_id: str, disabled_at: int | None) -> None:
    connection.execute(
        application.update().where(application.c.client_id == client_id).values(disabled_at=disabled_at)
    )


def delete_application(connection: Connection, client_id: str) -> None:
    """Its secrets and certificates go with it."""
    connection.execute(application.delete().where(application.c.client_id == client_id))


def enabled_administrators(connection: Connection, tenant_id: str) -> list[str]:
    """Client ids of the tenant's administrators that may get tokens, oldest first."""
    found = sa.select(application.c.client_id).where(
        application.c.tenant_id == tenant_id,
        application.c.administrator.is_(True),
        application.c.disabled_at.is_(None),
    )
    return list(
        connection.execute(found.order_by(application.c.created_at, application.c.client_id)).scalars()
    )


def add_secret(connection: Connection, new: Secret) -> None:
    connection.execute(secret.insert().values(asdict(new)))


def delete_secret(connection: Connection, secret_id: str) -> None:
    connection.execute(secret.delete().where(secret.c.id == secret_id))


def certificates(connection: Connection, client_id: str) -> list[Certificate]:
    """An application's certificates, oldest first."""
    found = sa.select(certificate).where(certificate.c.client_id == client_id)
    rows = connection.execute(found.order_by(certificate.c.created_at, certificate.c.id))
    return [Certificate(*row) for row in rows]


def add_certificate(connection: Connection, new: Certificate) -> None:
    connection.execute(certificate.insert().values(asdict(new)))


def delete_certificate(connection: Connection, certificate_id: str) -> None:
    connection.execute(certificate.delete().where(certificate.c.id == certificate_id))


def _joined(rows: Sequence[Row[Any]]) -> Application:
    # Columns stand in the order of the records' fields; an application without secrets has one row of nulls.
    width = len(_APPLICATION_COLUMNS)
    secrets = tuple(Secret(*row[width:]) for row in rows if row[width] is not None)
    return Application(*(*rows[0][:width], secrets))
