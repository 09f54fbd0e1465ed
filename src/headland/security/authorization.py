"""Whether somebody may do something somewhere: asked by the services, answered by whoever keeps the roles."""

from typing import Protocol

from headland.security.principal import Principal


class Authorizer(Protocol):
    """Decides by roles. What no role allows is denied."""

    def allows(self, principal: Principal, action: str, scope: str) -> bool:
        """Whether one of the principal's roles at `scope` or above it has `action`.

        Args:
            action: as Azure's role-based access control names it, such as
                `Microsoft.AgFoodPlatform/farmBeats/read` (control plane) or
                `Microsoft.AgFoodPlatform/farmBeats/parties/write` (data plane).
            scope: a resource id of the control plane, such as
                `/subscriptions/{id}/resourceGroups/{name}/providers/Microsoft.AgFoodPlatform/farmBeats/{name}`.
        """
        ...
