"""The farm service among the others: what it takes from settings, and whom it asks."""

from collections.abc import Callable, Hashable
from urllib.parse import urlsplit

from headland.farm import Addresses, Instances, Stores, farm_api, farm_app, farm_operations
from headland.farm.application import INSTANCE_HOST, FarmApplication
from headland.http.listener import Hosts
from headland.http.openapi import Api
from headland.security import Authorizer, Guard, Verifier
from headland.server.deployment import Deployment
from headland.settings import Home, Settings
from headland.settings.model import FARM_RESOURCE

#: Where it is mounted on the public base.
PREFIX = "/farm"


def stores_of(home: Home, settings: Settings) -> Stores:
    """The instances' stores of a deployment: for the farm service, and for who provisions instances."""
    return Stores(home.farm, settings.database.busy_timeout)


def farm_guard(settings: Settings, verifier: Verifier) -> Guard:
    """Tokens for the hosted service's constant, or for the deployment itself, open the farm service."""
    return Guard(verifier, frozenset({FARM_RESOURCE, settings.server.public_url}))


def declared_farm(
    deployment: Deployment, verifier: Verifier, authorizer: Authorizer, instances: Instances
) -> Api:
    """The declaration, for the API reference."""
    settings = deployment.settings
    operations = farm_operations(
        guard=farm_guard(settings, verifier),
        authorizer=authorizer,
        instances=instances,
        stores=stores_of(deployment.home, settings),
        max_body=settings.server.max_body,
    )
    return farm_api(operations, f"{PREFIX}/{{instance}}")


def farm_application(
    deployment: Deployment,
    verifier: Verifier,
    authorizer: Authorizer,
    instances: Instances,
    *,
    domain: str | None = None,
    version: Callable[[], Hashable] | None = None,
) -> FarmApplication:
    """The application. `domain` is the one below which each instance has a host of its own, if there is one.
    `version` is the database's where authorizer and instances have all that they know from there.
    """
    settings = deployment.settings
    return farm_app(
        guard=farm_guard(settings, verifier),
        authorizer=authorizer,
        instances=instances,
        stores=stores_of(deployment.home, settings),
        addresses=Addresses(settings.server.public_url, PREFIX, domain),
        max_body=settings.server.max_body,
        version=version,
    )


def farm_hosts(application: FarmApplication, settings: Settings, domain: str) -> Hosts:
    """The instances' hosts, for the public listener."""
    own = urlsplit(settings.server.public_url).hostname
    return Hosts(domain, application, INSTANCE_HOST, own or "")
