"""azure-mgmt-resource, -resource-subscriptions, -authorization, -agrifood and -marketplaceordering, with
azure-identity.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.clients.livy.program import Program, trusting
from tests.clients.peers import is_missing
from tests.serving import Served

HERE = Path(__file__).parent
PYTHON = HERE / ".environments" / "python" / "bin" / "python"


@pytest.fixture(scope="module")
def seen(cloud: Served, asked: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the SDKs saw from the first call to the last deletion."""
    if not PYTHON.exists():
        is_missing("the Python SDKs are not installed: run `make clients`")
    command = [PYTHON, HERE / "drivers" / "provisioning.py", asked]
    with Program(command, tmp_path_factory.mktemp("client"), trusting(cloud)) as running:
        answer: dict[str, Any] = running.answer()
    return answer


def test_subscriptions(cloud: Served, asked: str, seen: dict[str, Any]) -> None:
    assert seen["subscriptions"] == [json.loads(asked)["subscription"]]
    assert seen["state"] == "Enabled"
    assert seen["tenants"] == [cloud.administrator["tenantId"]]
    assert "westeurope" in seen["locations"]
    assert seen["unknown subscription"] == [404, "SubscriptionNotFound"]


def test_groups(seen: dict[str, Any]) -> None:
    assert seen["wrong region"] == [400, "LocationNotAvailableForResourceGroup"]
    assert seen["no region"] == [400, "LocationRequired"]
    assert seen["wrong tags"] == [400, "InvalidTagNameCharacters"]
    assert seen["wrong group name"] == [400, "InvalidResourceGroup"]
    assert seen["no group"] == [False, True]
    assert seen["group"] == ["meadow", "eastus", {"farm": "north"}, "Succeeded"]
    assert (seen["groups"], seen["other groups"]) == (["meadow"], [])
    assert seen["wrong filter"] == [400, "InvalidFilterInQueryString"]
    assert seen["patched"] == {"farm": "south"}
    assert seen["group moves"] == [409, "InvalidResourceGroupLocation"]


def test_registration(seen: dict[str, Any]) -> None:
    assert (seen["before"], seen["after"], seen["unregister"]) == (
        "NotRegistered",
        "Registered",
        "NotRegistered",
    )
    assert seen["in use"] == [409, "SubscriptionStillUsed"]
    assert "farmBeats" in seen["types"]
    assert seen["operations"] > 10


def test_the_sdk_registers_the_provider_by_itself(seen: dict[str, Any]) -> None:
    assert seen["registered by itself"] == "Registered"


def test_instances(cloud: Served, seen: dict[str, Any]) -> None:
    assert seen["available"] == [True, None]
    assert seen["wrong name"] == [400, "InvalidResourceName"]
    assert seen["no such group"] == [404, "ResourceGroupNotFound"]
    assert seen["wrong place"] == [400, "LocationNotAvailableForResourceType"]
    assert seen["wrong access"] == [400, "BadArgument"]
    assert seen["made"] == [
        "north-field",
        "Microsoft.AgFoodPlatform/farmBeats",
        {"crop": "wheat"},
        "Application",
    ]
    assert (seen["states"][0], seen["states"][-1]) == ("Creating", "Succeeded")
    assert seen["instance uri"] == f"{cloud.url}/farm/north-field"
    assert seen["again"] == ["Succeeded", {"crop": "rye"}]
    assert seen["updated"] == [{"crop": "oats"}, "Hybrid"]
    assert seen["taken"] == [False, "AlreadyExists"]
    assert seen["too many tags"] == [400, "InvalidTags"]
    assert seen["operation result"] == "Succeeded"
    assert seen["deleted"] == [404, "ResourceNotFound"]


def test_lists(seen: dict[str, Any]) -> None:
    assert seen["paged"] == [13, 13]
    assert (seen["all"], seen["top"], seen["left"]) == (13, 13, 0)
    assert seen["hidden"] == [["north-field", "Microsoft.AgFoodPlatform/farmBeats", True, "Succeeded"]]
    empty = (
        "extensions.list_by_farm_beats",
        "solutions.list",
        "private_endpoint_connections.list_by_resource",
    )
    assert [seen[name] for name in empty] == [0, 0, 0]
    assert seen["definitions"] == [0, 0]
    assert seen["no extension"] == [404, "ResourceNotFound"]


def test_resources_by_id(seen: dict[str, Any]) -> None:
    assert seen["by id"] == ["north-field", "Succeeded"]
    assert seen["exists by id"] == [True, False]
    assert seen["generic"] == "Succeeded"
    assert seen["wrong version"] == [404, "InvalidResourceType"]
    assert seen["wrong type"] == [404, "InvalidResourceType"]


def test_roles(seen: dict[str, Any]) -> None:
    assert seen["definition"][:2] == [
        "7ec7ccdc-f61e-41fe-9aaf-980df0a44eba",
        "AgFood Platform Service Reader",
    ]
    assert seen["wrong principal"] == [400, "PrincipalNotFound"]
    assert seen["wrong role"] == [404, "RoleDefinitionDoesNotExist"]
    assert seen["wrong kind"] == [400, "UnmatchedPrincipalType"]
    assert seen["assigned"] == [True, True, True]
    assert seen["same again"] == [409, "RoleAssignmentExists"]
    assert seen["second role"] == [409, "DataRoleConflict"]
    assert seen["assignments"] == [True]
    assert (seen["at root"], seen["of the resource"]) == (1, 2)
    assert (seen["removed"], seen["removed again"]) == (True, None)


def test_a_role_counts_at_once_and_no_longer_than_it_is_there(seen: dict[str, Any]) -> None:
    assert seen["stranger"] == [403, "AuthorizationFailed"]
    assert seen["owner"] == "meadow"
    assert seen["owner no more"] == [403, "AuthorizationFailed"]


def test_terms(seen: dict[str, Any]) -> None:
    assert seen["accepted"] is True
    assert seen["signed"] == [True, True]


def test_deletion_of_a_group(seen: dict[str, Any]) -> None:
    assert seen["group deleted"] == [404, "ResourceGroupNotFound"]


def test_no_secret_is_in_the_log(cloud: Served, asked: str, seen: dict[str, Any]) -> None:
    log = cloud.log.read_text()
    told = json.loads(asked)
    assert seen
    for secret in (told["secret"], told["worker secret"], "eyJ"):
        assert secret not in log
