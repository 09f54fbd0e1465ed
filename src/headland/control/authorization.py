"""The decision whether somebody may do something somewhere, from the rows of role assignments."""

from sqlalchemy import Connection

from headland.control.actions import is_data_action
from headland.control.roles import BY_ID, OWNER, SERVICE_ADMIN, Role
from headland.control.rows import assignments, subscriptions
from headland.control.scopes import covers, key_of, subscription_in
from headland.database import Database
from headland.security import Principal

#: What a principal has: scope, role, and the tenant whose subscriptions an assignment at `/` is about.
_Held = tuple[tuple[str, str, str], ...]

#: Administrators need no assignments.
_ADMINISTRATORS = frozenset({OWNER, SERVICE_ADMIN})


class RoleAuthorizer:
    """`headland.security.Authorizer` by roles.

    What it reads is remembered as long as nothing is committed by whatever process, so an assignment that was
    removed counts no more for the very next request, anywhere.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def allows(self, principal: Principal, action: str, scope: str) -> bool:
        """Whether one of the principal's roles at `scope` or above it has `action`.

        Administrators may do everything in their own tenant, as owners of it and of its data.

        Raises:
            DatabaseUnavailableError: the roles can't be read now.
        """
        data = is_data_action(action)
        return any(role.allows(action, data=data) for role in self.roles(principal, scope))

    def allows_within(self, principal: Principal, action: str, scope: str) -> bool:
        """Whether one of the principal's roles has `action` at `scope`, or at something in it.

        Raises:
            DatabaseUnavailableError: the roles can't be read now.
        """
        if self.allows(principal, action, scope):
            return True
        data, outer = is_data_action(action), key_of(scope)
        return any(
            covers(outer, held) and BY_ID[role].allows(action, data=data)
            for held, role, _ in self._held(principal.object_id)
        )

    def roles(self, principal: Principal, scope: str) -> frozenset[Role]:
        """The principal's roles at `scope`.

        Raises:
            DatabaseUnavailableError: they can't be read now.
        """
        wanted = key_of(scope)
        tenant = self._tenant(wanted, principal)
        if principal.administrator and tenant == principal.tenant_id:
            return _ADMINISTRATORS
        return frozenset(
            BY_ID[role]
            for held, role, of in self._held(principal.object_id)
            if covers(held, wanted) and (held != "/" or of == tenant)
        )

    def _tenant(self, scope: str, principal: Principal) -> str:
        """Whose the subscription is; what is in none is everybody's own."""
        id_ = subscription_in(scope)
        if id_ is None:
            return principal.tenant_id
        found = self._database.read_remembered(
            ("subscription", id_), lambda connection: subscriptions.find(connection, id_)
        )
        return found.tenant_id if found is not None else ""

    def _held(self, principal_id: str) -> _Held:
        def look(connection: Connection) -> _Held:
            return tuple(
                (item.scope_key, item.role, item.tenant_id)
                for item in assignments.of_principal(connection, principal_id)
            )

        return self._database.read_remembered(("roles", principal_id), look)
