"""A job's code calls farm, storage and control as who submitted it, and nothing else."""

import base64
import json
from typing import Any

import httpx
import pytest
from tests.instances import READER, provision
from tests.serving import APPLICATIONS, CLUSTER_SCOPE, Served, eventually

pytestmark = pytest.mark.spark


@pytest.fixture
def running(make_served) -> Served:
    served = make_served(jobs_warm_drivers="0")
    served.start()
    return served


def register(served: Served, name: str) -> dict[str, Any]:
    """An application without roles, with a secret; as the portal's owner would."""
    own = {"Authorization": f"Bearer {served.token(f'{served.url}/.default')}"}
    made = served.public.post("/identity/applications", json={"name": name}, headers=own).raise_for_status().json()
    path = f"/identity/applications/{made['clientId']}"
    secret = served.public.post(f"{path}/secrets", json={}, headers=own).raise_for_status().json()
    return {**made, "secret": secret["secret"], "path": path}


def client_of(served: Served, application: dict[str, Any]) -> httpx.Client:
    return served.client(
        served.token(CLUSTER_SCOPE, client_id=application["clientId"], client_secret=application["secret"])
    )


def submit(client: httpx.Client, served: Served, *arguments: str, **more: Any) -> int:
    file = served.put(APPLICATIONS / "calls.py", "programs/calls.py")
    body = {"file": file, "args": [*arguments], **more}
    answer = client.post("/livy/batches", json=body, headers={"X-Requested-By": "tests"})
    assert answer.status_code == 201, answer.text
    return int(answer.json()["id"])


def called(lines: list[str]) -> dict[str, int]:
    found = [line.split(" ", 3) for line in lines if line.startswith("called ")]
    return {path: int(status) for _, path, status, _ in found}


def claims(lines: list[str]) -> dict[str, Any]:
    (token,) = [line.removeprefix("token ") for line in lines if line.startswith("token ")]
    part = token.split(".")[1]
    return dict(json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))))


def test_a_python_batch_acts_for_its_application_and_nothing_else(running):
    meadow = provision(running)
    drone = register(running, "Drone")
    meadow.assign(drone["objectId"], READER)
    farm = "/farm/meadow/parties?api-version=2022-11-01-preview"
    subscription = meadow.id.split("/resourceGroups")[0]
    client = client_of(running, drone)
    batch = submit(
        client,
        running,
        farm,
        "/storage/",
        "/subscriptions?api-version=2020-01-01",
        f"{meadow.id}?api-version=2021-09-01-preview",
        "/identity/applications",
        "/audit/entries",
        "/livy/batches",
    )
    running.public.headers["Authorization"] = f"Bearer {running.token()}"
    running.public.params = httpx.QueryParams()
    assert running.wait(batch) == "success", running.lines(batch)
    lines = running.lines(batch)
    print("\n".join(lines))
    assert called(lines) == {
        farm: 200,
        "/storage/": 200,
        "/subscriptions?api-version=2020-01-01": 200,
        f"{meadow.id}?api-version=2021-09-01-preview": 403,
        "/identity/applications": 401,
        "/audit/entries": 401,
        "/livy/batches": 401,
    }
    assert 'instances ["meadow"]' in lines
    said = claims(lines)
    assert (said["oid"], said["azp"]) == (drone["objectId"], drone["clientId"])
    assert said["act"] == {"sub": f"batch/{batch}"}
    assert "roles" not in said
