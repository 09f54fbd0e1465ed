"""Provisions an instance with the public SDKs alone, wrong inputs at each step included, and prints what they saw.

Only authority, endpoint and CA (through the environment) are not the hosted service's.
"""

import json
import sys
import time
import uuid

from azure.core.exceptions import HttpResponseError
from azure.identity import ClientSecretCredential
from azure.mgmt.agrifood import AgriFoodMgmtClient
from azure.mgmt.agrifood.models import FarmBeats, FarmBeatsUpdateProperties, FarmBeatsUpdateRequestModel
from azure.mgmt.authorization import AuthorizationManagementClient
from azure.mgmt.authorization.models import RoleAssignmentCreateParameters
from azure.mgmt.marketplaceordering import MarketplaceOrderingAgreements
from azure.mgmt.resource.resources import ResourceManagementClient
from azure.mgmt.resource.subscriptions import SubscriptionClient

asked = json.loads(sys.argv[1])
url = asked["url"]
PROVIDER = "Microsoft.AgFoodPlatform"
READER = "7ec7ccdc-f61e-41fe-9aaf-980df0a44eba"
CONTRIBUTOR = "8508508a-4469-4e45-963b-2518ee0bb728"

credential = ClientSecretCredential(
    asked["tenant"],
    asked["client"],
    asked["secret"],
    authority=url,
    disable_instance_discovery=True,
)
options = {"base_url": url, "credential_scopes": ["https://management.azure.com/.default"]}
seen: dict[str, object] = {}


def refused(act):
    """Status and code of the error that the SDK raises."""
    try:
        act()
    except HttpResponseError as error:
        return [error.status_code, error.error.code]
    return None


subscriptions = SubscriptionClient(credential, **options)
seen["subscriptions"] = [item.subscription_id for item in subscriptions.subscriptions.list()]
subscription = seen["subscriptions"][0]
seen["state"] = subscriptions.subscriptions.get(subscription).state
seen["tenants"] = [item.tenant_id for item in subscriptions.tenants.list()]
locations = [item.name for item in subscriptions.subscriptions.list_locations(subscription)]
seen["locations"] = locations
seen["unknown subscription"] = refused(lambda: subscriptions.subscriptions.get(str(uuid.uuid4())))

resources = ResourceManagementClient(credential, subscription, **options)
farms = AgriFoodMgmtClient(credential, "headland.none", subscription, **options)
roles = AuthorizationManagementClient(credential, subscription, **options)
terms = MarketplaceOrderingAgreements(credential, subscription, **options)

seen["wrong region"] = refused(
    lambda: resources.resource_groups.create_or_update("meadow", {"location": "moon"})
)
seen["no region"] = refused(lambda: resources.resource_groups.create_or_update("meadow", {"location": None}))
seen["wrong tags"] = refused(
    lambda: resources.resource_groups.create_or_update(
        "meadow", {"location": locations[0], "tags": {"a<": "b"}}
    )
)
seen["wrong group name"] = refused(
    lambda: resources.resource_groups.create_or_update("meadow.", {"location": locations[0]})
)
seen["no group"] = [resources.resource_groups.check_existence("meadow")]
group = resources.resource_groups.create_or_update(
    "meadow", {"location": locations[0], "tags": {"farm": "north"}}
)
seen["group"] = [group.name, group.location, group.tags, group.properties.provisioning_state]
seen["no group"].append(resources.resource_groups.check_existence("MEADOW"))
seen["groups"] = [
    item.name for item in resources.resource_groups.list(filter="tagName eq 'farm' and tagValue eq 'north'")
]
seen["other groups"] = [item.name for item in resources.resource_groups.list(filter="tagName eq 'barn'")]
seen["wrong filter"] = refused(lambda: list(resources.resource_groups.list(filter="nonsense")))
seen["patched"] = resources.resource_groups.update("meadow", {"tags": {"farm": "south"}}).tags
seen["group moves"] = refused(
    lambda: resources.resource_groups.create_or_update("meadow", {"location": locations[1]})
)

