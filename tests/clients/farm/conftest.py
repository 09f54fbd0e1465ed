"""An instance that public clients reach, and applications of each role.

The clients live in environments of their own: `make clients` installs them. Without them these tests are
skipped, except where `CI=true` and `REQUIRE_PEERS=1` say that they must run.
"""

import json
import os
import ssl
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.clients.peers import is_missing
from tests.serving import PATIENCE, eventually, free_port

from headland.farm import Stores
from headland.identity import FirstAdministrator
from headland.server.prepare import prepare
from headland.settings import Home

HERE = Path(__file__).parent

#: Each role's name, and that of an application without one.
APPLICATIONS = ("admin", "contributor", "reader", "stranger")


@dataclass(frozen=True)
class Reached:
    """All that a program has to be told."""

    #: `instanceUri`.
    uri: str
    authority: str
    tenant: str
    ca: Path
    #: Client id and secret by role.
    applications: dict[str, tuple[str, str]]


@pytest.fixture(scope="session")
def reached(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reached]:
    """The instance `meadow`."""
    folder = tmp_path_factory.mktemp("farm")
    port = free_port()
    url = f"https://localhost:{port}"
    kept = {name: value for name, value in os.environ.items() if not name.startswith("HEADLAND_")}
    own = {
        "HEADLAND_HOME": str(folder / "home"),
        "HEADLAND_SERVER_PUBLIC_URL": url,
        "HEADLAND_SERVER_PORT": str(port),
        "HEADLAND_SERVER_SERVICES": "identity",
    }
    with pytest.MonkeyPatch.context() as patch:
        for name, value in own.items():
            patch.setenv(name, value)
        prepared = prepare(Home.default())
    administrator = prepared.administrator
    assert administrator is not None
    with (folder / "log").open("w") as log:
        command = [sys.executable, str(HERE / "serving.py"), str(port)]
        server = subprocess.Popen(command, env=kept | own, stdout=log, stderr=log)
    try:
        yield _provision(url, prepared.home, administrator)
    finally:
        server.terminate()
        server.wait(20)


def _provision(url: str, home: Home, administrator: FirstAdministrator) -> Reached:
    trusted = ssl.create_default_context(cafile=str(home.ca_certificate))
    with httpx.Client(base_url=url, verify=trusted, timeout=PATIENCE) as client:

        def answers() -> bool:
            try:
                return client.get(
                    f"/{administrator.tenant_id}/v2.0/.well-known/openid-configuration"
                ).is_success
            except httpx.TransportError:
                return False

        eventually(answers, "the server answers")
        form = {
            "grant_type": "client_credentials",
            "client_id": administrator.client_id,
            "client_secret": administrator.secret,
            "scope": f"{url}/.default",
        }
        token = client.post(f"/{administrator.tenant_id}/oauth2/v2.0/token", data=form).json()["access_token"]
        client.headers["authorization"] = f"Bearer {token}"
        roles, applications = {}, {}
        for role in APPLICATIONS:
            made = client.post("/identity/applications", json={"name": role}).raise_for_status().json()
            path = f"/identity/applications/{made['clientId']}/secrets"
            secret = client.post(path, json={}).raise_for_status().json()["secret"]
            applications[role] = (made["clientId"], secret)
            if role != "stranger":
                roles[made["objectId"]] = role
    Stores(home.farm).lay_out("meadow")
    known = {"instances": ["meadow"], "roles": roles}
    file = home.path / "directory.json"
    file.with_suffix(".new").write_text(json.dumps(known))
    file.with_suffix(".new").rename(file)
    return Reached(f"{url}/farm/meadow", url, administrator.tenant_id, home.ca_certificate, applications)


@pytest.fixture(scope="session")
def driver(reached: Reached, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Any]:
    """Run a driver, which is told of the instance by its environment; what it printed as JSON at last."""

    def run(script: str, *arguments: str) -> Any:
        is_python = script.endswith(".py")
        program = HERE / ".environments/python/bin/python" if is_python else "node"
        needed = program if is_python else HERE / "node_modules/@azure-rest/agrifood-farming"
        if not Path(needed).exists():
            is_missing("the farm service's clients are not installed: run `make clients`")
        told = {
            "INSTANCE_URI": reached.uri,
            "AUTHORITY": reached.authority,
            "TENANT": reached.tenant,
            "APPLICATIONS": json.dumps(reached.applications),
            # How requests, aiohttp and Node come to trust the local CA.
            "REQUESTS_CA_BUNDLE": str(reached.ca),
            "SSL_CERT_FILE": str(reached.ca),
            "NODE_EXTRA_CA_CERTS": str(reached.ca),
            "PATH": os.environ["PATH"],
            "HOME": str(tmp_path_factory.mktemp("client")),
            "LC_ALL": "C.UTF-8",
        }
        ended = subprocess.run(
            [str(program), str(HERE / "drivers" / script), *arguments],
            env=told,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert ended.returncode == 0, ended.stdout + ended.stderr
        return json.loads(ended.stdout.splitlines()[-1])

    return run
