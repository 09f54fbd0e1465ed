"""Who may come in: the one place where a request's token, instance and right are checked."""

from dataclasses import dataclass

from starlette.requests import Request

from headland.farm.errors import ForbiddenError
from headland.farm.instances import Instance, Instances, serving
from headland.farm.stores import Store, Stores
from headland.security import Authorizer, Guard, Principal


@dataclass(frozen=True, slots=True)
class Visit:
    """A request that was let in."""

    principal: Principal
    instance: Instance
    store: Store


class Gate:
    """Lets requests in."""

    def __init__(self, guard: Guard, authorizer: Authorizer, instances: Instances, stores: Stores) -> None:
        """`guard` takes nobody in particular for nobody: it must not be anonymous."""
        self._guard = guard
        self._authorizer = authorizer
        self._instances = instances
        self._stores = stores

    async def enter(self, request: Request, name: str, action: str) -> Visit:
        """Let a request in that wants to do `action` on the instance called `name`.

        Raises:
            AuthenticationError: it does not show who is calling.
            InstanceNotFoundError, InstanceNotReadyError, InstanceUnusableError: see `serving`.
            ForbiddenError: no role of the caller's on the instance allows it.
            DatabaseUnavailableError: the instance's store can't be read now.
        """
        principal = await self._guard.authenticate(request)
        if principal is None:
            raise TypeError("the farm service is not for anonymous callers")
        instance = serving(self._instances, name)
        if not self._authorizer.allows(principal, action, instance.resource_id):
            raise ForbiddenError(principal.client_id, principal.object_id, action, instance.resource_id)
        return Visit(principal, instance, self._stores.open(instance.store_key))
