"""The resource manager as the pages ask it: what a person sees of it, by its own API."""

import asyncio
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import parse_qsl, quote, urlsplit

from msgspec import Struct, convert

from headland.portal.inside import Answered, Inside, RefusedError

T = TypeVar("T")

#: Of the provider, and of the resource manager's own types.
PROVIDED = "2023-06-01-preview"
MANAGED = "2025-04-01"
ASSIGNED = "2022-04-01"

NAMESPACE = "Microsoft.AgFoodPlatform"
FARM_BEATS = f"{NAMESPACE}/farmBeats"
_AGREEMENT = "Microsoft.MarketplaceOrdering/agreements/headland/offers/farmbeats/plans/terms"
_AGREED = "2021-01-01"


class Subscription(Struct, rename="camel"):
    """A subscription in which somebody has a role."""

    id: str
    subscription_id: str
    display_name: str
    state: str


class State(Struct, rename="camel"):
    """How it stands with something."""

    provisioning_state: str
    instance_uri: str = ""


class Stamps(Struct, rename="camel"):
    """Who made something, and when."""

    created_at: str
    last_modified_at: str
    created_by: str | None = None


class Resource(Struct, rename="camel"):
    """A resource group, or something in one."""

    id: str
    name: str
    type: str
    location: str
    tags: dict[str, str] = {}
    properties: State | None = None
    system_data: Stamps | None = None
    provisioning_state: str = ""
    created_time: str | None = None

    @property
    def place(self) -> "Place":
        return Place.of(self.id)

    @property
    def state(self) -> str:
        return self.properties.provisioning_state if self.properties else self.provisioning_state


class Location(Struct, rename="camel"):
    """A region."""

    name: str
    display_name: str


class Rights(Struct, rename="camel"):
    """What a role lets do with data."""

    data_actions: list[str] = []


class RoleProperties(Struct, rename="camel"):
    """What a role is."""

    role_name: str
    description: str
    permissions: list[Rights] = []

    @property
    def opens_data(self) -> bool:
        """Whether it is about an instance's data, which is what most are looked for."""
        return any(rights.data_actions for rights in self.permissions)


class Role(Struct):
    """A role."""

    id: str
    name: str
    properties: RoleProperties


class Given(Struct, rename="camel"):
    """To whom a role is given, and where."""

    role_definition_id: str
    principal_id: str
    principal_type: str
    scope: str
    created_on: str | None = None


class Assignment(Struct):
    """A role assignment."""

    id: str
    name: str
    properties: Given


class AccessRequest(Struct, rename="camel"):
    """A request for a subscription."""

    id: str
    subscription_id: str
    display_name: str
    reason: str
    state: str
    requested_by: str
    requested_at: str
    comment: str | None = None


class Terms(Struct):
    """The terms in force."""

    version: str
    text: str


class _Agreement(Struct):
    properties: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Place:
    """Where an instance is."""

    subscription: str
    group: str
    name: str

    @classmethod
    def of(cls, resource_id: str) -> "Place":
        parts = resource_id.split("/")
        return cls(parts[2], parts[4] if len(parts) > 4 else "", parts[8] if len(parts) > 8 else "")

    @property
    def api(self) -> str:
        """Its resource id."""
        return (
            f"{group_path(self.subscription, self.group)}/providers/{FARM_BEATS}/{quote(self.name, safe='')}"
        )

    @property
    def page(self) -> str:
        """Its page."""
        return "/portal/instances/" + "/".join(
            quote(part, safe="") for part in (self.subscription, self.group, self.name)
        )

    @property
    def group_page(self) -> str:
        """The page of its group."""
        return f"/portal/subscriptions/{quote(self.subscription)}/groups/{quote(self.group, safe='')}"


def group_path(subscription: str, group: str) -> str:
    return f"/subscriptions/{quote(subscription, safe='')}/resourceGroups/{quote(group, safe='')}"


@dataclass(frozen=True, slots=True)
class InstancesOf:
    """The instances of a subscription."""

    subscription: Subscription
    #: Whether the person may list them; where not, there seem to be none.
    listed: bool
    instances: list[Resource]

    @property
    def data(self) -> str:
        """Where the API has the same."""
        return f"{_instances_path(self.subscription.subscription_id)}?api-version={PROVIDED}"


def _instances_path(subscription: str) -> str:
    return f"/subscriptions/{quote(subscription, safe='')}/providers/{FARM_BEATS}"


