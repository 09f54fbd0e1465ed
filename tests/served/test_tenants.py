"""Tenants, certificates and tokens at the command line, of a Headland with several processes a listener."""

import json
import os
import ssl
import subprocess
import threading
from pathlib import Path

import httpx
import pytest
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from tests.service.identity.keys import certificate, rsa_key
from tests.serving import HEADLAND, Served


@pytest.fixture
def several(make_served) -> Served:
    running = make_served(
        server_workers="3", server_services="identity", identity_failed_attempts_a_minute="5"
    )
    running.start(authorize=False)
    return running


@pytest.fixture
def headland(several):
    """`headland ARGUMENTS --json` as the administrator; what it prints."""
    own = {
        "HEADLAND_URL": several.url,
        "HEADLAND_CA": str(several.ca),
        "HEADLAND_TENANT": several.administrator["tenantId"],
        "HEADLAND_CLIENT_ID": several.administrator["clientId"],
        "HEADLAND_CLIENT_SECRET": several.administrator["clientSecret"],
    }

    def run(*arguments: str) -> dict:
        environment = {**os.environ, **several.environment, **own}
        ended = subprocess.run(
            [str(HEADLAND), *arguments], env=environment, capture_output=True, text=True, check=False
        )
        assert ended.returncode == 0, ended.stderr
        return json.loads(ended.stdout or "null")

    return run


def connection(served: Served) -> httpx.Client:
    """A connection of its own, to whichever process takes it."""
    return httpx.Client(base_url=served.url, verify=ssl.create_default_context(cafile=str(served.ca)))


def test_tenant_is_made_and_its_application_gets_tokens_from_every_process(several, headland):
    made = headland("tenant", "create", "orchard.example", "--json")
    app = headland("app", "--tenant", "orchard.example", "create", "Drone", "--json")
    form = {
        "grant_type": "client_credentials",
        "client_id": app["application"]["clientId"],
        "client_secret": app["secret"]["secret"],
        "scope": "https://farmbeats.azure.net/.default",
    }
    for _ in range(30):
        # A connection each, so that all processes are met.
        with connection(several) as fresh:
            answer = fresh.post("/orchard.example/oauth2/v2.0/token", data=form)
        assert answer.status_code == 200, answer.text
    shown = headland("app", "--tenant", "orchard.example", "show", app["application"]["clientId"], "--json")
    assert shown["tenantId"] == made["tenantId"]
    assert shown["lastUsedAt"] == shown["secrets"][0]["lastUsedAt"] is not None


def test_certificate_is_registered_and_removed(several, headland, tmp_path: Path):
    made_here = certificate(last_day=20_000)
    file = tmp_path / "drone.pem"
    key = rsa_key().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    file.write_bytes(key + made_here.public_bytes(Encoding.PEM))
    client_id = several.administrator["clientId"]
    made = headland("app", "certificate", "add", client_id, str(file), "--name", "Spring", "--json")
    assert headland("app", "certificate", "list", client_id, "--json") == {"certificates": [made]}
    headland("app", "certificate", "remove", client_id, made["id"], "--quiet")
    assert headland("app", "certificate", "list", client_id, "--json") == {"certificates": []}


def test_right_secret_gets_in_while_somebody_guesses(several):
    tenant = several.administrator["tenantId"]
    good = {
        "grant_type": "client_credentials",
        "client_id": several.administrator["clientId"],
        "client_secret": several.administrator["clientSecret"],
        "scope": "https://farmbeats.azure.net/.default",
    }
    over = threading.Event()
    seen: set[int] = set()

    def guess() -> None:
        with connection(several) as attacker:
            while not over.is_set():
                wrong = {**good, "client_secret": "guess"}
                seen.add(attacker.post(f"/{tenant}/oauth2/v2.0/token", data=wrong).status_code)

    guessing = [threading.Thread(target=guess) for _ in range(4)]
    for thread in guessing:
        thread.start()
    try:
        with connection(several) as honest:
            for _ in range(50):
                answer = honest.post(f"/{tenant}/oauth2/v2.0/token", data=good)
                assert answer.status_code == 200, answer.text
    finally:
        over.set()
        for thread in guessing:
            thread.join()
    assert seen == {401, 429}
