"""A Headland without jobs, and an application that provisioning is tried with.

The SDKs live in environments of their own: `make clients` installs them. Without them these tests are skipped,
except where `CI=true` and `REQUIRE_PEERS=1` say that they must run.
"""

import json
from collections.abc import Iterator

import pytest
from tests.serving import Served

MANAGEMENT_SCOPE = "https://management.azure.com/.default"


@pytest.fixture(scope="module")
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A Headland for the tests of a module."""
    running = Served(tmp_path_factory.mktemp("cloud") / "home", server_services="identity,control,farm")
    try:
        running.start(authorize=False)
        yield running
    finally:
        running.close()


@pytest.fixture(scope="module")
def asked(cloud: Served) -> str:
    """What the drivers are told: where, as whom, and whom to give roles. As JSON."""
    administrator = cloud.administrator
    own = {"Authorization": f"Bearer {cloud.token(f'{cloud.url}/.default')}"}
    worker = cloud.public.post("/identity/applications", json={"name": "Worker"}, headers=own).json()
    secret = cloud.public.post(
        f"/identity/applications/{worker['clientId']}/secrets", json={}, headers=own
    ).json()
    listed = cloud.public.get(
        "/subscriptions",
        params={"api-version": "2022-12-01"},
        headers={"Authorization": f"Bearer {cloud.token(MANAGEMENT_SCOPE)}"},
    ).json()
    return json.dumps(
        {
            "url": cloud.url,
            "tenant": administrator["tenantId"],
            "client": administrator["clientId"],
            "secret": administrator["clientSecret"],
            "subscription": listed["value"][0]["subscriptionId"],
            "worker": worker["objectId"],
            "worker client": worker["clientId"],
            "worker secret": secret["secret"],
        }
    )