seen["before"] = resources.providers.get(PROVIDER).registration_state
# The SDK registers the provider by itself where it is told that it must.
farms.farm_beats_models.create_or_update("meadow", "early-field", FarmBeats(location=locations[0]))
seen["registered by itself"] = resources.providers.get(PROVIDER).registration_state
seen["in use"] = refused(lambda: resources.providers.unregister(PROVIDER))
early = f"{group.id}/providers/{PROVIDER}/farmBeats/early-field"
resources.resources.begin_delete_by_id(early, api_version="2021-09-01-preview").wait()
resources.providers.unregister(PROVIDER)
instance = FarmBeats(location=locations[0], tags={"crop": "wheat"})
resources.providers.register(PROVIDER)
seen["after"] = resources.providers.get(PROVIDER).registration_state
seen["types"] = sorted(item.resource_type for item in resources.providers.get(PROVIDER).resource_types)
seen["operations"] = len(list(farms.operations.list()))

available = farms.locations.check_name_availability({"name": "north-field", "type": f"{PROVIDER}/farmBeats"})
seen["available"] = [available.name_available, available.reason]
create = farms.farm_beats_models.create_or_update
seen["wrong name"] = refused(lambda: create("meadow", "north_field", instance))
seen["no such group"] = refused(lambda: create("nowhere", "north-field", instance))
seen["wrong place"] = refused(lambda: create("meadow", "north-field", FarmBeats(location="moon")))
seen["wrong access"] = refused(
    lambda: create("meadow", "north-field", FarmBeats(location=locations[0], public_network_access="Maybe"))
)
made = create("meadow", "north-field", instance)
seen["made"] = [made.name, made.type, made.tags, made.system_data.created_by_type]
states = [made.provisioning_state]
while states[-1] not in {"Succeeded", "Failed"}:
    time.sleep(0.2)
    states.append(farms.farm_beats_models.get("meadow", "north-field").provisioning_state)
seen["states"] = states
seen["instance uri"] = farms.farm_beats_models.get("MEADOW", "NORTH-FIELD").instance_uri
again = create("meadow", "north-field", FarmBeats(location=locations[0], tags={"crop": "rye"}))
seen["again"] = [again.provisioning_state, again.tags]
updated = farms.farm_beats_models.begin_update(
    "meadow",
    "north-field",
    FarmBeatsUpdateRequestModel(
        tags={"crop": "oats"}, properties=FarmBeatsUpdateProperties(public_network_access="Hybrid")
    ),
).result()
seen["updated"] = [updated.tags, updated.public_network_access]
taken = farms.locations.check_name_availability({"name": "North-Field", "type": f"{PROVIDER}/farmBeats"})
seen["taken"] = [taken.name_available, taken.reason]
seen["too many tags"] = refused(
    lambda: create(
        "meadow", "north-field", FarmBeats(location=locations[0], tags={str(n): "" for n in range(51)})
    )
)
result = farms.farm_beats_models.get_operation_result(
    "meadow", "north-field", "resource-provisioning-id-north-field"
)
seen["operation result"] = result.status
for kind in (
    "extensions.list_by_farm_beats",
    "solutions.list",
    "private_endpoint_connections.list_by_resource",
):
    operations, _, name = kind.partition(".")
    seen[kind] = len(list(getattr(getattr(farms, operations), name)("meadow", "north-field")))
seen["definitions"] = [
    len(list(farms.farm_beats_extensions.list())),
    len(list(farms.solutions_discoverability.list())),
]
seen["no extension"] = refused(lambda: farms.extensions.get("meadow", "north-field", "DTN.ContentServices"))
for number in range(12):
    create("meadow", f"strip-{number}", FarmBeats(location=locations[0]))
listed = [item.name for item in farms.farm_beats_models.list_by_resource_group("meadow", max_page_size=10)]
seen["paged"] = [len(listed), len(set(listed))]
seen["all"] = len(list(farms.farm_beats_models.list_by_subscription()))
hidden = resources.resources.list_by_resource_group(
    "meadow",
    filter=f"resourceType eq '{PROVIDER}/farmBeats' and name eq 'north-field'",
    expand="createdTime,provisioningState",
)
seen["hidden"] = [
    [item.name, item.type, item.created_time is not None, item.provisioning_state] for item in hidden
]
seen["top"] = len(list(resources.resources.list(top=5)))
by_id = resources.resources.get_by_id(made.id, api_version="2023-06-01-preview")
seen["by id"] = [by_id.name, by_id.properties["provisioningState"]]
seen["exists by id"] = [
    resources.resources.check_existence_by_id(made.id, api_version="2021-09-01-preview"),
    resources.resources.check_existence_by_id(made.id + "x", api_version="2021-09-01-preview"),
]
generic = resources.resources.begin_create_or_update_by_id(
    f"{group.id}/providers/{PROVIDER}/farmBeats/generic",
    {"location": locations[0]},
    api_version="2021-09-01-preview",
).result()
seen["generic"] = generic.properties["provisioningState"]
seen["wrong version"] = refused(lambda: resources.resources.get_by_id(made.id, api_version="2031-01-01"))
seen["wrong type"] = refused(
    lambda: resources.resources.get_by_id(
        f"{group.id}/providers/{PROVIDER}/barns/x", api_version="2021-09-01-preview"
    )
)

