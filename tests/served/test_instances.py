"""Instances through kills of the whole service, with several worker processes."""

from collections.abc import Callable

import httpx
from tests.serving import Served, eventually

VERSION = {"api-version": "2021-09-01-preview"}
WEST = {"location": "westeurope"}


def _start(served: Served) -> str:
    """Start, and the address of a group that is there."""
    served.start(authorize=False)
    token = served.token("https://management.azure.com/.default")
    served.public.headers["Authorization"] = f"Bearer {token}"
    served.public.params = httpx.QueryParams(VERSION)
    subscription = served.public.get("/subscriptions").json()["value"][0]["id"]
    assert (
        served.public.post(f"{subscription}/providers/Microsoft.AgFoodPlatform/register").status_code == 200
    )
    group = f"{subscription}/resourceGroups/meadow"
    assert served.public.put(group, json=WEST).status_code in {200, 201}
    return str(group)


def _state(served: Served, instance: str) -> str:
    return str(served.public.get(instance).json()["properties"]["provisioningState"])


def test_what_was_acknowledged_is_done_whatever_is_killed(make_served: Callable[..., Served]) -> None:
    served = make_served(server_services="identity,control", server_workers="2")
    group = _start(served)
    base = f"{group}/providers/Microsoft.AgFoodPlatform/farmBeats"
    for number in range(3):
        made = [f"{base}/field-{number}-{each}" for each in range(4)]
        for instance in made:
            assert served.public.put(instance, json=WEST).status_code == 201
        served.kill()
        _start(served)
        for instance in made:
            eventually(lambda at=instance: _state(served, at) == "Succeeded", f"{instance} is deployed")
    stores = served.home / "farm"
    assert len(list(stores.iterdir())) == 12
    answer = served.public.delete(group)
    assert answer.status_code == 202
    served.kill()
    served.start(authorize=False)
    token = served.token("https://management.azure.com/.default")
    served.public.headers["Authorization"] = f"Bearer {token}"
    location = answer.headers["location"]
    eventually(lambda: served.public.get(location).status_code == 200, "the group is deleted")
    assert list(stores.iterdir()) == []
    assert served.public.get(group, params=VERSION).status_code == 404


def test_a_role_that_is_removed_counts_in_no_worker(make_served: Callable[..., Served]) -> None:
    served = make_served(server_services="identity,control", server_workers="2")
    group = _start(served)
    own = {"Authorization": f"Bearer {served.token(f'{served.url}/.default')}"}
    worker = served.public.post("/identity/applications", json={"name": "Worker"}, headers=own).json()
    secret = served.public.post(
        f"/identity/applications/{worker['clientId']}/secrets", json={}, headers=own
    ).json()
    form = {
        "grant_type": "client_credentials",
        "client_id": worker["clientId"],
        "client_secret": secret["secret"],
        "scope": "https://management.azure.com/.default",
    }
    request = httpx.Request("POST", f"{served.url}/{worker['tenantId']}/oauth2/v2.0/token", data=form)
    token = served.public.send(request).json()["access_token"]
    assignment = f"{group}/providers/Microsoft.Authorization/roleAssignments/{worker['objectId']}"
    owner = "/providers/Microsoft.Authorization/roleDefinitions/8e3af657-a8ff-443c-a75c-2fe8c4bcb635"
    body = {"properties": {"roleDefinitionId": owner, "principalId": worker["objectId"]}}

    def read() -> int:
        # A connection of its own each, so that both workers are asked.
        with httpx.Client(verify=served.public._transport._pool._ssl_context) as client:
            headers = {"Authorization": f"Bearer {token}"}
            return client.get(f"{served.url}{group}", params=VERSION, headers=headers).status_code

    for _ in range(3):
        assert served.public.put(assignment, json=body).status_code == 201
        assert {read() for _ in range(12)} == {200}
        assert served.public.delete(assignment).status_code == 200
        assert {read() for _ in range(12)} == {403}


def test_an_instance_has_a_host_of_its_own(make_served: Callable[..., Served]) -> None:
    served = make_served(server_services="identity,control,farm", control_instance_domain="farm.example")
    instance = f"{_start(served)}/providers/Microsoft.AgFoodPlatform/farmBeats/Meadow"
    assert served.public.put(instance, json=WEST).status_code == 201
    eventually(lambda: _state(served, instance) == "Succeeded", "the instance is deployed")
    address = served.public.get(instance).json()["properties"]["instanceUri"]
    assert address == f"https://meadow.farm.example:{served.port}"
    answer = served.public.get(
        "/parties",
        params={"api-version": "2022-11-01-preview"},
        headers={
            "Host": address.removeprefix("https://"),
            "Authorization": f"Bearer {served.token('https://farmbeats.azure.net/.default')}",
        },
        # The certificate has the wildcard: it is checked for this name.
        extensions={"sni_hostname": "meadow.farm.example"},
    )
    assert (answer.status_code, answer.json()["value"]) == (200, [])
