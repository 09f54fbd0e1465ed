"""What the control plane asks of whoever knows the tenant's applications and people."""

from typing import Final, Literal, NamedTuple, Protocol

from sqlalchemy import Connection

#: What role assignments call an application.
APPLICATION: Final = "ServicePrincipal"


class Known(NamedTuple):
    """An application or a person, as role assignments have it."""

    name: str
    kind: Literal["ServicePrincipal", "User"]


class Directory(Protocol):
    """The applications and people of the tenants."""

    def known(self, connection: Connection, tenant_id: str, object_id: str) -> Known | None:
        """The tenant's application or person with that object id; None where it has none such."""
        ...

    def tenant_name(self, connection: Connection, tenant_id: str) -> str | None:
        """What the tenant is called; None where it is another identity provider's."""
        ...

    def is_outside(self, object_id: str) -> bool:
        """Whether it may be somebody of an outside identity provider, whom this deployment can't look up."""
        ...