definition = next(
    iter(roles.role_definitions.list(made.id, filter="roleName eq 'AgFood Platform Service Reader'"))
)
seen["definition"] = [definition.name, definition.role_name, definition.permissions[0].data_actions[0]]
assign = roles.role_assignments.create


def parameters(role, principal, **more):
    return RoleAssignmentCreateParameters(
        role_definition_id=f"/subscriptions/{subscription}/providers/Microsoft.Authorization/roleDefinitions/{role}",
        principal_id=principal,
        **more,
    )


name = str(uuid.uuid4())
seen["wrong principal"] = refused(lambda: assign(made.id, name, parameters(READER, str(uuid.uuid4()))))
seen["wrong role"] = refused(lambda: assign(made.id, name, parameters(str(uuid.uuid4()), asked["worker"])))
seen["wrong kind"] = refused(
    lambda: assign(made.id, name, parameters(READER, asked["worker"], principal_type="Group"))
)
assigned = assign(made.id, name, parameters(READER, asked["worker"], principal_type="ServicePrincipal"))
seen["assigned"] = [
    assigned.name == name,
    assigned.scope == made.id,
    assigned.principal_id == asked["worker"],
]
seen["same again"] = refused(lambda: assign(made.id, str(uuid.uuid4()), parameters(READER, asked["worker"])))
seen["second role"] = refused(
    lambda: assign(made.id, str(uuid.uuid4()), parameters(CONTRIBUTOR, asked["worker"]))
)
listed = roles.role_assignments.list_for_scope(made.id, filter=f"principalId eq '{asked['worker']}'")
seen["assignments"] = [item.name == name for item in listed]
at_root = roles.role_assignments.list_for_scope("/", filter="atScope()")
seen["at root"] = len(list(at_root))
seen["of the resource"] = len(
    list(roles.role_assignments.list_for_resource("meadow", PROVIDER, "farmBeats", "north-field"))
)

worker = ClientSecretCredential(
    asked["tenant"],
    asked["worker client"],
    asked["worker secret"],
    authority=url,
    disable_instance_discovery=True,
)
stranger = ResourceManagementClient(worker, subscription, **options)
seen["stranger"] = refused(lambda: stranger.resource_groups.get("meadow"))
seen["stranger sees"] = [
    item.subscription_id for item in SubscriptionClient(worker, **options).subscriptions.list()
]
OWNER = "8e3af657-a8ff-443c-a75c-2fe8c4bcb635"
grant = assign(
    group.id, str(uuid.uuid4()), parameters(OWNER, asked["worker"], principal_type="ServicePrincipal")
)
seen["owner"] = stranger.resource_groups.get("meadow").name
roles.role_assignments.delete_by_id(grant.id)
seen["owner no more"] = refused(lambda: stranger.resource_groups.get("meadow"))
seen["removed"] = roles.role_assignments.delete(made.id, name).name == name
seen["removed again"] = roles.role_assignments.delete(made.id, name)

agreement = terms.marketplace_agreements.get("virtualmachine", "headland", "farmbeats", "terms")
seen["accepted"] = agreement.accepted
agreement.accepted = True
signed = terms.marketplace_agreements.create("virtualmachine", "headland", "farmbeats", "terms", agreement)
seen["signed"] = [signed.accepted, signed.signature == agreement.signature]

farms.farm_beats_models.delete("meadow", "north-field")
seen["deleted"] = refused(lambda: farms.farm_beats_models.get("meadow", "north-field"))
farms.farm_beats_models.delete("meadow", "north-field")
resources.resource_groups.begin_delete("meadow").wait()
seen["group deleted"] = refused(lambda: resources.resource_groups.get("meadow"))
seen["left"] = len(list(farms.farm_beats_models.list_by_subscription()))
seen["unregister"] = resources.providers.unregister(PROVIDER).registration_state
print(json.dumps(seen))
