"""Resource providers and their registration."""

from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import Response

from headland.audit import Change
from headland.control import changes, locations, provider, subscriptions, wire
from headland.control.declaring import CONFLICT, MISSING, SUBSCRIPTION, operation, reads
from headland.control.errors import InvalidResourceNamespaceError, StillInUseError
from headland.control.rows import instances
from headland.control.rows import subscriptions as rows
from headland.control.service import path, service_of, subscription_of
from headland.http.answers import json_answer
from headland.http.operations import Answer

_READ = "Microsoft.Resources/subscriptions/providers/read"
_ONE = f"{SUBSCRIPTION}/providers/{{resourceProviderNamespace}}"


async def list_providers(request: Request) -> Response:
    registered = _registered(request)
    return json_answer(
        wire.ProviderList([_view(request, namespace, registered) for namespace in _namespaces()])
    )


async def read_provider(request: Request) -> Response:
    return json_answer(_view(request, _namespace(request), _registered(request)))


async def list_resource_types(request: Request) -> Response:
    namespace = _namespace(request)
    return json_answer(wire.ProviderResourceTypeList(_types(request, namespace)))


async def list_offered_providers(request: Request) -> Response:
    return json_answer(wire.ProviderList([_view(request, namespace, None) for namespace in _namespaces()]))


async def read_offered_provider(request: Request) -> Response:
    return json_answer(_view(request, _namespace(request), None))


async def register_provider(request: Request) -> Response:
    service, id_, namespace = service_of(request), subscription_of(request), _namespace(request)
    now = service.now()

    def register(connection: Connection) -> tuple[None, Change | None]:
        if namespace in rows.registered(connection, id_):
            return None, None
        rows.register(connection, id_, namespace, now)
        return None, changes.provider_registered(subscriptions.get(connection, id_), namespace)

    if provider.registers(namespace):
        await service.change(request, register)
    return json_answer(_view(request, namespace, _registered(request)))


async def unregister_provider(request: Request) -> Response:
    service, id_, namespace = service_of(request), subscription_of(request), _namespace(request)

    def unregister(connection: Connection) -> tuple[None, Change | None]:
        if instances.all_of(connection, id_):
            raise StillInUseError(namespace)
        if namespace not in rows.registered(connection, id_):
            return None, None
        rows.unregister(connection, id_, namespace)
        return None, changes.provider_unregistered(subscriptions.get(connection, id_), namespace)

    if provider.registers(namespace):
        await service.change(request, unregister)
    return json_answer(_view(request, namespace, _registered(request)))


def _namespaces() -> list[str]:
    return sorted(provider.NAMESPACES.values())


def _namespace(request: Request) -> str:
    given = path(request, "resourceProviderNamespace")
    found = provider.NAMESPACES.get(given.lower())
    if found is None:
        raise InvalidResourceNamespaceError(given)
    return found


def _registered(request: Request) -> set[str]:
    id_ = subscription_of(request)
    return service_of(request).read(lambda connection: rows.registered(connection, id_))


def _types(request: Request, namespace: str) -> list[wire.ProviderResourceType]:
    regions = [locations.displayed(name) for name in service_of(request).settings.control.locations]
    return [
        wire.ProviderResourceType(
            resource_type=kind.name,
            locations=regions if kind.regional else [],
            api_versions=sorted(kind.versions, reverse=True),
            default_api_version=max(kind.versions),
            capabilities=kind.capabilities,
        )
        for kind in provider.types_of(namespace)
    ]


def _view(request: Request, namespace: str, registered: set[str] | None) -> wire.Provider:
    if registered is None:
        return wire.Provider(namespace, _types(request, namespace))
    needed = provider.registers(namespace)
    return wire.Provider(
        namespace,
        _types(request, namespace),
        id=f"/subscriptions/{subscription_of(request)}/providers/{namespace}",
        registration_state="NotRegistered" if needed and namespace not in registered else "Registered",
        registration_policy="RegistrationRequired" if needed else "RegistrationFree",
    )


OPERATIONS = (
    reads(
        f"{SUBSCRIPTION}/providers",
        list_providers,
        "List resource providers, with how they stand in the subscription",
        wire.ProviderList,
        action=_READ,
    ),
    reads(_ONE, read_provider, "Read a resource provider", wire.Provider, action=_READ),
    reads(
        f"{_ONE}/resourceTypes",
        list_resource_types,
        "List a provider's resource types",
        wire.ProviderResourceTypeList,
        action=_READ,
    ),
    operation(
        "POST",
        f"{_ONE}/register",
        register_provider,
        "Register a resource provider",
        {200: Answer("It is registered.", wire.Provider), **MISSING},
        action=f"{provider.NAMESPACE}/register/action",
    ),
    operation(
        "POST",
        f"{_ONE}/unregister",
        unregister_provider,
        "Take back a registration",
        {200: Answer("It is not registered.", wire.Provider), **MISSING, **CONFLICT},
        action=f"{provider.NAMESPACE}/unregister/action",
    ),
    reads("/providers", list_offered_providers, "List resource providers", wire.ProviderList, action=None),
    reads(
        "/providers/{resourceProviderNamespace}",
        read_offered_provider,
        "Read a resource provider",
        wire.Provider,
        action=None,
    ),
)
