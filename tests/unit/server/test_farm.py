"""What the control plane's roles allow of the farm service's operations, as both declare it."""

from pathlib import Path

import pytest

from headland.control.matrix import cells
from headland.control.roles import ROLES
from headland.http.operations import Operation
from headland.security import Verifier
from headland.server.deployment import Deployment
from headland.server.farm import declared_farm, farm_application, farm_hosts
from headland.server.instance_stores import files_of, pending_of
from headland.settings import ControlSettings, Home, ServerSettings, Settings

#: The specification's words; nobody else may do anything.
RIGHTS = {
    "AgFood Platform Service Admin": {"read", "write", "delete"},
    "AgFood Platform Service Contributor": {"read", "write"},
    "AgFood Platform Service Reader": {"read"},
}
WORDS = {"GET": "read", "PATCH": "write", "DELETE": "delete"}


def word_for(method: str, path: str) -> str:
    """Which of the words an operation comes down to: by its path where its method does not tell."""
    if method == "PUT" and "/cascade-delete/" in path:
        return "delete"
    if (method == "POST" and path.startswith("/restore")) or (method == "PUT" and path.endswith("/file")):
        # What is restored takes the place of what was there, stamps and all: an administrator's to do.
        return "delete"
    if (method, path.split("/")[1]) in {("POST", "bulk"), ("PUT", "image-processing")}:
        return "write"
    if method == "POST" and path.endswith((":search", ":overlap", "/boundaries")):
        return "read"
    return WORDS[method]


@pytest.fixture
def operations(tmp_path: Path) -> list[Operation]:
    deployment = Deployment.of(Home(tmp_path), Settings())
    return list(declared_farm(deployment, Verifier([])).operations)


def test_every_operation_on_data_has_an_action(operations: list[Operation]) -> None:
    open_ = [operation.path for operation in operations if not operation.guarded]
    assert open_ == ["/openapi.json"]
    for operation in (each for each in operations if each.guarded):
        assert operation.action is not None
        assert operation.action.startswith("Microsoft.AgFoodPlatform/farmBeats/")


@pytest.mark.parametrize("role", ROLES, ids=lambda role: role.name)
def test_every_cell(operations: list[Operation], role) -> None:
    found = list(cells(operations, [role]))
    # By role: four levels, inside its scope and beside it.
    assert len(found) == 8 * len([operation for operation in operations if operation.guarded])
    for cell in found:
        assert cell.row.data
        word = word_for(cell.row.method, cell.row.path)
        assert cell.allowed is (cell.own and word in RIGHTS.get(role.name, set())), cell


def test_instances_have_hosts_where_a_domain_says_so(tmp_path: Path) -> None:
    def hosts(domain: str | None):
        settings = Settings(
            server=ServerSettings(public_url="https://base.farm.example:8443"),
            control=ControlSettings(instance_domain=domain),
        )
        deployment = Deployment.of(Home(tmp_path), settings)
        pending, files = pending_of(deployment.home), files_of(deployment.home, settings)
        application = farm_application(deployment, Verifier([]), pending, files)
        return farm_hosts(application, settings)

    assert hosts(None) is None
    named = hosts("Farm.Example")
    assert named.name_in(b"meadow.farm.example:8443") == "meadow"
    assert named.name_in(b"base.farm.example:8443") is None
