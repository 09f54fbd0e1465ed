"""@azure/arm-resources, @azure/arm-authorization and @azure/arm-agrifood, with @azure/identity."""

import shutil
from pathlib import Path

from tests.clients.livy.program import Program
from tests.clients.peers import is_missing
from tests.serving import Served

HERE = Path(__file__).parent


def test_provisioning(cloud: Served, asked: str, tmp_path: Path) -> None:
    if not (HERE / "node_modules" / "@azure").exists() or shutil.which("node") is None:
        is_missing("the JavaScript SDKs are not installed: run `make clients`")
    driver = HERE / "drivers" / "provisioning.mjs"
    with Program(
        ["node", driver, asked], tmp_path / "client", {"NODE_EXTRA_CA_CERTS": str(cloud.ca)}
    ) as running:
        seen = running.answer()
    assert seen == {
        "wrong region": [400, "LocationNotAvailableForResourceGroup"],
        "group": ["barn", "westeurope", "Succeeded"],
        "groups": ["barn"],
        "registered": "Registered",
        "wrong name": [400, "InvalidResourceName"],
        "states": ["Creating", "Succeeded"],
        "uri": f"{cloud.url}/farm/east-field",
        "updated": {"crop": "rye"},
        "paged": 13,
        "hidden": 13,
        "definition": True,
        "assigned": True,
        "same again": [409, "RoleAssignmentExists"],
        "second role": [409, "DataRoleConflict"],
        "assignments": 1,
        "deleted": [404, "ResourceNotFound"],
        "group deleted": [404, "ResourceGroupNotFound"],
    }
