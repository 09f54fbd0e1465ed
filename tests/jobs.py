"""Jobs of applications other than the administrator, for tests that talk to a served Headland."""

import base64
import json
from dataclasses import dataclass
from typing import Any

import httpx

from tests.serving import CLUSTER_SCOPE, Served

HEADERS = {"X-Requested-By": "tests"}


@dataclass(frozen=True)
class Application:
    """An application without roles."""

    client_id: str
    object_id: str
    secret: str
    #: Its own for the identity service's administrators.
    path: str
    #: For the public base, with a token of its own for the job service.
    client: httpx.Client


def register(served: Served, name: str) -> Application:
    """A new one, with a secret."""
    own = {"Authorization": f"Bearer {served.token(f'{served.url}/.default')}"}
    answer = served.public.post("/identity/applications", json={"name": name}, headers=own)
    made = answer.raise_for_status().json()
    path = f"/identity/applications/{made['clientId']}"
    secret = served.public.post(f"{path}/secrets", json={}, headers=own).raise_for_status().json()["secret"]
    client = served.client(served.token(CLUSTER_SCOPE, client_id=made["clientId"], client_secret=secret))
    return Application(made["clientId"], made["objectId"], secret, path, client)


def submit(client: httpx.Client, **body: Any) -> int:
    """Have a batch run; its id."""
    answer = client.post("/livy/batches", json=body, headers=HEADERS)
    assert answer.status_code == 201, answer.text
    return int(answer.json()["id"])


def called(lines: list[str]) -> dict[str, int]:
    """What was answered to the calls that a log tells of, by address."""
    found = [line.split(" ", 3) for line in lines if line.startswith("called ")]
    return {path: int(status) for _, path, status, *_ in found}


def claims_in(lines: list[str]) -> dict[str, Any]:
    """The claims of the token that a log tells of."""
    (token,) = [line.removeprefix("token ") for line in lines if line.startswith("token ")]
    return claims_of(token)


def claims_of(token: str) -> dict[str, Any]:
    part = token.split(".")[1]
    return dict(json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))))
