"""What a request says of an instance, in the shapes of its `api-version`."""

from typing import Any

from starlette.requests import Request

from headland.control import wire
from headland.control.errors import BadFieldError
from headland.control.instances import Wanted
from headland.control.provider import Generation, generation
from headland.control.service import path, subscription_of, version_of


def wanted_of(request: Request, body: wire.NewInstance) -> Wanted:
    """The instance that a request asks for. Members that its `api-version` has and the body has not are None.

    Raises:
        BadFieldError: a member has a value that it can't have.
    """
    shapes = generation(version_of(request))
    members = _members(shapes)
    return Wanted(
        subscription_id=subscription_of(request),
        group=path(request, "resourceGroupName"),
        name=path(request, "farmBeatsResourceName"),
        location=body.location,
        tags=body.tags or {},
        options={**dict.fromkeys(members), **changed_options(body, shapes)},
    )


def changed_options(body: wire.NewInstance, shapes: Generation) -> dict[str, Any]:
    """What the body says beyond place and tags, as far as the `api-version` has it.

    Raises:
        BadFieldError: a member has a value that it can't have.
    """
    said: dict[str, Any] = {}
    if body.sku is not None:
        said["sku"] = {"name": body.sku.name}
    if body.identity is not None:
        _check("identity.type", body.identity.type, ("SystemAssigned",))
        said["identity"] = {"type": body.identity.type}
    properties = body.properties or wire.NewInstanceProperties()
    if properties.sensor_integration is not None:
        enabled = properties.sensor_integration.enabled
        _check("properties.sensorIntegration.enabled", enabled, ("True", "False"))
        said["sensorIntegration"] = {"enabled": enabled}
    if properties.public_network_access is not None and shapes.network:
        access = properties.public_network_access
        _check("properties.publicNetworkAccess", access, shapes.public_network_access)
        said["publicNetworkAccess"] = access
    return {name: value for name, value in said.items() if name in _members(shapes)}


def _members(shapes: Generation) -> tuple[str, ...]:
    network = ("identity", "sensorIntegration", "publicNetworkAccess")
    return (*(("sku",) if shapes.sku else ()), *(network if shapes.network else ()))


def _check(field: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        allowed = " or ".join(f"'{item}'" for item in known)
        raise BadFieldError(f"{field}: '{value[:80]}' is not {allowed}.", field)
