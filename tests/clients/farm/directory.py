"""Instances and roles in a file, for a server of its own process: what the control plane keeps otherwise."""

import json
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from headland.farm import Instance
from headland.security import Principal

#: Data actions of the seed's three roles.
ROLES = {
    "admin": ("*",),
    "contributor": ("*/read", "*/write", "*/action"),
    "reader": ("*/read", "*/list/action", "*/search/action", "*/download/action"),
}


class Directory:
    """`{"instances": [names], "roles": {object id: role}}`; roles count on every instance."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def find(self, name: str) -> Instance | None:
        known = self._read()
        if name not in known["instances"]:
            return None
        resource_id = f"/subscriptions/s/resourceGroups/g/providers/Microsoft.AgFoodPlatform/farmBeats/{name}"
        return Instance(name, resource_id, name, "Succeeded")

    def allows(self, principal: Principal, action: str, scope: str) -> bool:
        role = self._read()["roles"].get(principal.object_id)
        return role is not None and any(fnmatchcase(action, pattern) for pattern in ROLES[role])

    def _read(self) -> Any:
        return json.loads(self._file.read_text())
