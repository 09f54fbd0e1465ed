"""The tenants' applications and people, as the control plane asks for them."""

import uuid
from typing import Final

from sqlalchemy import Connection

from headland.control.directory import Known
from headland.identity import store
from headland.identity.people import store as people

#: Of the GUIDs that stand for them (`headland.security.outside.claims`).
OUTSIDE_VERSION: Final = 5


class IdentityDirectory:
    """`headland.control.Directory` on the identity service's rows."""

    def __init__(self, *, outside: bool) -> None:
        """`outside` says whether tokens of providers elsewhere are taken."""
        self._outside = outside

    def known(self, connection: Connection, tenant_id: str, object_id: str) -> Known | None:
        """The tenant's application or person with that object id; None where it has none such."""
        found = store.find_by_object_id(connection, object_id)
        if found is not None:
            return Known(found[1], "ServicePrincipal") if found[0] == tenant_id else None
        person = people.find(connection, object_id)
        return Known(person.name, "User") if person is not None and person.tenant_id == tenant_id else None

    def tenant_name(self, connection: Connection, tenant_id: str) -> str | None:
        """What the tenant is called; None where there is none."""
        return next((tenant.name for tenant in store.tenants(connection) if tenant.id == tenant_id), None)

    def is_outside(self, object_id: str) -> bool:
        """Whether it can be the object id of one of theirs, where tokens of providers elsewhere are taken: whom they
        know can't be looked up.
        """
        return self._outside and uuid.UUID(object_id).version == OUTSIDE_VERSION
