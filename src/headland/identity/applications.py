"""Rules of applications and their secrets. Each function is one change, or one look, in one transaction.

An application is seen within its own tenant alone; for others it does not exist.
"""

from sqlalchemy import Connection

from headland.identity import store
from headland.identity.client_secrets import NewSecret, new_secret
from headland.identity.errors import (
    ApplicationNotFoundError,
    InvalidFieldError,
    LastAdministratorError,
    SecretNotFoundError,
)
from headland.identity.identifiers import is_guid, new_id
from headland.identity.names import check_name
from headland.identity.records import Application, Secret

LONGEST_LIFETIME_DAYS = 3650


def register(
    connection: Connection,
    tenant_id: str,
    name: str,
    *,
    administrator: bool,
    created_by: str | None,
    now: int,
) -> Application:
    """A new application, without secrets; `created_by` is the object id of who registers it.

    Raises:
        InvalidFieldError: `name` is no name.
    """
    check_name(name)
    application = Application(
        client_id=new_id(),
        tenant_id=tenant_id,
        object_id=new_id(),
        name=name,
        administrator=administrator,
        created_at=now,
        created_by=created_by,
        disabled_at=None,
    )
    store.add_application(connection, application)
    return application


def get(connection: Connection, tenant_id: str, client_id: str) -> Application:
    """The application with its secrets.

    Raises:
        ApplicationNotFoundError: the tenant has none with that id.
    """
    application = store.find_application(connection, client_id.lower()) if is_guid(client_id) else None
    if application is None or application.tenant_id != tenant_id:
        raise ApplicationNotFoundError
    return application


def change(
    connection: Connection,
    tenant_id: str,
    client_id: str,
    *,
    name: str | None,
    disabled: bool | None,
    now: int,
    keep_administrator: bool = True,
) -> Application:
    """The application with another name, or disabled, or enabled again; None leaves a thing as it is.

    With `keep_administrator` the tenant's last one stays enabled.

    Raises:
        ApplicationNotFoundError: the tenant has none with that id.
        InvalidFieldError: `name` is no name.
        LastAdministratorError: it may not be disabled.
    """
    application = get(connection, tenant_id, client_id)
    if name is not None:
        check_name(name)
        store.rename_application(connection, application.client_id, name)
    if disabled is not None and disabled != (application.disabled_at is not None):
        if disabled and keep_administrator:
            _check_not_last(connection, application)
        store.set_disabled(connection, application.client_id, now if disabled else None)
    return get(connection, tenant_id, client_id)


def delete(
    connection: Connection, tenant_id: str, client_id: str, *, keep_administrator: bool = True
) -> Application:
    """Delete the application, its secrets and certificates; what it was. Its tokens open nothing here any more.

    With `keep_administrator` the tenant's last one stays.

    Raises:
        ApplicationNotFoundError: the tenant has none with that id.
        LastAdministratorError: it may not be deleted.
    """
    application = get(connection, tenant_id, client_id)
    if keep_administrator:
        _check_not_last(connection, application)
    store.delete_application(connection, application.client_id)
    return application


def add_secret(
    connection: Connection,
    tenant_id: str,
    client_id: str,
    *,
    name: str | None,
    lifetime_days: int,
    now: int,
    created_by: str | None = None,
) -> NewSecret:
    """A further secret of the application; those it has stay good. `created_by` is the object id of who makes it.

    Raises:
        ApplicationNotFoundError: the tenant has none with that id.
        InvalidFieldError: `name` is no name, or the lifetime is out of range.
    """
    application = get(connection, tenant_id, client_id)
    if name is not None:
        check_name(name)
    if not 1 <= lifetime_days <= LONGEST_LIFETIME_DAYS:
        raise InvalidFieldError("lifetimeDays", f"must be between 1 and {LONGEST_LIFETIME_DAYS}.")
    made = new_secret(application.client_id, name, now, lifetime_days, created_by)
    store.add_secret(connection, made.record)
    return made


def revoke_secret(connection: Connection, tenant_id: str, client_id: str, secret_id: str) -> Secret:
    """Delete a secret: nobody gets a token by it any more. What it was.

    Raises:
        ApplicationNotFoundError: the tenant has none with that id.
        SecretNotFoundError: the application has no such secret.
    """
    application = get(connection, tenant_id, client_id)
    gone = next((secret for secret in application.secrets if secret.id == secret_id.lower()), None)
    if gone is None:
        raise SecretNotFoundError
    store.delete_secret(connection, gone.id)
    return gone


def _check_not_last(connection: Connection, application: Application) -> None:
    if store.enabled_administrators(connection, application.tenant_id) == [application.client_id]:
        raise LastAdministratorError
