"""Identity with several worker processes: keys rotated under load, applications disabled, and all of it on record."""

import json
import subprocess
import threading
from collections import Counter
from collections.abc import Callable

import httpx
import pytest
from tests.serving import HEADLAND, Served, eventually

#: Callers at once, and rotations while they call.
CALLERS = 4
ROTATIONS = 6


@pytest.fixture
def workers(make_served: Callable[..., Served]) -> Served:
    """Two worker processes of each listener, and keys that sign for two seconds."""
    served = make_served(
        server_workers="2", server_services="identity", identity_key_lifetime="2", identity_key_overlap="1"
    )
    served.start()
    return served


def cli(served: Served, *arguments: str) -> subprocess.CompletedProcess[str]:
    first = served.administrator
    environment = served.environment | {
        "HEADLAND_URL": served.url,
        "HEADLAND_TENANT": first["tenantId"],
        "HEADLAND_CLIENT_ID": first["clientId"],
        "HEADLAND_CLIENT_SECRET": first["clientSecret"],
        "HEADLAND_CA": str(served.ca),
    }
    return subprocess.run(
        [str(HEADLAND), *arguments], env=environment, capture_output=True, text=True, check=False
    )


def fresh(served: Served) -> httpx.Client:
    """A client that makes a connection for each request: whichever worker takes it answers."""
    limits = httpx.Limits(max_keepalive_connections=0)
    return httpx.Client(
        base_url=served.url, verify=served.public._transport._pool._ssl_context, limits=limits
    )


def own_scope(served: Served) -> str:
    return f"{served.url}/.default"


def form(served: Served, client_id: str, secret: str) -> dict[str, str]:
    return {
        "grant_type": "client_credentials",
        "client_id": client_id,
        "client_secret": secret,
        "scope": own_scope(served),
    }


def test_no_request_fails_while_keys_are_rotated_under_load(workers: Served) -> None:
    first = workers.administrator
    path = f"/{first['tenantId']}/oauth2/v2.0/token"
    asked = form(workers, first["clientId"], first["clientSecret"])
    stop, failures, signed = threading.Event(), [], Counter[str]()
    kept: list[str] = []

    def call() -> None:
        with fresh(workers) as client:
            while not stop.is_set():
                token = client.post(path, data=asked)
                if token.status_code != 200:
                    failures.append(("token", token.status_code, token.text))
                    continue
                good = token.json()["access_token"]
                signed[good.partition(".")[0]] += 1
                kept.append(good)
                for one in (good, kept[0]):
                    used = client.get("/identity/keys", headers={"Authorization": f"Bearer {one}"})
                    if used.status_code != 200:
                        failures.append(("use", used.status_code, used.text))

    callers = [threading.Thread(target=call) for _ in range(CALLERS)]
    for caller in callers:
        caller.start()
    try:
        for _ in range(ROTATIONS):
            before = set(signed)
            rotated = cli(workers, "key", "rotate", "--after", "0", "--json")
            assert rotated.returncode == 0, rotated.stderr
            eventually(lambda: set(signed) - before, "the new key signs")  # noqa: B023 - called within this turn
        # By age, too, without anybody asking for it.
        before = set(signed)
        eventually(lambda: set(signed) - before, "a key took over by age")
    finally:
        stop.set()
        for caller in callers:
            caller.join()
    assert failures == []
    assert len(signed) > ROTATIONS
    assert sum(signed.values()) > 100

    listed = json.loads(cli(workers, "key", "list", "--json").stdout)["keys"]
    assert len(listed) >= len(signed)
    assert "signing" in {key["state"] for key in listed}
    verified = cli(workers, "audit", "verify")
    assert verified.returncode == 0, verified.stderr
    entries = json.loads(cli(workers, "audit", "list", "--action", "key.published", "--json").stdout)[
        "entries"
    ]
    by = Counter(entry["byClientId"] for entry in entries)
    assert by[first["clientId"]] == ROTATIONS
    assert by[None] >= 2
    assert cli(workers, "audit", "verify", "--expect", verified.stdout.splitlines()[-1]).returncode == 0
    log = workers.log.read_text()
    assert "PRIVATE KEY" not in log
    assert not any(token in log for token in kept)


def test_a_disabled_or_deleted_application_is_refused_at_once_by_every_worker(workers: Served) -> None:
    workers.public.headers["Authorization"] = f"Bearer {workers.token(own_scope(workers))}"
    made = workers.public.post("/identity/applications", json={"name": "Drone", "administrator": True}).json()
    path = f"/identity/applications/{made['clientId']}"
    secret = workers.public.post(f"{path}/secrets", json={}).json()["secret"]
    asked = form(workers, made["clientId"], secret)
    with fresh(workers) as client:
        answer = client.post(f"/{made['tenantId']}/oauth2/v2.0/token", data=asked)
    bearer = {"Authorization": f"Bearer {answer.json()['access_token']}"}

    def statuses() -> Counter[int]:
        with fresh(workers) as client:
            # Each on a connection of its own, so that either worker has its share.
            return Counter(client.get("/identity/keys", headers=bearer).status_code for _ in range(20))

    for change, status in (
        (lambda: workers.public.patch(path, json={"disabled": True}), 401),
        (lambda: workers.public.patch(path, json={"disabled": False}), 200),
        (lambda: workers.public.delete(path), 401),
    ):
        assert change().status_code < 300
        assert statuses() == {status: 20}
