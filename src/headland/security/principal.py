"""Who is calling."""

from dataclasses import dataclass

#: The `roles` claim of an application that may administer this deployment.
ADMINISTRATOR = "Administrator"

#: The `roles` claim of an application that may administer its own tenant, and nothing besides.
TENANT_ADMINISTRATOR = "TenantAdministrator"


@dataclass(frozen=True, slots=True)
class Principal:
    """An application or person that has shown who it is, or the job of one."""

    tenant_id: str
    #: The application's client id.
    client_id: str
    #: The application's own object in the tenant: what roles are assigned to.
    object_id: str
    roles: frozenset[str] = frozenset()
    #: The issuer elsewhere that vouches for it; empty where Headland's own does.
    issuer: str = ""
    #: The job through which it acts, such as `batch/12`; empty where it acts itself.
    job: str = ""

    @property
    def administrator(self) -> bool:
        """Whether it may administer this deployment."""
        return ADMINISTRATOR in self.roles

    @property
    def tenant_administrator(self) -> bool:
        """Whether it may administer at least its own tenant."""
        return self.administrator or TENANT_ADMINISTRATOR in self.roles
