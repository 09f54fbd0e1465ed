"""Instances of the farm service for tests that talk to a served Headland."""

import uuid
from dataclasses import dataclass
from typing import Any

import httpx

from tests.serving import Served, eventually

#: Of the roles on an instance's data.
ADMIN = "f8da80de-1ff9-4747-ad80-a19b7f6079e3"
CONTRIBUTOR = "8508508a-4469-4e45-963b-2518ee0bb728"
READER = "7ec7ccdc-f61e-41fe-9aaf-980df0a44eba"

_MANAGER = "https://management.azure.com/.default"
_WEST = {"location": "westeurope"}


@dataclass(frozen=True)
class Provisioned:
    """An instance, as the resource manager has it."""

    client: httpx.Client
    #: Resource id.
    id: str

    @property
    def properties(self) -> dict[str, Any]:
        return dict(self.client.get(self.id).raise_for_status().json()["properties"])

    @property
    def uri(self) -> str:
        return str(self.properties["instanceUri"])

    def assign(self, object_id: str, role: str) -> None:
        """Give a role on the instance to an application."""
        wanted = {
            "roleDefinitionId": f"/providers/Microsoft.Authorization/roleDefinitions/{role}",
            "principalId": object_id,
        }
        assignment = f"{self.id}/providers/Microsoft.Authorization/roleAssignments/{uuid.uuid4()}"
        self.client.put(assignment, json={"properties": wanted}).raise_for_status()


def provision(served: Served, name: str = "meadow") -> Provisioned:
    """An instance in the group `farms` of the first subscription, deployed. The administrator makes it."""
    client = served.public
    client.headers["Authorization"] = f"Bearer {served.token(_MANAGER)}"
    client.params = httpx.QueryParams({"api-version": "2021-09-01-preview"})
    subscription = client.get("/subscriptions").json()["value"][0]["id"]
    group = f"{subscription}/resourceGroups/farms"
    instance = Provisioned(client, f"{group}/providers/Microsoft.AgFoodPlatform/farmBeats/{name}")
    client.post(f"{subscription}/providers/Microsoft.AgFoodPlatform/register").raise_for_status()
    client.put(group, json=_WEST).raise_for_status()
    client.put(instance.id, json=_WEST).raise_for_status()
    eventually(lambda: instance.properties["provisioningState"] == "Succeeded", "the instance is deployed")
    return instance
