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
    #: The application's client id; of an issuer elsewhere with `@` and the issuer behind it.
    client_id: str
    #: The application's own object in the tenant: what roles are assigned to. Of an issuer elsewhere it is made from
    #: the issuer, the tenant and what the issuer calls it, so that it is nobody else's.
    object_id: str
    roles: frozenset[str] = frozenset()
    #: The issuer elsewhere that vouches for it; empty where Headland's own does.
    issuer: str = ""
    #: The job through which it acts, such as `batch/12`; empty where it acts itself.
    job: str = ""

    @property
    def owner(self) -> str:
        """What belongs to it bears this: many people share the client id by which they come from elsewhere."""
        return self.object_id if self.issuer else self.client_id

    @property
    def administrator(self) -> bool:
        """Whether it may administer this deployment."""
        return ADMINISTRATOR in self.roles

    @property
    def tenant_administrator(self) -> bool:
        """Whether it may administer at least its own tenant."""
        return self.administrator or TENANT_ADMINISTRATOR in self.roles
