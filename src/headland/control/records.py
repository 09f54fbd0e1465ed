"""What the control plane knows, as plain records. Times are milliseconds since 1970."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

#: What a deployer is to make of a store.
Wanted = Literal["present", "absent"]
RequestState = Literal["Pending", "Approved", "Refused"]


@dataclass(frozen=True, slots=True)
class Subscription:
    """An entry of the allow list: groups and instances live in one."""

    id: str
    tenant_id: str
    display_name: str
    created_at: int


@dataclass(frozen=True, slots=True)
class AccessRequest:
    """Somebody asks for a subscription, and somebody else decides."""

    id: str
    subscription_id: str
    tenant_id: str
    display_name: str
    reason: str
    terms_version: str
    #: Object ids.
    requested_by: str
    requested_at: int
    state: RequestState
    decided_by: str | None = None
    decided_at: int | None = None
    comment: str | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """A resource group."""

    subscription_id: str
    #: Its name in the one case by which it is found.
    key: str
    name: str
    location: str
    tags: Mapping[str, str]
    managed_by: str | None
    created_at: int
    changed_at: int
    deleting_since: int | None = None

    @property
    def id(self) -> str:
        return f"/subscriptions/{self.subscription_id}/resourceGroups/{self.name}"


@dataclass(frozen=True, slots=True)
class Instance:
    """An instance of the agriculture service, with what has become of its store."""

    key: str
    name: str
    subscription_id: str
    group_key: str
    location: str
    tags: Mapping[str, str]
    #: `sku`, `identity`, `sensorIntegration`, `publicNetworkAccess`: as asked for.
    options: Mapping[str, Any]
    store_key: str
    created_by: str
    created_at: int
    changed_by: str
    changed_at: int
    group_name: str
    ready: bool
    failure: str | None

    @property
    def id(self) -> str:
        return (
            f"/subscriptions/{self.subscription_id}/resourceGroups/{self.group_name}"
            f"/providers/Microsoft.AgFoodPlatform/farmBeats/{self.name}"
        )

    @property
    def provisioning_state(self) -> str:
        if self.ready:
            return "Succeeded"
        return "Creating" if self.failure is None else "Failed"


@dataclass(frozen=True, slots=True)
class Store:
    """Where an instance's data lies, and what is to be done about it."""

    key: str
    subscription_id: str
    group_key: str
    wanted: Wanted
    ready: bool
    failure: str | None
    attempts: int
    due_at: int | None


@dataclass(frozen=True, slots=True)
class Assignment:
    """Who has which role where."""

    name: str
    #: Whose subscriptions it is about where its scope is `/`.
    tenant_id: str
    scope: str
    scope_key: str
    #: The role's GUID.
    role: str
    principal_id: str
    principal_type: str
    description: str | None
    created_by: str | None
    created_at: int
    changed_by: str | None
    changed_at: int

    @property
    def id(self) -> str:
        return f"{self.scope.rstrip('/')}/providers/Microsoft.Authorization/roleAssignments/{self.name}"


@dataclass(frozen=True, slots=True)
class GroupDeletion:
    """A deletion of a group that was accepted, for whoever asks what became of it."""

    id: str
    subscription_id: str
    group_key: str
    group_name: str
    asked_by: str
    asked_at: int
    ended_at: int | None = None
    failure: str | None = None
