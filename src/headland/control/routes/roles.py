"""Role definitions, role assignments, and what the caller may do."""

from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import Response

from headland.audit import Change
from headland.control import assignments, changes, paging, wire
from headland.control.declaring import CONFLICT, FILTER, GONE, MISSING, ROLES, TOKEN, named, operation, reads
from headland.control.errors import AssignmentNotFoundError, NotSupportedError, RoleNotFoundError
from headland.control.filters import Filters, parse
from headland.control.records import Assignment
from headland.control.roles import BY_ID, Role
from headland.control.roles import ROLES as ALL
from headland.control.rows import assignments as rows
from headland.control.scopes import key_of, place_of
from headland.control.service import body_of, caller, path, service_of
from headland.control.views import assignment_view, permission_view, role_view
from headland.http.answers import json_answer
from headland.http.operations import Answer

_ACTION = "Microsoft.Authorization"

_ROLE_FILTERS: Filters[Role] = Filters(
    values={"rolename": lambda role: role.name, "type": lambda _: "BuiltInRole"},
    # Built-in roles are at every scope.
    functions={"atscope": lambda _role, _given: True, "atscopeandbelow": lambda _role, _given: True},
)

_ASSIGNMENT_FILTERS: Filters[Assignment] = Filters(
    values={"principalid": lambda item: item.principal_id},
    functions={
        # What is listed is chosen by it before.
        "atscope": lambda _item, _given: True,
        "assignedto": lambda item, given: len(given) == 1 and item.principal_id == given[0].lower(),
    },
)


async def list_definitions(request: Request) -> Response:
    scope = _scope(request)
    found = _ROLE_FILTERS.select(ALL, request.query_params.get("$filter"))
    return json_answer(wire.RoleDefinitionList([role_view(role, scope) for role in found]))


async def read_definition(request: Request) -> Response:
    scope, id_ = _scope(request), path(request, "roleDefinitionId")
    role = BY_ID.get(id_.lower())
    if role is None:
        raise RoleNotFoundError(id_)
    return json_answer(role_view(role, scope))


async def refuse_definition(request: Request) -> Response:
    _scope(request)
    raise NotSupportedError("Roles of your own are not supported: assign one of those that there are.")


async def put_assignment(request: Request) -> Response:
    service = service_of(request)
    body = (await body_of(request, wire.NewRoleAssignment)).properties
    if body.condition:
        raise NotSupportedError(
            "condition: role assignments have no conditions here.", "properties.condition"
        )
    wanted = assignments.Wanted(
        name=path(request, "roleAssignmentName"),
        scope="/" + path(request, "scope"),
        role_definition_id=body.role_definition_id,
        principal_id=body.principal_id,
        principal_type=body.principal_type,
        description=body.description,
    )
    now = service.now()

    def put(connection: Connection) -> tuple[tuple[Assignment, bool], Change | None]:
        before = rows.find(connection, wanted.name.lower())
        assignment, made = assignments.create(connection, wanted, caller(request), service.directory, now)
        if before is None:
            return (assignment, made), changes.role_assigned(assignment)
        return (assignment, made), changes.role_described(before, assignment)

    assignment, made = await service.change(request, put)
    return json_answer(assignment_view(assignment), 201 if made else 200)


async def read_assignment(request: Request) -> Response:
    found = service_of(request).read(lambda connection: _find(connection, request))
    if found is None:
        raise AssignmentNotFoundError(path(request, "roleAssignmentName"))
    return json_answer(assignment_view(found))


async def delete_assignment(request: Request) -> Response:
    def delete(connection: Connection) -> tuple[Assignment | None, Change | None]:
        found = _find(connection, request)
        if found is None:
            return None, None
        rows.delete(connection, found.name)
        return found, changes.role_removed(found)

    deleted = await service_of(request).change(request, delete)
    return Response(status_code=204) if deleted is None else json_answer(assignment_view(deleted))


