"""Rows of tenants, applications, secrets and signing keys."""

from collections.abc import Sequence
from dataclasses import asdict
from itertools import groupby
from operator import itemgetter
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, Row

from headland.identity.records import Application, Secret, Tenant
from headland.identity.tables import application, secret, signing_key, tenant

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


def signing_keys(connection: Connection) -> list[str]:
    """Private keys in PEM, newest first: the first one signs, all are published."""
    newest_first = sa.select(signing_key.c.private_key).order_by(
        signing_key.c.created_at.desc(), signing_key.c.kid
    )
    return list(connection.execute(newest_first).scalars())


def add_signing_key(connection: Connection, kid: str, private_key: str, created_at: int) -> None:
    connection.execute(signing_key.insert().values(kid=kid, private_key=private_key, created_at=created_at))


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
    """Its secrets go with it."""
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


def delete_secret(connection: Connection, client_id: str, secret_id: str) -> bool:
    """Whether there was one."""
    deleted = connection.execute(
        secret.delete().where(secret.c.client_id == client_id, secret.c.id == secret_id)
    )
    return deleted.rowcount == 1


def _joined(rows: Sequence[Row[Any]]) -> Application:
    # Columns stand in the order of the records' fields; an application without secrets has one row of nulls.
    width = len(_APPLICATION_COLUMNS)
    secrets = tuple(Secret(*row[width:]) for row in rows if row[width] is not None)
    return Application(*(*rows[0][:width], secrets))
