"""Rules of role assignments. Each function is one change in one transaction."""

from dataclasses import dataclass, replace

from sqlalchemy import Connection

from headland.control import groups, instances, subscriptions
from headland.control.directory import APPLICATION, Directory, Known
from headland.control.errors import (
    AssignmentFixedError,
    BadFieldError,
    PrincipalNotFoundError,
    PrincipalTypeError,
    RoleAssignmentExistsError,
    RoleNotFoundError,
    SecondDataRoleError,
)
from headland.control.records import Assignment
from headland.control.roles import BY_ID, Role
from headland.control.rows import assignments as rows
from headland.control.scopes import Place, covers, is_guid, key_of, place_of
from headland.security import Principal

#: What a request may say that a principal is.
PRINCIPAL_TYPES = ("User", "Group", "ServicePrincipal", "ForeignGroup", "Device")


@dataclass(frozen=True, slots=True)
class Wanted:
    """An assignment as it is asked for."""

    #: A GUID that the caller made up.
    name: str
    scope: str
    role_definition_id: str
    principal_id: str
    principal_type: str | None
    description: str | None


def check_scope(connection: Connection, scope: str) -> str:
    """The scope in the spelling of what it names.

    Raises:
        ControlError: what it names is not there, or it is no scope.
    """
    place: Place = place_of(scope)
    if place.subscription is None:
        return "/"
    subscriptions.get(connection, place.subscription)
    if place.group is None:
        return f"/subscriptions/{place.subscription}"
    group = groups.get(connection, place.subscription, place.group)
    if place.instance is None:
        return group.id
    return instances.get(connection, place.subscription, place.group, place.instance).id


def create(
    connection: Connection, wanted: Wanted, by: Principal, directory: Directory, now: int
) -> tuple[Assignment, bool]:
    """The assignment, and whether it was made; the same one again is no change but for its description.

    Raises:
        ControlError: what is wrong with it.
    """
    name = wanted.name.lower()
    if not is_guid(name):
        raise BadFieldError(
            f"The role assignment ID '{wanted.name}' is not valid. The role assignment ID must be a GUID.",
            "roleAssignmentName",
        )
    scope = check_scope(connection, wanted.scope)
    role = _role(wanted.role_definition_id)
    principal_id, known_as, kind = _principal(connection, wanted, by, directory)
    present = rows.find(connection, name)
    if present is not None:
        if (present.scope_key, present.role, present.principal_id) != (key_of(scope), role.id, principal_id):
            raise AssignmentFixedError
        rows.describe(connection, name, wanted.description, by.object_id, now)
        return replace(
            present, description=wanted.description, changed_by=by.object_id, changed_at=now
        ), False
    made = Assignment(
        name=name,
        tenant_id=by.tenant_id,
        scope=scope,
        scope_key=key_of(scope),
        role=role.id,
        principal_id=principal_id,
        principal_type=kind,
        description=wanted.description,
        created_by=by.object_id,
        created_at=now,
        changed_by=by.object_id,
        changed_at=now,
    )
    _check_others(connection, made, role, known_as)
    rows.add(connection, made)
    return made, True


def _role(definition_id: str) -> Role:
    """The role of a definition's id, whatever scope stands before it."""
    before, _, guid = definition_id.rpartition("/")
    role = BY_ID.get(guid.lower())
    if role is None or (before and not before.lower().endswith("/microsoft.authorization/roledefinitions")):
        raise RoleNotFoundError(guid or definition_id)
    return role


def _principal(
    connection: Connection, wanted: Wanted, by: Principal, directory: Directory
) -> tuple[str, str, str]:
    """The principal's object id, what it is known as, and its type."""
    id_ = wanted.principal_id.lower()
    if not is_guid(id_):
        raise BadFieldError(
            f"The principal ID '{wanted.principal_id}' is not valid: it is a GUID.", "principalId"
        )
    said = wanted.principal_type
    if said is not None and said not in PRINCIPAL_TYPES:
        raise BadFieldError(
            f"The principal type '{said}' is not valid: it is one of {', '.join(PRINCIPAL_TYPES)}.",
            "principalType",
        )
    known = directory.known(connection, by.tenant_id, id_)
    if known is None and not directory.is_outside(id_):
        raise PrincipalNotFoundError(id_, by.tenant_id)
    if known is None:
        # Of whom a provider elsewhere vouches for, nobody here can say what it is.
        known = Known(id_, APPLICATION)
    # The published SDK says `User` where its caller says nothing.
    if said not in {None, "User", known.kind}:
        raise PrincipalTypeError(id_, known.kind, str(said))
    return id_, *known


def _check_others(connection: Connection, made: Assignment, role: Role, known_as: str) -> None:
    others = rows.of_principal(connection, made.principal_id)
    for other in others:
        if (other.role, other.scope_key) == (made.role, made.scope_key):
            raise RoleAssignmentExistsError(other.name.replace("-", ""))
    if not role.of_data:
        return
    for other in others:
        present = BY_ID[other.role]
        shares = covers(other.scope_key, made.scope_key) or covers(made.scope_key, other.scope_key)
        if present.of_data and present != role and shares:
            raise SecondDataRoleError(known_as, present.name, other.scope, other.name)
