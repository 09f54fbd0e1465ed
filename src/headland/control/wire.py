"""What goes over HTTP, in Azure Resource Manager's shapes. Members that are not set are left out."""

from typing import Annotated, Any

from msgspec import Meta, Struct, field

Text = Annotated[str, Meta(max_length=4096)]


class ErrorBody(Struct, frozen=True, omit_defaults=True):
    """What is wrong."""

    code: str
    message: str
    target: str | None = None
    details: "list[ErrorBody]" = field(default_factory=list)


class ErrorAnswer(Struct, frozen=True):
    """Every error's body."""

    error: ErrorBody


class SubscriptionPolicies(Struct, frozen=True, rename="camel"):
    """What clients want to know of a subscription's bills; there are none here."""

    location_placement_id: str
    quota_id: str
    spending_limit: str


class Subscription(Struct, frozen=True, rename="camel"):
    """A subscription."""

    id: str
    subscription_id: str
    tenant_id: str
    display_name: str
    state: str
    subscription_policies: SubscriptionPolicies
    authorization_source: str
    managed_by_tenants: list[str]


class Count(Struct, frozen=True):
    """How many a list has."""

    type: str
    value: int


class SubscriptionList(Struct, frozen=True, rename="camel"):
    """Subscriptions that the caller has a role in. `nextLink` is always there: a client demands it."""

    value: list[Subscription]
    next_link: str
    count: Count


class TenantDescription(Struct, frozen=True, rename="camel"):
    """A tenant."""

    id: str
    tenant_id: str
    tenant_category: str
    display_name: str
    default_domain: str
    domains: list[str]


class TenantList(Struct, frozen=True, rename="camel"):
    """The caller's tenant."""

    value: list[TenantDescription]
    next_link: str


class LocationMetadata(Struct, frozen=True, rename="camel"):
    """What clients want to know of a region."""

    region_type: str
    region_category: str


class Location(Struct, frozen=True, rename="camel"):
    """A region."""

    id: str
    name: str
    type: str
    display_name: str
    regional_display_name: str
    metadata: LocationMetadata


class LocationList(Struct, frozen=True):
    """The regions that groups and instances may name."""

    value: list[Location]


class GroupProperties(Struct, frozen=True, rename="camel"):
    """How it stands with a group: `Succeeded` or `Deleting`."""

    provisioning_state: str


class ResourceGroup(Struct, frozen=True, rename="camel", omit_defaults=True):
    """A resource group."""

    id: str
    name: str
    type: str
    location: str
    properties: GroupProperties
    tags: dict[str, str] | None = None
    managed_by: str | None = None


class ResourceGroupList(Struct, frozen=True, rename="camel", omit_defaults=True):
    """Resource groups, by name."""

    value: list[ResourceGroup]
    next_link: str | None = None


class NewResourceGroup(Struct, frozen=True, rename="camel"):
    """A resource group to make or to bring up to date."""

    location: Text | None = None
    tags: dict[str, str] | None = None
    managed_by: Text | None = None


class ResourceGroupChange(Struct, frozen=True, rename="camel"):
    """What to change in a resource group; the rest stays."""

    tags: dict[str, str] | None = None
    managed_by: Text | None = None


class GenericResource(Struct, frozen=True, rename="camel", omit_defaults=True):
    """A resource in a list of all kinds."""

    id: str
    name: str
    type: str
    location: str
    tags: dict[str, str] | None = None
    identity: dict[str, Any] | None = None
    sku: dict[str, Any] | None = None
    created_time: str | None = None
    changed_time: str | None = None
    provisioning_state: str | None = None


class GenericResourceList(Struct, frozen=True, rename="camel", omit_defaults=True):
    """Resources, by name. Instances are a hidden type: whoever shows this list to people leaves them out."""

    value: list[GenericResource]
    next_link: str | None = None


class ProviderResourceType(Struct, frozen=True, rename="camel"):
    """A type of a resource provider."""

    resource_type: str
    locations: list[str]
    api_versions: list[str]
    default_api_version: str
    capabilities: str


class Provider(Struct, frozen=True, rename="camel", omit_defaults=True):
    """A resource provider, and whether the subscription has registered it."""

    namespace: str
    resource_types: list[ProviderResourceType]
    id: str | None = None
    registration_state: str | None = None
    registration_policy: str | None = None


class ProviderList(Struct, frozen=True, rename="camel"):
    """Resource providers."""

    value: list[Provider]


class ProviderResourceTypeList(Struct, frozen=True, rename="camel"):
    """A provider's types."""

    value: list[ProviderResourceType]


class OperationDisplay(Struct, frozen=True):
    """An operation in words."""

    provider: str
    resource: str
    operation: str
    description: str


class OperationDescription(Struct, frozen=True, rename="camel"):
    """Something that can be done, by the name that roles have for it."""

    name: str
    is_data_action: bool
    display: OperationDisplay
    origin: str


class OperationList(Struct, frozen=True):
    """All that can be done."""

    value: list[OperationDescription]


class SystemData(Struct, frozen=True, rename="camel"):
    """Who made something and who changed it last, by object id, and when."""

    created_by: str
    created_by_type: str
    created_at: str
    last_modified_by: str
    last_modified_by_type: str
    last_modified_at: str


class Identity(Struct, frozen=True, rename="camel", omit_defaults=True):
    """An instance's managed identity. It is kept; nothing signs in by it."""

    type: str
    principal_id: str | None = None
    tenant_id: str | None = None


