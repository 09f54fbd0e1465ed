"""The whole way with azure-identity, azure-mgmt-resource, -agrifood, -authorization and azure-agrifood-farming."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.clients.livy.program import Program, trusting
from tests.clients.peers import is_missing
from tests.serving import Served

HERE = Path(__file__).parent
PYTHON = HERE / ".environments" / "python" / "bin" / "python"


def _application(cloud: Served, name: str) -> dict[str, str]:
    own = {"Authorization": f"Bearer {cloud.token(f'{cloud.url}/.default')}"}
    made = cloud.public.post("/identity/applications", json={"name": name}, headers=own).json()
    path = f"/identity/applications/{made['clientId']}/secrets"
    secret = cloud.public.post(path, json={}, headers=own).json()["secret"]
    return {"client": made["clientId"], "object": made["objectId"], "secret": secret}


@pytest.fixture(scope="module")
def told(cloud: Served, asked: str) -> dict[str, Any]:
    names = ("contributor", "administrator")
    return {**json.loads(asked), **{name: _application(cloud, name) for name in names}}


@pytest.fixture(scope="module")
def seen(cloud: Served, told: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the SDKs saw."""
    if not PYTHON.exists():
        is_missing("the Python SDKs are not installed: run `make clients`")
    command = [PYTHON, HERE / "drivers" / "whole_story.py", json.dumps(told)]
    with Program(command, tmp_path_factory.mktemp("client"), trusting(cloud)) as running:
        answer: dict[str, Any] = running.answer()
    return answer


def test_whole_story(cloud: Served, seen: dict[str, Any]) -> None:
    assert seen == {
        "wrong provider": [404, "InvalidResourceNamespace"],
        "registered": "Registered",
        "wrong region": [400, "LocationNotAvailableForResourceGroup"],
        "group": "story",
        "wrong name": [400, "InvalidResourceName"],
        "instance": ["Succeeded", f"{cloud.url}/farm/story-field"],
        "wrong secret": True,
        "without a role": [403, "AuthorizationFailed"],
        "second role": [409, "DataRoleConflict"],
        "created": "Contoso Farmer",
        "listed": ["party-1"],
        "wrong id": [400, "InvalidInput"],
        "contributor deletes": [403, "AuthorizationFailed"],
        "deleted": [404, "ResourceNotFound"],
        "role taken away": [403, "AuthorizationFailed"],
        "instance gone": [404, "ResourceNotFound"],
    }


def test_all_of_it_is_on_record(cloud: Served, seen: dict[str, Any], told: dict[str, Any]) -> None:
    assert seen
    own = {"Authorization": f"Bearer {cloud.token(f'{cloud.url}/.default')}"}
    found = cloud.public.get("/audit/entries", params={"size": 1000}, headers=own).json()["entries"]
    actions = [entry["action"] for entry in reversed(found)]
    wanted = [
        "provider.registered",
        "group.created",
        "instance.created",
        "role.assigned",
        "role.assigned",
        "role.removed",
        "group.deleted",
    ]
    assert [action for action in actions if action in wanted][-len(wanted) :] == wanted
    assert cloud.public.get("/audit/verification", headers=own).json()["intact"]
    for who in ("contributor", "administrator"):
        assert told[who]["secret"] not in json.dumps(found)


def test_no_secret_is_in_the_log(cloud: Served, seen: dict[str, Any], told: dict[str, Any]) -> None:
    assert seen
    log = cloud.log.read_text()
    secrets = [told["secret"], *(told[who]["secret"] for who in ("contributor", "administrator")), "eyJ"]
    assert not [secret for secret in secrets if secret in log]
