"""From an empty subscription to a party that is deleted, with the public SDKs alone: the provider is registered, a
group and an instance are made, roles are assigned, and records are kept by those who may. Prints what they saw.

Only authority, endpoints and CA (through the environment) are not the hosted service's.
"""

import json
import sys
import time
import uuid

from azure.agrifood.farming import FarmBeatsClient
from azure.core.exceptions import ClientAuthenticationError, HttpResponseError
from azure.identity import ClientSecretCredential
from azure.mgmt.agrifood import AgriFoodMgmtClient
from azure.mgmt.agrifood.models import FarmBeats
from azure.mgmt.authorization import AuthorizationManagementClient
from azure.mgmt.authorization.models import RoleAssignmentCreateParameters
from azure.mgmt.resource.resources import ResourceManagementClient

asked = json.loads(sys.argv[1])
url, subscription = asked["url"], asked["subscription"]
PROVIDER = "Microsoft.AgFoodPlatform"
GROUP, NAME = "story", "story-field"
seen: dict[str, object] = {}


def credential(client: str, secret: str) -> ClientSecretCredential:
    return ClientSecretCredential(
        asked["tenant"], client, secret, authority=url, disable_instance_discovery=True
    )


def refused(act):
    """Status and code of the error that the SDK raises."""
    try:
        act()
    except HttpResponseError as error:
        return [error.status_code, error.error.code]
    return None


options = {"base_url": url, "credential_scopes": ["https://management.azure.com/.default"]}
owner = credential(asked["client"], asked["secret"])
resources = ResourceManagementClient(owner, subscription, **options)
farms = AgriFoodMgmtClient(owner, "headland.none", subscription, **options)
roles = AuthorizationManagementClient(owner, subscription, **options)

seen["wrong provider"] = refused(lambda: resources.providers.register("Microsoft.Nothing"))
seen["registered"] = resources.providers.register(PROVIDER).registration_state

seen["wrong region"] = refused(
    lambda: resources.resource_groups.create_or_update(GROUP, {"location": "moon"})
)
seen["group"] = resources.resource_groups.create_or_update(GROUP, {"location": "westeurope"}).name

create = farms.farm_beats_models.create_or_update
seen["wrong name"] = refused(lambda: create(GROUP, "story_field", FarmBeats(location="westeurope")))
instance = create(GROUP, NAME, FarmBeats(location="westeurope"))
while instance.provisioning_state not in {"Succeeded", "Failed"}:
    time.sleep(0.2)
    instance = farms.farm_beats_models.get(GROUP, NAME)
seen["instance"] = [instance.provisioning_state, instance.instance_uri]


def party_keeper(who: str) -> FarmBeatsClient:
    """The data plane, for one of the applications."""
    client, secret = asked[who]["client"], asked[who]["secret"]
    return FarmBeatsClient(endpoint=instance.instance_uri, credential=credential(client, secret))


contributor, administrator = party_keeper("contributor"), party_keeper("administrator")


def wrong_secret():
    FarmBeatsClient(
        endpoint=instance.instance_uri, credential=credential(asked["contributor"]["client"], "x" * 40)
    ).parties.get(party_id="party-1")


try:
    wrong_secret()
except ClientAuthenticationError as error:
    seen["wrong secret"] = "AADSTS7000215" in str(error)

write = {"party_id": "party-1", "party": {"name": "Contoso Farmer"}}
seen["without a role"] = refused(lambda: contributor.parties.create_or_update(**write))
definitions = {item.role_name: item.id for item in roles.role_definitions.list(instance.id)}


def assign(role: str, who: str) -> str:
    wanted = RoleAssignmentCreateParameters(
        role_definition_id=definitions[role],
        principal_id=asked[who]["object"],
        principal_type="ServicePrincipal",
    )
    return roles.role_assignments.create(instance.id, str(uuid.uuid4()), wanted).id


assigned = assign("AgFood Platform Service Contributor", "contributor")
seen["second role"] = refused(lambda: assign("AgFood Platform Service Reader", "contributor"))
assign("AgFood Platform Service Admin", "administrator")

seen["created"] = contributor.parties.create_or_update(**write)["name"]
seen["listed"] = [item["id"] for item in contributor.parties.list()]
seen["wrong id"] = refused(lambda: contributor.parties.create_or_update(party_id="x", party={}))
seen["contributor deletes"] = refused(lambda: contributor.parties.delete(party_id="party-1"))
administrator.parties.delete(party_id="party-1")
seen["deleted"] = refused(lambda: contributor.parties.get(party_id="party-1"))

roles.role_assignments.delete_by_id(assigned)
seen["role taken away"] = refused(lambda: list(contributor.parties.list()))

resources.resource_groups.begin_delete(GROUP).wait()
seen["instance gone"] = refused(lambda: list(administrator.parties.list()))
print(json.dumps(seen))
