"""An instance that public clients reach, and applications of each role.

The clients live in environments of their own: `make clients` installs them. Without them these tests are
skipped, except where `CI=true` and `REQUIRE_PEERS=1` say that they must run.
"""

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.clients.peers import is_missing
from tests.instances import ADMIN, CONTRIBUTOR, READER, provision
from tests.serving import PATIENCE, Served

HERE = Path(__file__).parent

#: Applications by the role that they have on the instance; one has none.
APPLICATIONS = {"admin": ADMIN, "contributor": CONTRIBUTOR, "reader": READER, "stranger": None}


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
    served = Served(tmp_path_factory.mktemp("farm") / "home", server_services="identity,control,farm")
    try:
        served.start(authorize=False)
        yield reached_at(served)
    finally:
        served.close()


def reached_at(served: Served) -> Reached:
    """With the instance `meadow`, and the applications."""
    own = {"Authorization": f"Bearer {served.token(f'{served.url}/.default')}"}
    instance = provision(served)
    applications = {}
    for name, role in APPLICATIONS.items():
        answer = served.public.post("/identity/applications", json={"name": name}, headers=own)
        made = answer.raise_for_status().json()
        path = f"/identity/applications/{made['clientId']}/secrets"
        secret = served.public.post(path, json={}, headers=own).raise_for_status().json()["secret"]
        applications[name] = (made["clientId"], secret)
        if role is not None:
            instance.assign(made["objectId"], role)
    tenant = served.administrator["tenantId"]
    return Reached(instance.uri, served.url, tenant, served.ca, applications)


@pytest.fixture(scope="session")
def driver(reached: Reached, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Any]:
    """Run a driver, which is told of the instance by its environment; what it printed as JSON at last."""
    return drivers_of(reached, tmp_path_factory.mktemp("client"))


def drivers_of(reached: Reached, home: Path) -> Callable[..., Any]:
    """The same, for any instance; `environment` has more of it."""

    def run(script: str, *arguments: str, **environment: str) -> Any:
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
            "HOME": str(home),
            "LC_ALL": "C.UTF-8",
        }
        ended = subprocess.run(
            [str(program), str(HERE / "drivers" / script), *arguments],
            env=told | environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert ended.returncode == 0, ended.stdout + ended.stderr
        return json.loads(ended.stdout.splitlines()[-1])

    return run
