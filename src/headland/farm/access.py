"""Who may come in: the one place where a request's token, instance and right are checked."""

from collections.abc import Callable, Hashable
from typing import NamedTuple

from starlette.requests import Request

from headland.farm.errors import ForbiddenError
from headland.farm.instances import Instance, Instances, serving
from headland.farm.stores import Store, Stores
from headland.farm.throttling import Throttle
from headland.security import Authorizer, Guard, Principal


class Visit(NamedTuple):
    """A request that was let in."""

    principal: Principal
    instance: Instance
    store: Store


#: Where a request's scope has what it took of its instance's units, if those are limited.
UNITS = "units"

#: Decisions that are remembered.
_MOST_REMEMBERED = 4096


class Gate:
    """Lets requests in. For one thread: the event loop's."""

    def __init__(
        self,
        guard: Guard,
        authorizer: Authorizer,
        instances: Instances,
        stores: Stores,
        *,
        version: Callable[[], Hashable] | None = None,
        throttle: Throttle | None = None,
    ) -> None:
        """`guard` takes nobody in particular for nobody: it must not be anonymous. `version` is another one
        whenever authorizer or instances may say something else than before; without it, they are always asked.
        """
        self._guard = guard
        self._authorizer = authorizer
        self._instances = instances
        self._stores = stores
        self._version = version
        self._throttle = throttle
        self._remembered: dict[tuple[Principal, str, str], Instance] = {}
        self._remembered_of: Hashable = None

    async def enter(self, request: Request, name: str, action: str) -> Visit:
        """Let a request in that wants to do `action` on the instance called `name`.

        Raises:
            AuthenticationError: it does not show who is calling.
            InstanceNotFoundError, InstanceNotReadyError, InstanceUnusableError: see `serving`.
            ForbiddenError: no role of the caller's on the instance allows it.
            ThrottledError: the instance's requests have used too much of late.
            DatabaseUnavailableError: the instance's store can't be read now.
        """
        principal = await self._guard.authenticate(request)
        if principal is None:
            raise TypeError("the farm service is not for anonymous callers")
        instance = self._admitted(principal, name, action)
        if self._throttle is not None:
            request.scope[UNITS] = self._throttle.take(instance.store_key, action)
        return Visit(principal, instance, self._stores.open(instance.store_key))

    def allows(self, visit: Visit, action: str) -> bool:
        """Whether somebody who was let in may do `action`, too."""
        return self._authorizer.allows(visit.principal, action, visit.instance.resource_id)

    def _admitted(self, principal: Principal, name: str, action: str) -> Instance:
        if self._version is None:
            return self._decided(principal, name, action)
        version = self._version()
        if version != self._remembered_of or len(self._remembered) > _MOST_REMEMBERED:
            self._remembered, self._remembered_of = {}, version
        key = (principal, name, action)
        instance = self._remembered.get(key)
        if instance is None:
            instance = self._remembered[key] = self._decided(principal, name, action)
        return instance

    def _decided(self, principal: Principal, name: str, action: str) -> Instance:
        instance = serving(self._instances, name)
        if not self._authorizer.allows(principal, action, instance.resource_id):
            raise ForbiddenError(principal.client_id, principal.object_id, action, instance.resource_id)
        return instance
