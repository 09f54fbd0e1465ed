"""The farm service as an ASGI application: an instance is found by path or by host, an operation by version."""

from starlette.types import Scope

from headland.farm.absent import absent_operations
from headland.farm.answers import RENDERERS
from headland.farm.arrival import Addresses, Arrival
from headland.farm.attachments.routes import file_operations
from headland.farm.bulk.routes import bulk_operations
from headland.farm.datasets import dataset_operations
from headland.farm.description import description_operation
from headland.farm.handlers import Surroundings
from headland.farm.overlaps import overlap_operations
from headland.farm.queries import query_of, version_of
from headland.farm.rights import rights_operation
from headland.farm.routes import catalogue_operations
from headland.farm.routing import Routes
from headland.farm.tiles.routes import tile_operations
from headland.farm.versions import Version
from headland.farm.work.rasterize_routes import rasterize_operations
from headland.farm.work.routes import job_operations
from headland.http.application import Application
from headland.http.operations import Handler, Operation

#: Where a listener says which instance a request's host name stands for.
INSTANCE_HOST = "instance_host"


def operations_of(version: Version, surroundings: Surroundings) -> list[Operation]:
    """Every operation of a version."""
    operations = [
        *catalogue_operations(version, surroundings),
        *overlap_operations(version, surroundings),
        *dataset_operations(version, surroundings),
        *file_operations(version, surroundings),
        *job_operations(version, surroundings),
        *rasterize_operations(version, surroundings),
        *bulk_operations(version, surroundings),
        *tile_operations(version, surroundings),
    ]
    operations.append(rights_operation(version, surroundings, operations))
    return [*operations, description_operation(version, operations)]


class FarmApplication(Application):
    """Mounted below a prefix, where the first segment names the instance, and at the root of instances' hosts."""

    def __init__(self, surroundings: Surroundings, addresses: Addresses) -> None:
        super().__init__([], RENDERERS)
        self._addresses = addresses
        self._surroundings = surroundings
        # Each when it is first asked for: most clients speak one version, and no process waits for the others.
        self._routes: dict[Version, Routes] = {}

    def _handler(self, scope: Scope) -> Handler:
        path: str = scope["path"][len(scope.get("root_path", "")) :]
        segments = path.split("/")[1:]
        instance: str | None = scope.get(INSTANCE_HOST)
        if instance is None:
            instance = segments.pop(0)
            base = self._addresses.by_path(instance)
            path = path[len(instance) + 1 :]
        else:
            base = self._addresses.by_host(instance)
        query = query_of(scope["query_string"])
        version = version_of(query)
        if version not in self._routes:
            served = operations_of(version, self._surroundings)
            self._routes[version] = Routes([*served, *absent_operations(version, self._surroundings)])
        found, scope["path_params"] = self._routes[version].find(scope["method"], segments)
        scope["route"] = found.path
        scope["arrival"] = Arrival(instance, version, query, base, path)
        return found.handler
