"""What the control plane asks of whoever knows the tenant's applications."""

from typing import Protocol

from sqlalchemy import Connection


class Directory(Protocol):
    """The applications of the tenants."""

    def application_name(self, connection: Connection, tenant_id: str, object_id: str) -> str | None:
        """What the tenant's application with that object id is called; None where it has none such."""
        ...

    def tenant_name(self, connection: Connection, tenant_id: str) -> str | None:
        """What the tenant is called; None where it is another identity provider's."""
        ...

    def is_outside(self, object_id: str) -> bool:
        """Whether it may be somebody of an outside identity provider, whom this deployment can't look up."""
        ...