async def list_assignments(request: Request) -> Response:
    service = service_of(request)
    scope = key_of(_scope(request))
    text = request.query_params.get("$filter")
    # Without `atScope()`, what is below the scope is listed as well.
    above_only = bool(text) and any(
        getattr(term, "name", "") == "atscope" for terms in parse(text or "") for term in terms
    )

    def look(connection: Connection) -> list[Assignment]:
        above = rows.at(connection, _above(scope))
        return above if above_only else [*above, *rows.at_or_below(connection, scope)]

    tenant = caller(request).tenant_id
    found = {item.name: item for item in service.read(look) if item.tenant_id == tenant}
    selected = _ASSIGNMENT_FILTERS.select(sorted(found.values(), key=lambda item: item.name), text)
    page = paging.asked(request, "$top")
    shown, token = paging.cut(selected, lambda item: item.name, page)
    link = paging.next_link(request, service.public_url, token)
    return json_answer(wire.RoleAssignmentList([assignment_view(item) for item in shown], link))


async def list_permissions(request: Request) -> Response:
    # Whether there is something at the scope is not for everybody to know.
    scope = "/" + path(request, "scope").strip("/")
    place_of(scope)
    roles = service_of(request).authorizer.roles(caller(request), scope)
    return json_answer(
        wire.PermissionList([permission_view(role) for role in sorted(roles, key=lambda role: role.name)])
    )


def _scope(request: Request) -> str:
    """The scope in the path, in the spelling of what it names."""
    scope = "/" + path(request, "scope").strip("/")
    return service_of(request).read(lambda connection: assignments.check_scope(connection, scope))


def _above(scope: str) -> list[str]:
    """The scope, and those above it, as they are compared."""
    parts = scope.strip("/").split("/") if scope != "/" else []
    # Of a subscription, of a group in it, and of an instance in that.
    return ["/", *("/" + "/".join(parts[:length]) for length in (2, 4, 8) if len(parts) >= length)]


def _find(connection: Connection, request: Request) -> Assignment | None:
    scope = key_of(assignments.check_scope(connection, "/" + path(request, "scope")))
    found = rows.find(connection, path(request, "roleAssignmentName").lower())
    return found if found is not None and found.scope_key == scope else None


_DEFINITIONS = f"{ROLES}/roleDefinitions"
_ASSIGNMENTS = f"{ROLES}/roleAssignments"
_DEFINITION = f"{_DEFINITIONS}/{{roleDefinitionId}}"
_ASSIGNMENT = f"{_ASSIGNMENTS}/{{roleAssignmentName}}"

OPERATIONS = (
    reads(
        _DEFINITIONS,
        list_definitions,
        "List roles",
        wire.RoleDefinitionList,
        action=f"{_ACTION}/roleDefinitions/read",
        parameters=(FILTER,),
    ),
    reads(
        _DEFINITION,
        read_definition,
        "Read a role",
        wire.RoleDefinition,
        action=f"{_ACTION}/roleDefinitions/read",
    ),
    operation(
        "PUT",
        _DEFINITION,
        named(refuse_definition, "put_definition"),
        "Refuse to make a role",
        MISSING,
        action=f"{_ACTION}/roleDefinitions/write",
    ),
    operation(
        "DELETE",
        _DEFINITION,
        named(refuse_definition, "delete_definition"),
        "Refuse to delete a role",
        MISSING,
        action=f"{_ACTION}/roleDefinitions/delete",
    ),
    reads(
        _ASSIGNMENTS,
        list_assignments,
        "List the role assignments that hold at a scope, and those below it",
        wire.RoleAssignmentList,
        action=f"{_ACTION}/roleAssignments/read",
        parameters=(FILTER, TOKEN),
    ),
    operation(
        "PUT",
        _ASSIGNMENT,
        put_assignment,
        "Give an application a role",
        {
            200: Answer("It had it by this very assignment.", wire.RoleAssignment),
            201: Answer("It has it now.", wire.RoleAssignment),
            **MISSING,
            **CONFLICT,
        },
        action=f"{_ACTION}/roleAssignments/write",
        body=wire.NewRoleAssignment,
    ),
    reads(
        _ASSIGNMENT,
        read_assignment,
        "Read a role assignment",
        wire.RoleAssignment,
        action=f"{_ACTION}/roleAssignments/read",
    ),
    operation(
        "DELETE",
        _ASSIGNMENT,
        delete_assignment,
        "Take a role from an application, at once",
        {200: Answer("It has it no more.", wire.RoleAssignment), **GONE, **MISSING},
        action=f"{_ACTION}/roleAssignments/delete",
    ),
    reads(
        f"{ROLES}/permissions",
        list_permissions,
        "List what the caller's roles at a scope allow",
        wire.PermissionList,
        action=None,
    ),
)