class Manager:
    """The resource manager, with the rights of who is signed in. What it refuses is a RefusedError."""

    def __init__(self, inside: Inside) -> None:
        self._inside = inside

    async def subscriptions(self) -> list[Subscription]:
        return await self._list("/subscriptions", Subscription)

    async def groups(self, subscription: str) -> list[Resource]:
        return await self._list(f"/subscriptions/{quote(subscription, safe='')}/resourcegroups", Resource)

    async def group(self, subscription: str, name: str) -> Resource:
        return (await self.call("GET", group_path(subscription, name))).of(Resource)

    async def put_group(self, subscription: str, name: str, location: str) -> None:
        await self.call("PUT", group_path(subscription, name), body={"location": location})

    async def delete_group(self, subscription: str, name: str) -> None:
        await self.call("DELETE", group_path(subscription, name))

    async def resources(self, subscription: str, group: str) -> list[Resource]:
        """What is in a group, hidden types included."""
        expand = {"$expand": "createdTime,provisioningState"}
        return await self._list(f"{group_path(subscription, group)}/resources", Resource, query=expand)

    async def instances(self, subscription: str) -> list[Resource]:
        return await self._list(_instances_path(subscription), Resource, PROVIDED)

    async def all_instances(self) -> list[InstancesOf]:
        """Those of each subscription that the person may see: who has a role on an instance's data alone sees its
        subscription, and not what is in there.
        """

        async def listed(one: Subscription) -> InstancesOf:
            try:
                return InstancesOf(one, True, await self.instances(one.subscription_id))
            except RefusedError as error:
                if error.status != 403:
                    raise
                return InstancesOf(one, False, [])

        return await asyncio.gather(*map(listed, await self.subscriptions()))

    async def instances_of_data(self) -> list[Resource]:
        """Those on whose data the person has a role."""
        found = (await self._inside.call("GET", "/control/instances")).document
        return convert(found["value"], list[Resource])

    async def instance(self, place: Place) -> Resource:
        return (await self.call("GET", place.api, version=PROVIDED)).of(Resource)

    async def review(self, place: Place, body: Mapping[str, Any]) -> dict[str, Any]:
        """What would be made, where its group is there already."""
        return (await self.call("POST", f"{place.api}/validate", body=body, version=PROVIDED)).document

    async def put_instance(self, place: Place, body: Mapping[str, Any]) -> None:
        await self.call("PUT", place.api, body=body, version=PROVIDED)

    async def tag_instance(self, place: Place, tags: Mapping[str, str]) -> None:
        await self.call("PATCH", place.api, body={"tags": tags}, version=PROVIDED)

    async def delete_instance(self, place: Place) -> None:
        await self.call("DELETE", place.api, version=PROVIDED)

    async def failure(self, place: Place) -> str:
        """Why an instance could not be deployed, or ""."""
        path = f"{place.api}/operationResults/resource-provisioning-id-{place.name}"
        found = (await self.call("GET", path, version=PROVIDED)).document
        return str((found.get("error") or {}).get("message", ""))

    async def why_not(self, subscription: str, name: str) -> str:
        """Why an instance can't be called so, or ""."""
        path = f"/subscriptions/{quote(subscription, safe='')}/providers/{NAMESPACE}/checkNameAvailability"
        body = {"name": name, "type": FARM_BEATS}
        return str((await self.call("POST", path, body=body, version=PROVIDED)).document.get("message", ""))

    async def locations(self, subscription: str) -> list[Location]:
        return await self._list(f"/subscriptions/{quote(subscription, safe='')}/locations", Location)

    async def registered(self, subscription: str) -> bool:
        """Whether the agriculture provider is registered."""
        path = f"/subscriptions/{quote(subscription, safe='')}/providers/{NAMESPACE}"
        return bool((await self.call("GET", path)).document["registrationState"] == "Registered")

    async def register(self, subscription: str) -> None:
        await self.call(
            "POST", f"/subscriptions/{quote(subscription, safe='')}/providers/{NAMESPACE}/register"
        )

    async def terms(self) -> Terms:
        return (await self._inside.call("GET", "/control/terms")).of(Terms)

    async def accepted(self, subscription: str) -> bool:
        """Whether the terms in force are accepted."""
        path = f"/subscriptions/{quote(subscription, safe='')}/providers/{_AGREEMENT}"
        return bool((await self.call("GET", path, version=_AGREED)).of(_Agreement).properties["accepted"])

    async def accept(self, subscription: str) -> None:
        path = f"/subscriptions/{quote(subscription, safe='')}/providers/{_AGREEMENT}/sign"
        await self.call("POST", path, version=_AGREED)

    async def roles(self, scope: str) -> list[Role]:
        return await self._list(f"{scope}/providers/Microsoft.Authorization/roleDefinitions", Role, ASSIGNED)

    async def assignments(self, scope: str) -> list[Assignment]:
        """Those that hold at a scope: given there, or above it."""
        path = f"{scope}/providers/Microsoft.Authorization/roleAssignments"
        return await self._list(path, Assignment, ASSIGNED, {"$filter": "atScope()"})

    async def assign(self, scope: str, role: str, principal: str) -> None:
        path = f"{scope}/providers/Microsoft.Authorization/roleAssignments/{uuid.uuid4()}"
        body = {"properties": {"roleDefinitionId": role, "principalId": principal}}
        await self.call("PUT", path, body=body, version=ASSIGNED)

    async def unassign(self, assignment_id: str) -> None:
        await self.call("DELETE", assignment_id, version=ASSIGNED)

    async def access_requests(self) -> list[AccessRequest]:
        found = (await self._inside.call("GET", "/control/access-requests")).document
        return convert(found["value"], list[AccessRequest])

    async def ask_for_access(self, body: Mapping[str, Any]) -> None:
        await self._inside.call("POST", "/control/access-requests", body=body)

    async def decide(self, request: str, verb: str, comment: str | None) -> None:
        path = f"/control/access-requests/{quote(request, safe='')}/{verb}"
        await self._inside.call("POST", path, body={"comment": comment})

    async def call(
        self,
        method: str,
        path: str,
        *,
        version: str = MANAGED,
        query: Mapping[str, str] | None = None,
        body: Any = None,
    ) -> Answered:
        return await self._inside.call(
            method, path, query={**(query or {}), "api-version": version}, body=body
        )

    async def _list(
        self, path: str, kind: type[T], version: str = MANAGED, query: Mapping[str, str] | None = None
    ) -> list[T]:
        """All pages of a list."""
        found: list[T] = []
        asked = dict(query or {})
        while True:
            document = (await self.call("GET", path, version=version, query=asked)).document
            found += convert(document["value"], list[kind])  # type: ignore[valid-type]
            link = document.get("nextLink")
            if not link:
                return found
            asked = dict(parse_qsl(urlsplit(link).query))
            asked.pop("api-version", None)
