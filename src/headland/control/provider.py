"""The resource provider: its namespace, types, versions, and where these differ."""

from dataclasses import dataclass
from typing import Final

NAMESPACE: Final = "Microsoft.AgFoodPlatform"
FARM_BEATS: Final = f"{NAMESPACE}/farmBeats"

#: Oldest first. The second one is what the published SDKs send.
VERSIONS: Final = (
    "2020-05-12-preview",
    "2021-09-01-preview",
    "2023-04-01-preview",
    "2023-06-01-preview",
)

#: Of everything that is not the provider's own.
RESOURCE_MANAGER_VERSIONS: Final = ("2016-02-01", "2021-10-01", "2022-04-01", "2022-09-01", "2025-04-01")


@dataclass(frozen=True, slots=True)
class Generation:
    """What an `api-version` of the provider has in its shapes."""

    sku: bool = False
    #: `identity`, `sensorIntegration`, `publicNetworkAccess`.
    network: bool = True
    public_network_access: tuple[str, ...] = ()
    #: Whether `privateEndpointConnections` is a list. The generation before has one object there, or nothing.
    connections: bool = False


_P20 = Generation(sku=True, network=False)
_P21 = Generation(public_network_access=("Enabled", "Hybrid"))
_P23 = Generation(public_network_access=("Enabled", "Disabled"), connections=True)


def generation(version: str) -> Generation:
    """The shapes of one of `VERSIONS`."""
    if version < "2021":
        return _P20
    return _P21 if version < "2023" else _P23


@dataclass(frozen=True, slots=True)
class ResourceType:
    """A type of a provider, as `providers` lists it."""

    namespace: str
    name: str
    versions: tuple[str, ...]
    capabilities: str = "None"
    #: Whether it is in one of the regions; others are everywhere.
    regional: bool = False


_OWN = VERSIONS
TYPES: Final = (
    ResourceType(NAMESPACE, "operations", _OWN),
    ResourceType(NAMESPACE, "farmBeats", _OWN, "SupportsTags, SupportsLocation", regional=True),
    ResourceType(NAMESPACE, "farmBeats/extensions", _OWN),
    ResourceType(NAMESPACE, "farmBeats/solutions", _OWN[1:]),
    ResourceType(NAMESPACE, "farmBeats/privateEndpointConnections", _OWN[1:]),
    ResourceType(NAMESPACE, "farmBeats/privateLinkResources", _OWN[1:]),
    ResourceType(NAMESPACE, "farmBeats/dataConnectors", _OWN[2:]),
    ResourceType(NAMESPACE, "farmBeatsExtensionDefinitions", _OWN),
    ResourceType(NAMESPACE, "farmBeatsSolutionDefinitions", _OWN[1:]),
    ResourceType(NAMESPACE, "checkNameAvailability", _OWN),
    ResourceType(NAMESPACE, "locations", _OWN),
    ResourceType(NAMESPACE, "locations/operationResults", _OWN),
    ResourceType("Microsoft.Authorization", "roleAssignments", ("2022-04-01", "2018-07-01", "2015-07-01")),
    ResourceType("Microsoft.Authorization", "roleDefinitions", ("2022-04-01", "2018-07-01", "2015-07-01")),
    ResourceType("Microsoft.Resources", "resourceGroups", ("2025-04-01", "2022-09-01", "2021-04-01")),
    ResourceType("Microsoft.Resources", "subscriptions", ("2022-12-01", "2021-10-01", "2016-06-01")),
    ResourceType("Microsoft.MarketplaceOrdering", "agreements", ("2021-01-01",)),
    ResourceType("Microsoft.MarketplaceOrdering", "offertypes", ("2021-01-01",)),
)

#: By their names in lower case.
NAMESPACES: Final = {kind.namespace.lower(): kind.namespace for kind in TYPES}


def types_of(namespace: str) -> list[ResourceType]:
    """The types of a namespace, in whatever case it is written."""
    return [kind for kind in TYPES if kind.namespace.lower() == namespace.lower()]


def registers(namespace: str) -> bool:
    """Whether a subscription has to register the namespace before it can use it. Azure's own are always there."""
    return namespace == NAMESPACE
