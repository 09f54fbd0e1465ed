"""The first start: tenant, signing key, first administrator and its secret, all or none."""

from dataclasses import dataclass, field

from sqlalchemy import Connection

from headland.audit import Actor
from headland.identity import applications, changes, key_store, store
from headland.identity.errors import NotAdministratorError
from headland.identity.identifiers import new_id
from headland.identity.key_rotation import publish
from headland.identity.keys import SigningKey
from headland.identity.records import Application, Tenant
from headland.settings import Settings

ADMINISTRATOR_NAME = "Administrator"

FIRST_START = Actor(source="headland serve")
RESET = Actor(source="headland reset-administrator")


@dataclass(frozen=True, slots=True)
class FirstAdministrator:
    """An administrator application with a secret just made: shown once, then known to its holder alone."""

    tenant_id: str
    client_id: str
    name: str
    secret: str = field(repr=False)


def initialise(connection: Connection, settings: Settings, now: int) -> FirstAdministrator | None:
    """What the first start makes (`now` in milliseconds since 1970); None where it was made before.

    It is for a writing transaction: of several processes that start at once, one does it.
    """
    lifetime = settings.identity.longest_token_lifetime
    if store.tenants(connection):
        key_store.lengthen(connection, lifetime)
        return None
    tenant = Tenant(new_id(), settings.identity.tenant_name, now)
    store.add_tenant(connection, tenant)
    changes.tenant_created(tenant).put_on_record(connection, FIRST_START, now)
    publish(connection, SigningKey.generate(), FIRST_START, activates_at=now, lifetime=lifetime, now=now)
    administrator = applications.register(
        connection, tenant.id, ADMINISTRATOR_NAME, administrator=True, created_by=None, now=now
    )
    changes.application_registered(administrator).put_on_record(connection, FIRST_START, now)
    return _with_secret(connection, administrator, "First start", FIRST_START, settings, now=now)


def reset_administrator(
    connection: Connection, settings: Settings, now: int, client_id: str | None = None
) -> FirstAdministrator:
    """A further secret for an administrator application, for an operator who has lost the others: the oldest
    enabled one, or the one named. Who can open the database of a home needs no other right.

    Raises:
        NotAdministratorError: there is no enabled administrator, or `client_id` is not one.
    """
    tenants = store.tenants(connection)
    enabled = store.enabled_administrators(connection, tenants[0].id) if tenants else []
    wanted = client_id.lower() if client_id is not None else next(iter(enabled), "")
    if wanted not in enabled:
        raise NotAdministratorError
    administrator = applications.get(connection, tenants[0].id, wanted)
    return _with_secret(connection, administrator, "Reset", RESET, settings, now=now)


def oldest_administrator(connection: Connection) -> tuple[Tenant, str | None] | None:
    """The first tenant, and the object id of its oldest enabled administrator, or None where it has none; None
    where there is no tenant.
    """
    tenant = next(iter(store.tenants(connection)), None)
    if tenant is None:
        return None
    enabled = store.enabled_administrators(connection, tenant.id)
    if not enabled:
        return tenant, None
    return tenant, applications.get(connection, tenant.id, enabled[0]).object_id


def _with_secret(
    connection: Connection,
    administrator: Application,
    name: str,
    actor: Actor,
    settings: Settings,
    *,
    now: int,
) -> FirstAdministrator:
    made = applications.add_secret(
        connection,
        administrator.tenant_id,
        administrator.client_id,
        name=name,
        lifetime_days=settings.identity.secret_lifetime_days,
        now=now,
    )
    changes.secret_added(administrator.tenant_id, made.record).put_on_record(connection, actor, now)
    return FirstAdministrator(
        administrator.tenant_id, administrator.client_id, administrator.name, made.value
    )
