"""An instance of the farm service, provisioned as a person would, and documents for it to hold."""

import json
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass

import httpx

from benchmarks.harness import BenchmarkError
from benchmarks.serving import Served

API_VERSION = "2022-11-01-preview"
PARTY = "estate"

_NAME = "meadow"
_MANAGEMENT = "https://management.azure.com/.default"
_DATA = "https://farmbeats.azure.net/.default"
_ADMIN = "f8da80de-1ff9-4747-ad80-a19b7f6079e3"

#: Fields that a farm has: what a list of one farm's shows.
FIELDS_A_FARM = 20

#: Lines of one request.
_AT_ONCE = 20_000
_PATIENCE = 30.0


@dataclass(frozen=True, slots=True)
class Instance:
    """An instance that serves."""

    #: Its path on the public listener.
    path: str
    #: Of an application that administers it.
    token: str

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}

    def below(self, path: str, query: str = "") -> str:
        """The target of a request."""
        return f"{self.path}{path}?api-version={API_VERSION}{query and '&'}{query}"


def provisioned(served: Served) -> Instance:
    """An instance, and a role on it for the administrator."""
    headers = {"Authorization": f"Bearer {served.token(_MANAGEMENT)}"}
    with served.client(headers=headers, params={"api-version": "2021-09-01-preview"}) as client:
        subscription = _json(client.get("/subscriptions"))["value"][0]["id"]
        group = f"{subscription}/resourceGroups/farms"
        instance = f"{group}/providers/Microsoft.AgFoodPlatform/farmBeats/{_NAME}"
        _json(client.post(f"{subscription}/providers/Microsoft.AgFoodPlatform/register"))
        _json(client.put(group, json={"location": "westeurope"}))
        _json(client.put(instance, json={"location": "westeurope"}))
        _await_deployed(client, instance)
        own = {"Authorization": f"Bearer {served.token(f'https://localhost:{served.port}/.default')}"}
        known = _json(client.get(f"/identity/applications/{served.client_id}", headers=own))
        role = f"/providers/Microsoft.Authorization/roleDefinitions/{_ADMIN}"
        wanted = {"properties": {"roleDefinitionId": role, "principalId": known["objectId"]}}
        assignment = f"{instance}/providers/Microsoft.Authorization/roleAssignments/{uuid.uuid4()}"
        _json(client.put(assignment, json=wanted))
    return Instance(f"/farm/{_NAME}", served.token(_DATA))


def fill(served: Served, instance: Instance, fields: int) -> None:
    """One party with farms, and their fields."""
    farms = [_record(f"farm-{number}", number) for number in range(-(-fields // FIELDS_A_FARM))]
    with served.client(headers=instance.headers) as client:
        party = {"name": "Estate", "description": "All of it."}
        patch = {"content-type": "application/merge-patch+json"}
        _json(client.patch(instance.below(f"/parties/{PARTY}"), json=party, headers=patch))
        _bring(client, instance, "farms", iter(farms))
        _bring(client, instance, "fields", (field(number) for number in range(fields)))


def field(number: int) -> dict[str, object]:
    """A field as a program would send it."""
    return _record(f"field-{number:06}", number) | {"farmId": f"farm-{number // FIELDS_A_FARM}"}


def _record(name: str, number: int) -> dict[str, object]:
    return {
        "partyId": PARTY,
        "id": name,
        "name": f"North {number}",
        "description": "Beyond the brook, drained in the east.",
        "status": "ACTIVE",
        "properties": {"soil": "loam", "hectares": number % 40},
    }


def _bring(
    client: httpx.Client, instance: Instance, family: str, records: Iterator[dict[str, object]]
) -> None:
    lines = [json.dumps(record) for record in records]
    for first in range(0, len(lines), _AT_ONCE):
        body = "\n".join(lines[first : first + _AT_ONCE])
        answer = client.post(
            instance.below(f"/bulk/{family}"), content=body, headers={"content-type": "application/x-ndjson"}
        )
        last = json.loads(answer.raise_for_status().text.splitlines()[-1])
        if last["event"] != "finished" or last.get("refused"):
            raise BenchmarkError(f"not all {family} were taken: {last}")


def _await_deployed(client: httpx.Client, instance: str) -> None:
    deadline = time.monotonic() + _PATIENCE
    while _json(client.get(instance))["properties"]["provisioningState"] != "Succeeded":
        if time.monotonic() > deadline:
            raise BenchmarkError("the instance is not deployed")
        time.sleep(0.05)


def _json(answer: httpx.Response) -> dict[str, object] | list[object]:
    if answer.is_error:
        raise BenchmarkError(f"{answer.request.url.path}: {answer.text[:300]}")
    return answer.json() if answer.content else {}
