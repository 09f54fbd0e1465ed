"""Who is calling."""

from dataclasses import dataclass

#: The `roles` claim of an application that may administer this deployment.
ADMINISTRATOR = "Administrator"

#: The `roles` claim of an application that may administer its own tenant, and nothing besides.
TENANT_ADMINISTRATOR = "TenantAdministrator"


@dataclass(frozen=True, slots=True)
class Principal:
    """An application that has shown who it is."""

    tenant_id: str
    #: The application's client id.
    client_id: str
    #: The application's own object in the tenant: what roles are assigned to.
    object_id: str
    roles: frozenset[str] = frozenset()

    @property
    def administrator(self) -> bool:
        """Whether it may administer this deployment."""
        return ADMINISTRATOR in self.roles

    @property
    def tenant_administrator(self) -> bool:
        """Whether it may administer at least its own tenant."""
        return self.administrator or TENANT_ADMINISTRATOR in self.roles
