"""Records as they go over the wire."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

from headland.control import access_wire, locations, provider, wire
from headland.control.provider import FARM_BEATS
from headland.control.records import AccessRequest, Assignment, Group, Instance, Subscription
from headland.control.roles import BY_ID, PUBLISHED, Role
from headland.settings import Settings

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def moment(milliseconds: int) -> str:
    """A time in ISO 8601."""
    at = _EPOCH + timedelta(milliseconds=milliseconds)
    return at.strftime("%Y-%m-%dT%H:%M:%S.") + f"{at.microsecond // 1000:03d}Z"


def subscription_view(item: Subscription) -> wire.Subscription:
    return wire.Subscription(
        id=f"/subscriptions/{item.id}",
        subscription_id=item.id,
        tenant_id=item.tenant_id,
        display_name=item.display_name,
        state="Enabled",
        subscription_policies=wire.SubscriptionPolicies("Internal_2014-09-01", "Internal_2014-09-01", "Off"),
        authorization_source="RoleBased",
        managed_by_tenants=[],
    )


def location_view(subscription_id: str, name: str) -> wire.Location:
    shown = locations.displayed(name)
    return wire.Location(
        id=f"/subscriptions/{subscription_id}/locations/{name}",
        name=name,
        type="Region",
        display_name=shown,
        regional_display_name=shown,
        metadata=wire.LocationMetadata("Physical", "Recommended"),
    )


def group_view(item: Group) -> wire.ResourceGroup:
    return wire.ResourceGroup(
        id=item.id,
        name=item.name,
        type="Microsoft.Resources/resourceGroups",
        location=item.location,
        tags=dict(item.tags),
        managed_by=item.managed_by,
        properties=wire.GroupProperties("Deleting" if item.deleting_since is not None else "Succeeded"),
    )


def instance_uri(item_name: str, settings: Settings) -> str:
    """The address of an instance's data, without a trailing slash."""
    domain = settings.control.instance_domain
    if domain is None:
        return f"{settings.server.public_url}/farm/{item_name}"
    port = urlsplit(settings.server.public_url).port
    return f"https://{item_name.lower()}.{domain}" + (f":{port}" if port not in {None, 443} else "")


def instance_view(
    item: Instance, version: str, settings: Settings, kind_of: Callable[[str | None], str]
) -> wire.Instance:
    """The instance in the shapes of an `api-version`; `kind_of` says what has an object id."""
    shapes = provider.generation(version)
    options = item.options
    identity, sensors = options.get("identity"), options.get("sensorIntegration")
    return wire.Instance(
        id=item.id,
        name=item.name,
        type=FARM_BEATS,
        location=item.location,
        tags=dict(item.tags),
        system_data=wire.SystemData(
            item.created_by,
            kind_of(item.created_by),
            moment(item.created_at),
            item.changed_by,
            kind_of(item.changed_by),
            moment(item.changed_at),
        ),
        identity=wire.Identity(identity["type"], identity["principalId"], identity["tenantId"])
        if identity and shapes.network
        else None,
        sku=wire.Sku(options["sku"]["name"]) if options.get("sku") and shapes.sku else None,
        properties=wire.InstanceProperties(
            instance_uri=instance_uri(item.name, settings),
            provisioning_state=item.provisioning_state,
            sensor_integration=wire.SensorIntegration(sensors["enabled"], item.provisioning_state)
            if sensors and shapes.network
            else None,
            public_network_access=options.get("publicNetworkAccess", "Enabled") if shapes.network else None,
            private_endpoint_connections=[] if shapes.connections else None,
        ),
    )


def resource_view(item: Instance, expand: frozenset[str]) -> wire.GenericResource:
    options = item.options
    return wire.GenericResource(
        id=item.id,
        name=item.name,
        type=FARM_BEATS,
        location=item.location,
        tags=dict(item.tags),
        identity=options.get("identity") or None,
        sku=options.get("sku") or None,
        created_time=moment(item.created_at) if "createdtime" in expand else None,
        changed_time=moment(item.changed_at) if "changedtime" in expand else None,
        provisioning_state=item.provisioning_state if "provisioningstate" in expand else None,
    )


def permission_view(role: Role) -> wire.Permission:
    return wire.Permission(
        list(role.actions), list(role.not_actions), list(role.data_actions), list(role.not_data_actions)
    )


def role_view(role: Role, scope: str) -> wire.RoleDefinition:
    return wire.RoleDefinition(
        id=role_id(role.id, scope),
        type="Microsoft.Authorization/roleDefinitions",
        name=role.id,
        properties=wire.RoleDefinitionProperties(
            role_name=role.name,
            type="BuiltInRole",
            description=role.description,
            assignable_scopes=["/"],
            permissions=[permission_view(role)],
            created_on=PUBLISHED,
            updated_on=PUBLISHED,
            created_by=None,
            updated_by=None,
        ),
    )


def role_id(role: str, scope: str) -> str:
    """A role definition's id, as seen from a scope: its subscription stands before it."""
    subscription = "/".join(scope.split("/")[:3]) if scope.lower().startswith("/subscriptions/") else ""
    return f"{subscription}/providers/Microsoft.Authorization/roleDefinitions/{role}"


def assignment_view(item: Assignment) -> wire.RoleAssignment:
    return wire.RoleAssignment(
        id=item.id,
        type="Microsoft.Authorization/roleAssignments",
        name=item.name,
        properties=wire.RoleAssignmentProperties(
            role_definition_id=role_id(BY_ID[item.role].id, item.scope),
            principal_id=item.principal_id,
            principal_type=item.principal_type,
            scope=item.scope,
            condition=None,
            condition_version=None,
            created_on=moment(item.created_at),
            updated_on=moment(item.changed_at),
            created_by=item.created_by,
            updated_by=item.changed_by,
            delegated_managed_identity_resource_id=None,
            description=item.description,
        ),
    )


def request_view(item: AccessRequest) -> access_wire.AccessRequest:
    return access_wire.AccessRequest(
        id=item.id,
        subscription_id=item.subscription_id,
        display_name=item.display_name,
        reason=item.reason,
        terms_version=item.terms_version,
        state=item.state,
        requested_by=item.requested_by,
        requested_at=moment(item.requested_at),
        decided_by=item.decided_by,
        decided_at=moment(item.decided_at) if item.decided_at is not None else None,
        comment=item.comment,
    )
