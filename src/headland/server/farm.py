"""The farm service among the others: what it takes from settings, and what it is told by the control plane."""

from urllib.parse import urlsplit

from headland.control import Instances, RoleAuthorizer
from headland.farm import (
    Addresses,
    Files,
    Instance,
    Pending,
    Worker,
    farm_api,
    farm_app,
    farm_operations,
    rasterizing,
)
from headland.farm.application import INSTANCE_HOST, FarmApplication
from headland.farm.geometry import Limits
from headland.http.listener import Hosts
from headland.http.openapi import Api
from headland.security import Verifier
from headland.server.deployment import Deployment
from headland.server.guards import guard_of
from headland.server.instance_stores import files_of, pending_of, stores_of, throttle_of
from headland.settings import Settings

#: Where it is mounted on the public base.
PREFIX = "/farm"


class ProvisionedInstances:
    """`headland.farm.Instances`: those that the control plane has."""

    def __init__(self, instances: Instances) -> None:
        self._instances = instances

    def find(self, name: str) -> Instance | None:
        """The instance with this name, in whatever case, or None."""
        found = self._instances.find(name)
        if found is None:
            return None
        return Instance(found.name, found.id, found.store_key, found.provisioning_state)


def farm_worker(deployment: Deployment, pending: Pending, files: Files) -> Worker:
    """Does it. `pending` is the one by which this process's requests wake it."""
    return Worker(pending, stores_of(deployment), (files.sweep,), kinds=(rasterizing(files),))


def declared_farm(deployment: Deployment, verifier: Verifier) -> Api:
    """The declaration, for the API reference."""
    settings = deployment.settings
    operations = farm_operations(
        guard=guard_of("farm", settings, verifier),
        authorizer=RoleAuthorizer(deployment.database),
        instances=ProvisionedInstances(Instances(deployment.database)),
        stores=stores_of(deployment),
        pending=pending_of(deployment.home),
        files=files_of(deployment.home, settings),
        max_body=settings.server.max_body,
    )
    return farm_api(operations, f"{PREFIX}/{{instance}}")


def farm_application(
    deployment: Deployment, verifier: Verifier, pending: Pending, files: Files
) -> FarmApplication:
    """The application."""
    settings = deployment.settings
    return farm_app(
        guard=guard_of("farm", settings, verifier),
        authorizer=RoleAuthorizer(deployment.database),
        instances=ProvisionedInstances(Instances(deployment.database)),
        stores=stores_of(deployment),
        pending=pending,
        files=files,
        addresses=farm_addresses(settings),
        limits=Limits(settings.farm.max_vertices),
        max_body=settings.server.max_body,
        max_geometry_body=settings.farm.max_geometry_body,
        # Roles and instances are rows, and nothing besides.
        version=deployment.database.version,
        throttle=throttle_of(deployment.home, settings),
    )


def farm_addresses(settings: Settings) -> Addresses:
    """Where instances are reached from outside."""
    return Addresses(settings.server.public_url, PREFIX, settings.control.instance_domain)


def farm_hosts(application: FarmApplication, settings: Settings) -> Hosts | None:
    """The instances' hosts, for the public listener, where instances have hosts of their own."""
    domain = settings.control.instance_domain
    if domain is None:
        return None
    own = urlsplit(settings.server.public_url).hostname
    return Hosts(domain.lower(), application, INSTANCE_HOST, own or "")
