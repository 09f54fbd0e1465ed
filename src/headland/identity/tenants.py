"""Rules of tenants. Each function is one change, or one look, in one transaction.

The first tenant is the deployment's own: its administrators see and change all tenants. Administrators of any
other see theirs alone, and administer nothing besides.
"""

from collections.abc import Callable

from sqlalchemy import Connection

from headland.identity import store
from headland.identity.errors import (
    ForbiddenError,
    InvalidFieldError,
    NotOperatorError,
    TenantNameTakenError,
    TenantNotEmptyError,
    TenantNotFoundError,
)
from headland.identity.identifiers import is_guid, new_id
from headland.identity.names import check_name
from headland.identity.people import store as person_store
from headland.identity.records import Tenant
from headland.security import Principal

#: Something that belongs to the tenant with an id, in words; None where nothing does.
Belongings = Callable[[Connection, str], str | None]

#: Names that clients send for something else than a tenant.
RESERVED = frozenset({"common", "organizations", "consumers", "adfs"})


def of(connection: Connection, principal: Principal) -> Tenant:
    """The caller's own tenant.

    Raises:
        ForbiddenError: it is a tenant of another issuer.
    """
    found = next((tenant for tenant in store.tenants(connection) if tenant.id == principal.tenant_id), None)
    if found is None:
        raise ForbiddenError
    return found


def visible(connection: Connection, principal: Principal) -> list[Tenant]:
    """The tenants that the caller may see, oldest first.

    Raises:
        ForbiddenError: it is of another issuer.
    """
    own = of(connection, principal)
    return store.tenants(connection) if own.first else [own]


def find(connection: Connection, principal: Principal, named: str) -> Tenant:
    """The tenant with that id or name, in whatever case.

    Raises:
        ForbiddenError: the caller is of another issuer.
        TenantNotFoundError: there is none that the caller may see.
    """
    seen = visible(connection, principal)
    wanted = named.casefold()
    for tenant in (*(t for t in seen if t.id == wanted), *(t for t in seen if t.name.casefold() == wanted)):
        return tenant
    raise TenantNotFoundError


def create(connection: Connection, principal: Principal, name: str, now: int) -> Tenant:
    """A new tenant, without applications.

    Raises:
        ForbiddenError: the caller is of another issuer.
        NotOperatorError: it is of another tenant than the first.
        InvalidFieldError: `name` is no name for a tenant.
        TenantNameTakenError: another one has it.
    """
    _check_operator(connection, principal)
    _check_free(connection, name, None)
    made = Tenant(new_id(), name, now, principal.object_id)
    store.add_tenant(connection, made)
    return made


def rename(connection: Connection, principal: Principal, named: str, name: str) -> Tenant:
    """The tenant under another name. Its id, which stands in tokens, stays.

    Raises:
        As `create` and `find`.
    """
    _check_operator(connection, principal)
    tenant = find(connection, principal, named)
    _check_free(connection, name, tenant)
    store.rename_tenant(connection, tenant.id, name)
    return find(connection, principal, tenant.id)


def delete(connection: Connection, principal: Principal, named: str, belongings: Belongings) -> Tenant:
    """Delete a tenant to which nothing belongs any more; what it was.

    Args:
        belongings: names something that belongs to a tenant elsewhere than here, if anything does.

    Raises:
        ForbiddenError: the caller is of another issuer.
        NotOperatorError: it is of another tenant than the first.
        TenantNotFoundError: there is no such tenant.
        TenantNotEmptyError: it has applications or people, or something else belongs to it.
    """
    _check_operator(connection, principal)
    tenant = find(connection, principal, named)
    applications = store.applications(connection, tenant.id)
    people = person_store.people(connection, tenant.id)
    if applications:
        other: str | None = f"application {applications[0].client_id}"
    elif people:
        other = f"person {people[0].user_name}"
    else:
        other = belongings(connection, tenant.id)
    if other is not None:
        raise TenantNotEmptyError(other)
    store.delete_tenant(connection, tenant.id)
    return tenant


def _check_operator(connection: Connection, principal: Principal) -> None:
    if not of(connection, principal).first:
        raise NotOperatorError


def _check_free(connection: Connection, name: str, besides: Tenant | None) -> None:
    check_name(name)
    wanted = name.casefold()
    if is_guid(name) or wanted in RESERVED:
        raise InvalidFieldError("name", "must be neither a GUID nor a word that stands for any tenant.")
    if any(tenant.name.casefold() == wanted for tenant in store.tenants(connection) if tenant != besides):
        raise TenantNameTakenError
