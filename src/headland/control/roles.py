"""Roles: what they are called, and what they allow.

Those of the control plane are Azure's own. Those of the data are the specification's: a contributor creates, reads and
updates everything and deletes nothing. They have the hosted service's names and ids, since programs assign
them by these, and none of its finer exclusions.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from headland.control.provider import NAMESPACE

#: When these definitions were first published here, in ISO 8601.
PUBLISHED: Final = "2026-11-01T00:00:00.0000000Z"


@dataclass(frozen=True, slots=True)
class Role:
    """A role definition. `*` in an action stands for any text; case does not count."""

    id: str
    name: str
    description: str
    actions: tuple[str, ...] = ()
    not_actions: tuple[str, ...] = ()
    data_actions: tuple[str, ...] = ()
    not_data_actions: tuple[str, ...] = ()

    @property
    def of_data(self) -> bool:
        """Whether it is about data."""
        return bool(self.data_actions)

    def allows(self, action: str, *, data: bool) -> bool:
        """Whether it has an action of the control plane, or of the data."""
        if data:
            return _matches(self.data_actions, action) and not _matches(self.not_data_actions, action)
        return _matches(self.actions, action) and not _matches(self.not_actions, action)


OWNER: Final = Role(
    "8e3af657-a8ff-443c-a75c-2fe8c4bcb635",
    "Owner",
    "Grants full access to manage all resources, including the ability to assign roles in Azure RBAC.",
    actions=("*",),
)
CONTRIBUTOR: Final = Role(
    "b24988ac-6180-42a0-ab88-20f7382dd24c",
    "Contributor",
    "Grants full access to manage all resources, but does not allow you to assign roles in Azure RBAC, manage "
    "assignments in Azure Blueprints, or share image galleries.",
    actions=("*",),
    not_actions=(
        "Microsoft.Authorization/*/Delete",
        "Microsoft.Authorization/*/Write",
        "Microsoft.Authorization/elevateAccess/Action",
        "Microsoft.Blueprint/blueprintAssignments/write",
        "Microsoft.Blueprint/blueprintAssignments/delete",
        "Microsoft.Compute/galleries/share/action",
        "Microsoft.Purview/consents/write",
        "Microsoft.Purview/consents/delete",
        "Microsoft.Resources/deploymentStacks/manageDenySetting/action",
        "Microsoft.Subscription/cancel/action",
        "Microsoft.Subscription/enable/action",
    ),
)
READER: Final = Role(
    "acdd72a7-3385-48ef-bd42-f606fba81ae7",
    "Reader",
    "View all resources, but does not allow you to make any changes.",
    actions=("*/read",),
)
USER_ACCESS_ADMINISTRATOR: Final = Role(
    "18d7d88d-d35e-4fb5-a5c3-7773c20a72d9",
    "User Access Administrator",
    "Lets you manage user access to Azure resources.",
    actions=("*/read", "Microsoft.Authorization/*", "Microsoft.Support/*"),
)
SERVICE_ADMIN: Final = Role(
    "f8da80de-1ff9-4747-ad80-a19b7f6079e3",
    "AgFood Platform Service Admin",
    "Creates, reads, updates and deletes all data of an instance.",
    data_actions=(f"{NAMESPACE}/*",),
)
SERVICE_CONTRIBUTOR: Final = Role(
    "8508508a-4469-4e45-963b-2518ee0bb728",
    "AgFood Platform Service Contributor",
    "Creates, reads and updates all data of an instance, and deletes none.",
    data_actions=(f"{NAMESPACE}/*/action", f"{NAMESPACE}/*/read", f"{NAMESPACE}/*/write"),
    # A job that deletes is started by a write.
    not_data_actions=(f"{NAMESPACE}/farmBeats/deletionJobs/*/write",),
)
SERVICE_READER: Final = Role(
    "7ec7ccdc-f61e-41fe-9aaf-980df0a44eba",
    "AgFood Platform Service Reader",
    "Reads all data of an instance.",
    # Lists and searches may come by POST, and are named as actions then.
    data_actions=(
        f"{NAMESPACE}/*/read",
        f"{NAMESPACE}/*/list/action",
        f"{NAMESPACE}/*/search/action",
        f"{NAMESPACE}/*/download/action",
        f"{NAMESPACE}/*/overlap/action",
        f"{NAMESPACE}/*/checkConsent/action",
    ),
)

ROLES: Final[Sequence[Role]] = (
    OWNER,
    CONTRIBUTOR,
    READER,
    USER_ACCESS_ADMINISTRATOR,
    SERVICE_ADMIN,
    SERVICE_CONTRIBUTOR,
    SERVICE_READER,
)
BY_ID: Final = {role.id: role for role in ROLES}


@lru_cache(maxsize=4096)
def _matches(patterns: tuple[str, ...], action: str) -> bool:
    return any(pattern.fullmatch(action) for pattern in _compiled(patterns))


@lru_cache(maxsize=64)
def _compiled(patterns: Iterable[str]) -> tuple[re.Pattern[str], ...]:
    return tuple(
        re.compile(".*".join(map(re.escape, pattern.split("*"))), re.IGNORECASE | re.DOTALL)
        for pattern in patterns
    )