class Sku(Struct, frozen=True):
    """Plan of the first generation."""

    name: Text


class SensorIntegration(Struct, frozen=True, rename="camel", omit_defaults=True):
    """Whether sensors are integrated: `"True"` or `"False"`, as text."""

    enabled: str = "False"
    provisioning_state: str | None = None


class InstanceProperties(Struct, frozen=True, rename="camel", omit_defaults=True):
    """How it stands with an instance, and where its data is."""

    instance_uri: str
    provisioning_state: str
    sensor_integration: SensorIntegration | None = None
    public_network_access: str | None = None
    private_endpoint_connections: list[dict[str, Any]] | None = None


class Instance(Struct, frozen=True, rename="camel", omit_defaults=True):
    """An instance of the agriculture service. What is in it depends on `api-version`."""

    id: str
    name: str
    type: str
    location: str
    system_data: SystemData
    properties: InstanceProperties
    tags: dict[str, str] | None = None
    identity: Identity | None = None
    sku: Sku | None = None


class InstanceList(Struct, frozen=True, rename="camel", omit_defaults=True):
    """Instances, by name."""

    value: list[Instance]
    next_link: str | None = None


class NewInstanceProperties(Struct, frozen=True, rename="camel"):
    """What may be said of an instance; what is read-only in it does not count."""

    sensor_integration: SensorIntegration | None = None
    public_network_access: str | None = None


class NewInstance(Struct, frozen=True, rename="camel"):
    """An instance to make or to bring up to date."""

    location: Text | None = None
    tags: dict[str, str] | None = None
    identity: Identity | None = None
    sku: Sku | None = None
    properties: NewInstanceProperties | None = None


class Review(Struct, frozen=True, rename="camel"):
    """What would be made, and that nothing speaks against it."""

    id: str
    name: str
    type: str
    location: str
    tags: dict[str, str]
    instance_uri: str
    #: Whether it is there already and would be brought up to date.
    exists: bool
    terms_version: str


class NameCheck(Struct, frozen=True):
    """A name to be checked."""

    name: Text
    type: Text


class NameCheckAnswer(Struct, frozen=True, rename="camel", omit_defaults=True):
    """Whether an instance may be called so, and else why not: `Invalid` or `AlreadyExists`."""

    name_available: bool
    reason: str | None = None
    message: str | None = None


class OperationResult(Struct, frozen=True, omit_defaults=True):
    """What has become of an operation."""

    status: str
    id: str | None = None
    name: str | None = None
    error: ErrorBody | None = None


class EmptyList(Struct, frozen=True):
    """A list of what instances have none of here."""

    value: list[dict[str, Any]] = []


class Permission(Struct, frozen=True, rename="camel"):
    """What a role has: its actions but for those that are excepted."""

    actions: list[str]
    not_actions: list[str]
    data_actions: list[str]
    not_data_actions: list[str]


class RoleDefinitionProperties(Struct, frozen=True, rename="camel"):
    """What a role is."""

    role_name: str
    type: str
    description: str
    assignable_scopes: list[str]
    permissions: list[Permission]
    created_on: str
    updated_on: str
    created_by: str | None
    updated_by: str | None


class RoleDefinition(Struct, frozen=True):
    """A role."""

    id: str
    type: str
    name: str
    properties: RoleDefinitionProperties


class RoleDefinitionList(Struct, frozen=True):
    """Roles."""

    value: list[RoleDefinition]


class PermissionList(Struct, frozen=True):
    """What the caller's roles at a scope have."""

    value: list[Permission]


class RoleAssignmentProperties(Struct, frozen=True, rename="camel"):
    """Who has which role where."""

    role_definition_id: str
    principal_id: str
    principal_type: str
    scope: str
    condition: str | None
    condition_version: str | None
    created_on: str
    updated_on: str
    created_by: str | None
    updated_by: str | None
    delegated_managed_identity_resource_id: str | None
    description: str | None


class RoleAssignment(Struct, frozen=True):
    """A role assignment."""

    id: str
    type: str
    name: str
    properties: RoleAssignmentProperties


class RoleAssignmentList(Struct, frozen=True, rename="camel", omit_defaults=True):
    """Role assignments."""

    value: list[RoleAssignment]
    next_link: str | None = None


class NewRoleAssignmentProperties(Struct, frozen=True, rename="camel"):
    """Whom to give which role."""

    role_definition_id: Text
    principal_id: Text
    principal_type: Text | None = None
    description: Text | None = None
    condition: str | None = None


class NewRoleAssignment(Struct, frozen=True):
    """A role assignment to make."""

    properties: NewRoleAssignmentProperties


class AgreementProperties(Struct, frozen=True, rename="camel"):
    """The terms, and whether the subscription has accepted them as they are now."""

    publisher: str
    product: str
    plan: str
    license_text_link: str
    privacy_policy_link: str
    marketplace_terms_link: str
    retrieve_datetime: str
    signature: str
    accepted: bool


class Agreement(Struct, frozen=True):
    """An agreement of the marketplace."""

    id: str
    name: str
    type: str
    properties: AgreementProperties


class AgreementList(Struct, frozen=True):
    """The agreements of a subscription."""

    value: list[Agreement]


class AcceptanceProperties(Struct, frozen=True):
    """Which terms to accept; the signature is their version."""

    accepted: bool
    signature: str | None = None


class Acceptance(Struct, frozen=True):
    """An agreement to accept."""

    properties: AcceptanceProperties
