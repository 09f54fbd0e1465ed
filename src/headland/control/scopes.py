"""Scopes: where a role holds. A scope is the id of a subscription, a group or an instance, or `/` for all."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from headland.control.errors import InvalidSubscriptionIdError, NotFoundError
from headland.control.provider import FARM_BEATS

_GUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_SCOPE = re.compile(
    r"/subscriptions/(?P<subscription>[^/]+)(/resourceGroups/(?P<group>[^/]+)"
    rf"(/providers/{re.escape(FARM_BEATS)}/(?P<instance>[^/]+))?)?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Place:
    """What a scope names; nothing of it for `/`."""

    subscription: str | None = None
    group: str | None = None
    instance: str | None = None


def is_guid(text: str) -> bool:
    return _GUID.fullmatch(text) is not None


def subscription_id(text: str) -> str:
    """A subscription's id, in the lower case in which it is kept.

    Raises:
        InvalidSubscriptionIdError: it is no GUID.
    """
    if not is_guid(text):
        raise InvalidSubscriptionIdError(text)
    return text.lower()


def place_of(scope: str) -> Place:
    """What a scope names.

    Raises:
        NotFoundError: it is no scope of a kind that there is here.
        InvalidSubscriptionIdError: its subscription is no GUID.
    """
    path = "/" + scope.strip("/")
    if path == "/":
        return Place()
    match = _SCOPE.fullmatch(path)
    if match is None:
        raise NotFoundError(
            f"The scope '{path}' is invalid: it is '/', a subscription, a resource group, or an instance.",
            "scope",
        )
    return Place(subscription_id(match["subscription"]), match["group"], match["instance"])


def key_of(scope: str) -> str:
    """A scope as it is compared."""
    return "/" + scope.strip("/").lower()


def covers(upper: str, lower: str) -> bool:
    """Whether what holds at `upper` holds at `lower`; both as `key_of` has them."""
    return upper in {"/", lower} or lower.startswith(upper + "/")


def subscription_in(key: str) -> str | None:
    """The id of the subscription in a scope as `key_of` has it."""
    parts = key.split("/", 3)
    return parts[2] if len(parts) > 2 and parts[1] == "subscriptions" else None


def scope_of(parameters: Mapping[str, str]) -> str:
    """The scope that an operation on these path parameters is about."""
    if "scope" in parameters:
        return "/" + parameters["scope"].strip("/")
    if "subscriptionId" not in parameters:
        return "/"
    scope = f"/subscriptions/{parameters['subscriptionId']}"
    if "resourceGroupName" in parameters:
        scope += f"/resourceGroups/{parameters['resourceGroupName']}"
    if "farmBeatsResourceName" in parameters:
        scope += f"/providers/{FARM_BEATS}/{parameters['farmBeatsResourceName']}"
    return scope
