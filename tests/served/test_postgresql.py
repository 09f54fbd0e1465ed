"""The whole service on PostgreSQL, while either of the two is killed."""

import signal
import subprocess
from collections.abc import Callable, Iterator

import pytest
from tests.postgres import Cluster, cluster
from tests.serving import HEADLAND, Served, eventually

MANAGEMENT = "https://management.azure.com/.default"
FARM = "https://farmbeats.azure.net/.default"
WEST = {"location": "westeurope"}
CONTROL = {"api-version": "2021-09-01-preview"}
RECORDS = {"api-version": "2022-11-01-preview"}
MERGE = {"content-type": "application/merge-patch+json"}
SQUARE = {"type": "Polygon", "coordinates": [[[10, 50], [10.1, 50], [10.1, 50.1], [10, 50.1], [10, 50]]]}


@pytest.fixture
def server() -> Iterator[Cluster]:
    """One that nobody else needs."""
    own = Cluster(cluster().programs)
    yield own
    own.throw_away()


def test_nothing_is_lost_whatever_is_killed(server: Cluster, make_served: Callable[..., Served]) -> None:
    database = server.database()
    served = make_served(database_url=database, server_workers="2")
    served.start(authorize=False)
    refused = serve(make_served(database_url=database))
    assert (refused.returncode, f"({served.home} on " in refused.stderr) == (1, True), refused.stderr
    farm = make_instance(served)
    assert put(served, f"{farm}/parties/elm", name="Elm") == 201
    assert put(served, f"{farm}/parties/elm/boundaries/b1", geometry=SQUARE) == 201
    for number in range(3):
        party = f"{farm}/parties/p{number}"
        assert put(served, party) == 201
        server.stop(signal.SIGKILL)
        assert put(served, party, name="lost") == 503
        assert served.public.get("/health/ready").status_code == 503
        if number == 1:
            served.kill()
        server.start()
        if number == 1:
            served.start(authorize=False)
            authorize(served, FARM)
        eventually(lambda: served.public.get("/health/ready").status_code == 200, "the service is ready")
        read = served.public.get(party, params=RECORDS)
        assert (read.status_code, "name" in read.json()) == (200, False)
    inside = {"type": "Point", "coordinates": [10.05, 50.05]}
    found = served.public.post(f"{farm}/boundaries", params=RECORDS, json={"intersectsWithGeometry": inside})
    assert [each["id"] for each in found.json()["value"]] == ["b1"]
    assert not (served.home / "headland.db").exists()
    assert list((served.home / "farm").iterdir()) == []


def serve(served: Served) -> subprocess.CompletedProcess[str]:
    """A start that ends by itself."""
    command = [str(HEADLAND), "serve"]
    return subprocess.run(
        command, env=served.environment, capture_output=True, text=True, timeout=60, check=False
    )


def make_instance(served: Served) -> str:
    """The path of an instance, to which the service's administrator has every right."""
    authorize(served, MANAGEMENT)
    subscription = served.public.get("/subscriptions", params=CONTROL).json()["value"][0]["id"]
    provider = f"{subscription}/providers/Microsoft.AgFoodPlatform/register"
    assert served.public.post(provider, params=CONTROL).status_code == 200
    group = f"{subscription}/resourceGroups/farms"
    assert served.public.put(group, params=CONTROL, json=WEST).status_code == 201
    instance = f"{group}/providers/Microsoft.AgFoodPlatform/farmBeats/meadow"
    assert served.public.put(instance, params=CONTROL, json=WEST).status_code == 201
    eventually(
        lambda: (
            served.public.get(instance, params=CONTROL).json()["properties"]["provisioningState"]
            == "Succeeded"
        ),
        "the instance is deployed",
    )
    authorize(served, FARM)
    return "/farm/meadow"


def authorize(served: Served, scope: str) -> None:
    served.public.headers["Authorization"] = f"Bearer {served.token(scope)}"


def put(served: Served, path: str, **members: object) -> int:
    return served.public.patch(path, params=RECORDS, json=members, headers=MERGE).status_code
