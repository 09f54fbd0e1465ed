"""The farm service, ready to be mounted: its declaration, and the application that answers by it."""

import time
from collections.abc import Callable, Hashable

from headland.farm.access import Gate
from headland.farm.application import FarmApplication, operations_of
from headland.farm.arrival import Addresses
from headland.farm.attachments.files import Files
from headland.farm.geometry import DEFAULT_LIMITS, Limits
from headland.farm.handlers import Surroundings
from headland.farm.instances import Instances
from headland.farm.stores import Stores
from headland.farm.throttling import Throttle
from headland.farm.versions import Version
from headland.farm.work.pending import Pending
from headland.http.operations import Operation
from headland.security import Authorizer, Guard


def farm_operations(
    *,
    guard: Guard,
    authorizer: Authorizer,
    instances: Instances,
    stores: Stores,
    pending: Pending,
    files: Files,
    max_body: int,
    version: Version = Version.C,
) -> list[Operation]:
    """The operations of one version. Each has the data action that it needs."""
    gate = Gate(guard, authorizer, instances, stores)
    return operations_of(version, Surroundings(gate, max_body, pending, files))


def farm_app(
    *,
    guard: Guard,
    authorizer: Authorizer,
    instances: Instances,
    stores: Stores,
    pending: Pending,
    files: Files,
    addresses: Addresses,
    max_body: int,
    version: Callable[[], Hashable] | None = None,
    throttle: Throttle | None = None,
    clock: Callable[[], float] = time.time,
    limits: Limits = DEFAULT_LIMITS,
    max_geometry_body: int = 0,
) -> FarmApplication:
    """The application, for all versions of the protocol that are served. `version` as `Gate` has it."""
    gate = Gate(guard, authorizer, instances, stores, version=version, throttle=throttle)
    surroundings = Surroundings(gate, max_body, pending, files, clock, limits, max_geometry_body)
    return FarmApplication(surroundings, addresses)
